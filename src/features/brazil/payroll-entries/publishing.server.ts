import type { Actor } from '#features/base/people/people.ts';
import { keyOfTag } from '#features/clients/clients/client-records.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { asCurrent, assertKeeps, assertSetsLists } from './access.server.ts';
import { listRow, readColumns, type ListRow } from './internal/rows.server.ts';
import { makeSheets } from './making-sheets.server.ts';
import { MAX_LISTS, type ListInput, type PayrollList } from './payroll-entries.ts';

/* The lists of a firm: what it asks of its clients each month. */

export async function listLists(actor: Actor): Promise<PayrollList[]> {
  assertKeeps(actor);
  const rows = await db()
    .selectFrom('payroll_lists')
    .selectAll()
    .where('company_id', '=', actor.companyId)
    .orderBy('name')
    .orderBy('list_id')
    .execute();
  return rows.map(present);
}

/** A list of the firm; FORBIDDEN, NOT_FOUND. */
export async function payrollList(actor: Actor, listId: string): Promise<PayrollList> {
  assertKeeps(actor);
  return present(await listRow(actor, listId));
}

const present = (row: ListRow): PayrollList => ({
  id: row.list_id,
  name: row.name,
  payroll: row.payroll,
  from: row.from_competence,
  to: row.to_competence,
  tag: row.tag,
  dueDay: Number(row.due_day),
  columns: readColumns(row.columns),
  state: row.state,
  version: Number(row.version),
});

/** Adds a list, which nobody fills in before it is published. TOO_MANY, FORBIDDEN. */
export const addList = (actor: Actor, input: ListInput): Promise<string> =>
  asCurrent(actor, assertSetsLists, async (current) => {
    const { count } = await db()
      .selectFrom('payroll_lists')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('company_id', '=', current.companyId)
      .where('state', '<>', 'ended')
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_LISTS) throw new PortalError('TOO_MANY', { most: MAX_LISTS });
    const id = newId('payroll');
    await db()
      .insertInto('payroll_lists')
      .values({
        list_id: id,
        company_id: current.companyId,
        ...columnsFrom(input),
        version: 0,
        state: 'draft',
        created_at: now(),
        created_by: current.contactId,
      })
      .execute();
    await note(current, 'payroll-list.add', id);
    return id;
  });

/** Changes a list; its sheets change when it is published again. CLOSED for one that has ended; FORBIDDEN, NOT_FOUND. */
export const changeList = (actor: Actor, listId: string, input: ListInput): Promise<void> =>
  asCurrent(actor, assertSetsLists, async (current) => {
    await openList(current, listId);
    await db().updateTable('payroll_lists').set(columnsFrom(input)).where('list_id', '=', listId).execute();
    await note(current, 'payroll-list.change', listId);
  });

/**
 * Publishes a list as it is now, and makes the sheets of its clients. Sheets in which something is filled in keep the columns
 * that they began with. CLOSED, FORBIDDEN, NOT_FOUND.
 */
export const publishList = (actor: Actor, listId: string): Promise<void> =>
  asCurrent(actor, assertSetsLists, async (current) => {
    const row = await openList(current, listId);
    const version = Number(row.version) + 1;
    await db()
      .insertInto('payroll_list_versions')
      .values({
        list_id: listId,
        version,
        columns: row.columns,
        published_at: now(),
        published_by: current.contactId,
      })
      .execute();
    await db()
      .updateTable('payroll_lists')
      .set({ version, state: 'published' })
      .where('list_id', '=', listId)
      .execute();
    await db()
      .updateTable('payroll_sheets')
      .set({ list_version: version })
      .where('list_id', '=', listId)
      .where('status', '=', 'draft')
      .where('cells_filled', '=', 0)
      .where('closed_at', 'is', null)
      .execute();
    await makeSheets({ ...row, version, state: 'published' });
    await note(current, 'payroll-list.publish', listId);
  });

/** Ends a list: there are no sheets for later months. CLOSED, FORBIDDEN, NOT_FOUND. */
export const endList = (actor: Actor, listId: string): Promise<void> =>
  asCurrent(actor, assertSetsLists, async (current) => {
    await openList(current, listId);
    await db().updateTable('payroll_lists').set({ state: 'ended' }).where('list_id', '=', listId).execute();
    await note(current, 'payroll-list.end', listId);
  });

async function openList(actor: Actor, listId: string): Promise<ListRow> {
  const row = await listRow(actor, listId);
  if (row.state === 'ended') throw new PortalError('CLOSED');
  return row;
}

const columnsFrom = ({ name, payroll, from, to, tag, dueDay, columns }: ListInput) => ({
  name,
  payroll,
  from_competence: from,
  to_competence: to,
  tag,
  tag_key: keyOfTag(tag),
  due_day: dueDay,
  columns: JSON.stringify(columns),
  modified_at: now(),
});

const note = (
  { companyId, contactId }: Actor,
  action: `payroll-list.${'add' | 'change' | 'publish' | 'end'}`,
  target: string,
): Promise<void> => audit({ companyId, actor: contactId, action, target });
