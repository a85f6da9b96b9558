import type { SchemaChange } from './schema-change.server.ts';

/** The open rows of a client, and since when the oldest one of them waits. */
const openOf = (client: string): string => `inbox_items where client_id = ${client} and done_at is null`;
const sinceOf = (client: string): string => `(select min(created_at) from ${openOf(client)})`;

/** The row itself, which a statement of a client with a thousand rows must find alone. */
const ownRow = `update inbox_items set client_since = coalesce(${sinceOf('new.client_id')}, new.created_at) where item_id = new.item_id and new.done_at is null`;
/** The client's other rows, if this one is the oldest now. */
const ifOldestNow = `update inbox_items set client_since = new.created_at where done_at is null and client_since > new.created_at
    and client_id = case when new.done_at is null and new.created_at <= ${sinceOf('new.client_id')} then new.client_id end`;
/** The rows that stay with the client, if this one was the oldest. */
const ifOldestBefore = `update inbox_items set client_since = ${sinceOf('old.client_id')} where done_at is null and client_since <> ${sinceOf('old.client_id')}
    and client_id = case when old.done_at is null and old.created_at <= old.client_since then old.client_id end`;

const fill = `update inbox_items set client_since = coalesce((select min(others.created_at) from inbox_items as others
    where others.client_id = inbox_items.client_id and others.done_at is null), created_at) where done_at is null`;

const indexes = [
  `create index inbox_in_order on inbox_items (company_id, client_since, coalesce(client_id, item_id), created_at, item_id) where done_at is null`,
  // of the done ones only: the index must not seem to be one of the open rows
  `drop index inbox_done`,
  `create index inbox_done on inbox_items (done_at) where done_at is not null`,
  `create index inbox_of_staff on inbox_items (contact_id) where done_at is null and contact_id is not null`,
];

/**
 * `inbox_items.client_since` says since when the client of an open row waits, which orders the inbox: triggers maintain it,
 * so that a page of the inbox is read from an index, however much waits.
 */
export const inboxOrder: SchemaChange = {
  sqlite: [
    `alter table inbox_items add column client_since bigint not null default 0`,
    fill,
    ...indexes,
    `create trigger inbox_item_came after insert on inbox_items begin ${ownRow}; ${ifOldestNow}; end`,
    `create trigger inbox_item_changed after update of client_id, done_at, created_at on inbox_items begin ${ownRow}; ${ifOldestNow}; ${ifOldestBefore}; end`,
    `create trigger inbox_item_went after delete on inbox_items begin ${ifOldestBefore}; end`,
  ],
  postgres: [
    `alter table inbox_items add column client_since bigint not null default 0`,
    fill,
    ...indexes,
    `create function order_inbox(changed_clients text[], changed_items text[]) returns void language plpgsql as $body$ begin
    update inbox_items set client_since = oldest.since
      from (select client_id, ${sinceOf('changed.client_id')} as since from unnest(changed_clients) as changed (client_id)) as oldest
      where inbox_items.client_id = oldest.client_id and inbox_items.done_at is null and inbox_items.client_since <> oldest.since;
    update inbox_items set client_since = created_at
      where item_id = any(changed_items) and client_id is null and done_at is null and client_since <> created_at;
    end $body$`,
    ...(['insert', 'update', 'delete'] as const).flatMap((act) => triggerOn(act)),
  ],
};

/** A trigger per statement: a change of many rows of a client orders them once. It changes no row of those it reacts to. */
function triggerOn(act: 'insert' | 'update' | 'delete'): string[] {
  const changed = {
    insert: `select client_id, item_id from added where done_at is null`,
    update: `select unnest(array[added.client_id, removed.client_id]) as client_id, added.item_id from added join removed on removed.item_id = added.item_id
      where (added.client_id, added.done_at, added.created_at) is distinct from (removed.client_id, removed.done_at, removed.created_at)`,
    delete: `select client_id, item_id from removed where done_at is null`,
  }[act];
  const tables = {
    insert: 'new table as added',
    update: 'old table as removed new table as added',
    delete: 'old table as removed',
  }[act];
  return [
    `create function order_inbox_after_${act}() returns trigger language plpgsql as $body$ declare clients text[]; items text[]; begin
    select array_agg(distinct client_id), array_agg(distinct item_id) into clients, items from (${changed}) as changed;
    if items is not null then perform order_inbox(clients, items); end if;
    return null; end $body$`,
    `create trigger inbox_ordered_after_${act} after ${act} on inbox_items referencing ${tables} for each statement execute function order_inbox_after_${act}()`,
  ];
}
