import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { rowsWithText } from '#features/base/grids/rare-texts.server.ts';
import { actsForClient, noteActsFor } from '#features/base/people/people.server.ts';
import { linkMac } from '#features/base/people/rights-macs.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import {
  clientsByText,
  countUpTo,
  db,
  fold,
  inTransaction,
  optimizationFence,
  type ClientByText,
} from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import {
  clientQuery,
  type Client,
  type ClientPage,
  type ClientQuery,
  type NicknamePage,
  type NicknameSearch,
  type PendingClient,
} from './clients.ts';
import { countPending, newestPending, pendingOf } from './pending.server.ts';
import { MAX_IN_LIST, MAX_NICKNAME } from './rules.ts';

/**
 * Lets a contact act for a client of the same firm. The same transaction stores the documents they have not
 * read.
 */
export async function linkContact(clientId: string, contactId: string): Promise<void> {
  const mac = await linkMac(clientId, contactId);
  await inTransaction(() =>
    db()
      .insertInto('client_contacts')
      .values({ client_id: clientId, contact_id: contactId, mac })
      .onConflict((conflict) => conflict.columns(['contact_id', 'client_id']).doNothing())
      .execute(),
  );
}

/** The clients that an actor may act for. */
const clientsOf = (actor: Actor) => db().selectFrom('clients').where(actsForClient(actor));

/** Nicknames are shown only if the firm enabled them (spec 1 section 6). */
export const seesNicknames = ({ access }: Actor): boolean => access.controls.has('ShowClientNickname');

const KEY = { name: 'name_key', code: 'code_key', nickname: 'nickname_key' } as const;

type ClientSearch = Pick<
  ClientQuery,
  'orderBy' | 'orderDir' | 'pageNum' | 'pageSize' | 'searchBy' | 'searchTerm'
>;

/**
 * One page of rows and the total, counted up to `max`. Where nicknames are not shown, they are neither searched nor sorted
 * by.
 */
async function findClients(
  actor: Actor,
  companyId: string,
  query: ClientSearch,
  max?: number,
): Promise<{ rows: ClientRow[]; total: number }> {
  const byNickname = query.searchBy === 'nickname' && query.searchTerm !== '';
  if (companyId !== actor.companyId || (byNickname && !seesNicknames(actor))) return { rows: [], total: 0 };
  const matching = matchingClients(actor, query);
  const few = await fewWithText(actor, query);
  if (few) return pageOfFew(actor, query, { few, max });
  const linked = linkedClients(actor, query);
  const total = linked
    ? await countUpTo(linked.clearOrderBy(), max ?? Number.MAX_SAFE_INTEGER)
    : max === undefined
      ? await countAll(matching)
      : await countUpTo(matching.select('client_id'), max);
  const ids = query.orderBy === 'pending' ? await newestPending(actor) : [];
  const pending = ids.length === 0 ? [] : await matching.selectAll().where('client_id', 'in', ids).execute();
  const start = (query.pageNum - 1) * query.pageSize;
  const ahead = pending
    .toSorted((a, b) => ids.indexOf(a.client_id) - ids.indexOf(b.client_id))
    .slice(start, start + query.pageSize);
  const place = { limit: query.pageSize - ahead.length, offset: Math.max(0, start - pending.length) };
  const page = linked
    ?.$if(ids.length > 0, (links) => links.where('list.client_id', 'not in', ids))
    .limit(place.limit)
    .offset(place.offset);
  const others = await (page ? clientsOf(actor).where('client_id', 'in', page) : matching)
    .selectAll()
    .$if(!page && ids.length > 0, (clients) => clients.where('client_id', 'not in', ids))
    .orderBy(orderOf(actor, query), query.orderDir)
    .orderBy('client_id')
    .limit(place.limit)
    .offset(page ? 0 : place.offset)
    .execute();
  return { rows: [...ahead, ...others], total };
}

/** The same, of a search that few of a contact's many clients match: they are looked up once. */
async function pageOfFew(
  actor: Actor,
  query: ClientSearch,
  { few, max = Number.MAX_SAFE_INTEGER }: { few: RawBuilder<ClientByText>; max?: number | undefined },
): Promise<{ rows: ClientRow[]; total: number }> {
  const [searched, order] = [KEY[query.searchBy], orderOf(actor, query)];
  const isLinked = sql<SqlBool>`exists (select 1 from client_contacts as link where link.contact_id = ${actor.contactId} and link.client_id = found.client_id and link.is_archived = 0 ${optimizationFence})`;
  const found = await db()
    .selectFrom(sql<ClientByText>`(${few})`.as('found'))
    .select('found.client_id')
    .where(isLike(`found.${searched}`, query.searchTerm))
    .where(isLinked)
    .orderBy(sql.ref(`found.${order}`), query.orderDir)
    .orderBy('found.client_id')
    .execute();
  const ids = found.map((client) => client.client_id);
  const pending = query.orderBy === 'pending' ? await newestPending(actor) : [];
  const ahead = pending.filter((id) => ids.includes(id));
  const start = (query.pageNum - 1) * query.pageSize;
  const page = [...ahead, ...ids.filter((id) => !ahead.includes(id))].slice(start, start + query.pageSize);
  const rows =
    page.length === 0 ? [] : await clientsOf(actor).selectAll().where('client_id', 'in', page).execute();
  return {
    rows: rows.toSorted((a, b) => page.indexOf(a.client_id) - page.indexOf(b.client_id)),
    total: Math.min(ids.length, max),
  };
}

async function countAll(clients: ReturnType<typeof matchingClients>): Promise<number> {
  const { total } = await clients
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** All matching clients; they are looked up by their links. */
const matchingClients = (
  actor: Actor,
  { searchBy, searchTerm }: Pick<ClientSearch, 'searchBy' | 'searchTerm'>,
) =>
  clientsOf({ ...actor, hasManyClients: false }).$if(searchTerm !== '', (clients) =>
    clients.where(isLike(KEY[searchBy], searchTerm)),
  );

const isLike = (column: string, searchTerm: string) =>
  sql<boolean>`${sql.ref(column)} like ${`%${fold(searchTerm).replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;

const LINK_KEY = { name: 'client_name_key', code: 'client_code_key' } as const;

/**
 * The matching clients of a contact with many clients in their order, read from the index of these; undefined for others,
 * and where nicknames matter.
 */
function linkedClients(
  actor: Actor,
  query: Pick<ClientSearch, 'orderBy' | 'orderDir' | 'searchBy' | 'searchTerm'>,
) {
  const order = orderOf(actor, query);
  if (!actor.hasManyClients || order === 'nickname_key') return undefined;
  if (query.searchTerm !== '' && query.searchBy === 'nickname') return undefined;
  const searched = searchedKey(query);
  return db()
    .selectFrom('client_contacts as list')
    .select('list.client_id')
    .where('list.contact_id', '=', actor.contactId)
    .where('list.is_archived', '=', 0)
    .$if(query.searchTerm !== '', (links) => links.where(isLike(`list.${searched}`, query.searchTerm)))
    .orderBy(`list.${LINK_KEY[order === 'code_key' ? 'code' : 'name']}`, query.orderDir)
    .orderBy('list.client_id');
}

/** How many of a contact's clients are looked at to see whether many of them have a text; fewer are all read. */
const SAMPLE = 300;
/** Of the firm's clients with a rare text at most so many are looked up: to read another client of the contact costs a tenth. */
const MAX_FOUND = 500;

/** The clients of the firm with a text that few of a contact with many clients have, as a subquery. */
async function fewWithText(
  actor: Actor,
  query: Pick<ClientSearch, 'orderBy' | 'searchBy' | 'searchTerm'>,
): Promise<RawBuilder<ClientByText> | undefined> {
  const { companyId, contactId, hasManyClients } = actor;
  const { searchBy, searchTerm } = query;
  if (!hasManyClients || searchTerm === '' || searchBy === 'nickname') return undefined;
  if (orderOf(actor, query) === 'nickname_key') return undefined;
  const key = searchedKey({ searchBy });
  const { few } = await rowsWithText(fold(searchTerm), {
    column: sql.ref(key),
    list: sql`from client_contacts where contact_id = ${contactId} and is_archived = 0 order by client_id`,
    index: { ...clientsByText(companyId, fold(searchTerm)), listed: undefined },
    sample: SAMPLE,
    max: MAX_FOUND,
  });
  return few;
}

const searchedKey = ({ searchBy }: Pick<ClientSearch, 'searchBy'>) =>
  LINK_KEY[searchBy === 'code' ? 'code' : 'name'];

function orderOf(actor: Actor, { orderBy }: Pick<ClientSearch, 'orderBy'>) {
  if (orderBy === 'pending' || (orderBy === 'nickname' && !seesNicknames(actor))) return KEY.name;
  return KEY[orderBy];
}

/**
 * Lists one page of the clients that the actor may act for, each with its number of unread documents. They are counted up
 * to `max`.
 */
export async function listClients(actor: Actor, query: ClientQuery, max?: number): Promise<ClientPage> {
  const { rows, total } = await findClients(actor, query.companyId ?? actor.companyId, query, max);
  const totalPages = Math.max(1, Math.ceil(total / query.pageSize));
  const clients = await withPending(actor, rows, query['show-nickname'] === 'true');
  return { clients, numItems: total, numPages: totalPages, total, currentItemCount: rows.length, totalPages };
}

/**
 * Lists the nicknames of a firm's clients that the actor may act for (spec 1 section 7, core clients/search);
 * empty for another firm.
 */
export async function searchNicknames(
  actor: Actor,
  companyId: string,
  {
    expand = [],
    pagingDataRequest: { pageIndex, itemsPerPage },
    filterSearchSort: { orderBy, searchBy, search },
  }: NicknameSearch,
): Promise<NicknamePage> {
  const { rows, total } = await findClients(actor, companyId, {
    orderBy,
    orderDir: 'asc',
    searchBy,
    searchTerm: search,
    pageNum: pageIndex + 1,
    pageSize: itemsPerPage,
  });
  const isExpanded = expand.includes('primaryContactExpanded');
  const items = rows.map(({ client_id: id, name, code, nickname }) => ({
    id,
    name,
    code,
    ...(isExpanded && { primaryContactExpanded: { nickname: seesNicknames(actor) ? nickname : null } }),
  }));
  return {
    items,
    pageIndex,
    itemsPerPage,
    totalItems: total,
    totalPages: Math.max(1, Math.ceil(total / itemsPerPage)),
  };
}

/**
 * Returns the options of the switcher besides the active client: none, a few to choose from, or so many that
 * they are searched. Counts no more than necessary.
 */
export type Choice = { kind: 'one' } | { kind: 'few'; others: PendingClient[] } | { kind: 'many' };

export async function choiceOf(actor: Actor, activeId: string): Promise<Choice> {
  const rows = await firstClients(actor);
  if (rows.length <= 1) return { kind: 'one' };
  if (rows.length > MAX_IN_LIST) return { kind: 'many' };
  const others = rows.filter(({ client_id: id }) => id !== activeId);
  return {
    kind: 'few',
    others: others.map((row) => ({ ...present(row, seesNicknames(actor)), pending: Number(row.pending) })),
  };
}

/** Whether the actor acts for several clients, as the switcher of the page has to know. */
export const hasSeveralClients = async (actor: Actor): Promise<boolean> =>
  (await firstClients(actor)).length > 1;

/** As {@link clientsByIds}, on a page with a switcher: it has read all clients of most people. */
export async function clientsOnPage(actor: Actor, ids: readonly string[]): Promise<Map<string, Client>> {
  const first = await firstClients(actor);
  if (first.length > MAX_IN_LIST) return clientsByIds(actor, ids);
  const named = first.filter(({ client_id: id }) => ids.includes(id));
  return new Map(named.map((row) => [row.client_id, present(row, seesNicknames(actor))]));
}

/** The first clients by name, one more than a list of them shows, each with what waits there. */
const firstClients = sharedRead(
  (actor: Actor) =>
    clientsOf(actor)
      .selectAll()
      .select(countPending(actor).as('pending'))
      .$if(actor.hasManyClients, (clients) =>
        clients.where(
          'client_id',
          'in',
          linkedClients(actor, switcherQuery({ orderBy: 'name' }))?.limit(MAX_IN_LIST + 1) ?? [],
        ),
      )
      .orderBy('name_key')
      .orderBy('client_id')
      .limit(MAX_IN_LIST + 1)
      .execute(),
  ({ contactId }) => contactId,
);

/** Lists the first page of the clients, as the switcher's dialog requests it. */
export const switcherQuery = (
  changes: Partial<Record<keyof ClientQuery, string | undefined>> = {},
): ClientQuery =>
  clientQuery.safeParse({ 'show-nickname': 'true', ...changes }).data ??
  clientQuery.parse({ 'show-nickname': 'true' });

/** Finds a client that the actor may act for; NOT_FOUND otherwise. */
export async function clientOf(actor: Actor, clientId: string): Promise<Client> {
  const row = await clientRow(actor, clientId);
  if (!row) throw notFound();
  return present(row, seesNicknames(actor));
}

/** Finds those of these clients that the actor may act for, by id. */
export async function clientsByIds(actor: Actor, ids: readonly string[]): Promise<Map<string, Client>> {
  if (ids.length === 0) return new Map();
  const rows = await clientsOf(actor).selectAll().where('client_id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.client_id, present(row, seesNicknames(actor))]));
}

/**
 * Finds the active client: the requested one if the actor may act for it, else the first by name; undefined
 * if there are none (spec 1, section 4).
 */
export async function activeClient(actor: Actor, wanted: string | undefined): Promise<Client | undefined> {
  const first = await firstClients(actor);
  const row =
    first.find(({ client_id: id }) => id === wanted) ??
    (wanted === undefined || first.length <= MAX_IN_LIST ? undefined : await clientRow(actor, wanted)) ??
    first[0];
  if (row) noteActsFor(actor, row.client_id);
  return row && present(row, seesNicknames(actor));
}

const clientRow = (actor: Actor, clientId: string) =>
  clientsOf(actor).selectAll().where('client_id', '=', clientId).executeTakeFirst();

/**
 * Finds the client of a page: only the one that its address names, or without one the client chosen before
 * (product.md, Session and sign-in).
 */
export const clientOfPage = (
  actor: Actor,
  named: string | null,
  chosen: string | undefined,
): Promise<Client | undefined> => (named === null ? activeClient(actor, chosen) : clientOf(actor, named));

/**
 * Sets the nickname that those who act for a client use among themselves; an empty one removes it. INVALID if
 * it is too long or contains unreadable characters, FORBIDDEN for read-only staff.
 */
export async function setNickname(actor: Actor, clientId: string, typed: string): Promise<void> {
  if (isReadOnly(actor)) throw new PortalError('FORBIDDEN');
  const { id } = await clientOf(actor, clientId);
  const nickname = typed.normalize('NFC').trim();
  if ([...nickname].length > MAX_NICKNAME || /\p{C}/u.test(nickname)) throw new PortalError('INVALID');
  await inTransaction(async () => {
    await db()
      .updateTable('clients')
      .set({ nickname: nickname || null, nickname_key: fold(nickname), modified_at: now() })
      .where('client_id', '=', id)
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'client.nickname',
      target: id,
    });
  });
}

interface ClientRow {
  client_id: string;
  name: string;
  doing_business_as: string | null;
  code: string;
  kind: Client['kind'];
  nickname: string | null;
  created_at: number;
  modified_at: number;
}

async function withPending(
  actor: Actor,
  rows: readonly ClientRow[],
  showNickname: boolean,
): Promise<PendingClient[]> {
  const pending = await pendingOf(
    actor,
    rows.map(({ client_id: id }) => id),
  );
  return rows.map((row) => ({
    ...present(row, showNickname && seesNicknames(actor)),
    pending: pending.get(row.client_id) ?? 0,
  }));
}

function present(row: ClientRow, showNickname: boolean): Client {
  return {
    id: row.client_id,
    name: row.name,
    doingBusinessAs: row.doing_business_as,
    displayAs: row.doing_business_as ?? row.name,
    code: row.code,
    kind: row.kind,
    initials: [...row.name.trim()][0]?.toUpperCase() ?? '',
    nickname: showNickname ? row.nickname : null,
    createdDate: new Date(row.created_at).toISOString(),
    modifiedDate: new Date(row.modified_at).toISOString(),
  };
}

/** The names of clients for those who may know them already, such as readers of the audit log. */
export const clientNames: NamesOf = (ids) =>
  db().selectFrom('clients').select(['client_id as id', 'name']).where('client_id', 'in', ids).execute();
