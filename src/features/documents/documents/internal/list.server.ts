import { sql, type SelectQueryBuilder } from 'kysely';
import { z } from 'zod';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { countedIn } from '#features/documents/folders/counts.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  db,
  documentNameHasWord,
  documentSeqsByName,
  fold,
  wordsOf,
} from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { startOfDay } from '#platform/text/time-zones.ts';
import type { DocumentQuery } from '../documents.ts';
import { listedDocumentsOf, readBy, type ListedDocument } from '../scope.server.ts';

const COLUMNS = {
  createdDate: 'documents.created_at',
  name: 'documents.name_key',
  originalItemSize: 'documents.size',
} as const;

/** Filtered lists are counted and searched up to this number. */
const MAX_FOUND = 1000;

/**
 * Loads one page of a client's documents: all of them, or those in some containers. `total` is exact, but
 * capped at {@link MAX_FOUND} if the list is filtered by anything but containers.
 */
export async function pageOfDocuments(
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
): Promise<{ rows: ListedDocument[]; total: number }> {
  const list = await filteredBy(actor, clientId, parentIds, query);
  if (!list) return { rows: [], total: 0 };
  if (list.isSought) return pageOfFound(actor, list.wanted, query);
  if (isFiltered(query))
    return { rows: await inOrder(actor, list.wanted, query).execute(), total: await countFound(list.wanted) };
  const counted = countedIn(actor, clientId, parentIds);
  const rows = await inOrder(actor, list.wanted, query).select(counted.as('total')).execute();
  const { total } = rows[0] ?? (await counted.executeTakeFirstOrThrow());
  return { rows, total: Number(total) };
}

/** A document beside another one in a list. */
export type Neighbor = Pick<ListedDocument, 'document_id' | 'name'>;

/**
 * Finds the documents before and after one in such a list, and its position there, counted from 1, in lists
 * below {@link MAX_FOUND}. A document that was read just now still has its place among the unread
 * ones; one that the list does not contain for another reason has none.
 */
export async function neighborsIn(
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
  documentId: string,
): Promise<
  { previous?: Neighbor; next?: Neighbor; position?: { number: number; total: number } } | undefined
> {
  const list = await filteredBy(actor, clientId, parentIds, query);
  const itself = listedDocumentsOf(actor).where('documents.document_id', '=', documentId);
  const row = await itself.where('documents.client_id', '=', clientId).executeTakeFirst();
  if (!list || !row) return undefined;
  const { wanted, isSought } = list;
  const isListed =
    (await wanted.where('documents.document_id', '=', documentId).executeTakeFirst()) !== undefined;
  if (!isListed && query.readByClientUser !== false) return undefined;
  const after: DocumentQuery = { ...query, from: 0, pageSize: 1, after: cursorOf(row, query.orderBy) };
  const before: DocumentQuery = { ...after, orderDir: query.orderDir === 'asc' ? 'desc' : 'asc' };
  const number = 1 + (await countFound(wanted.where(beyondCursor(before) ?? sql<boolean>`1 = 1`)));
  const listed = isSought
    ? await countFound(wanted)
    : await countOf(wanted, actor, clientId, parentIds, query);
  const total = isListed ? listed : listed + 1;
  const [previous] = await inOrder(actor, wanted, before).execute();
  const [next] = await inOrder(actor, wanted, after).execute();
  return {
    ...(previous && { previous }),
    ...(next && { next }),
    ...(total < MAX_FOUND && { position: { number, total } }),
  };
}

/** The documents that a list contains, in no order; undefined where no word is left of a name. */
async function filteredBy(
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
): Promise<{ wanted: Wanted; isSought: boolean } | undefined> {
  const words = query.name === undefined ? [] : wordsOf(fold(query.name));
  const isNamed = words.length > 0;
  if (query.name !== undefined && !isNamed) return undefined;
  const field = query.customFields?.startsWith('clientId:') ? undefined : query.customFields;
  const isUnread = query.readByClientUser === false && (await hasFewUnread(actor, clientId));
  const isSought = isNamed || field !== undefined || isUnread;
  const year = query.year === undefined ? undefined : await yearOf(actor, query.year);
  const wanted = listedDocumentsOf(actor)
    // Matches by name or metadata are loaded by row id or document id: written like this, the query planner
    // does not read the client's whole list in order instead.
    .where(
      isSought
        ? sql<boolean>`documents.client_id || '' = ${clientId}`
        : sql<boolean>`documents.client_id = ${clientId}`,
    )
    .$if(isNamed, (documents) =>
      documents.where(sql<boolean>`documents.seq in (${seqsByWords(clientId, words)})`),
    )
    .$if(field !== undefined, (documents) =>
      documents.where('documents.document_id', 'in', newestNotedAs(clientId, field ?? '')),
    )
    .$if(parentIds !== undefined, (documents) =>
      documents.where(
        isSought ? sql`documents.container_id || ''` : 'documents.container_id',
        'in',
        parentIds ?? [],
      ),
    )
    .$if(isUnread, (documents) =>
      documents.where(sql<boolean>`documents.document_id in (${unreadOf(actor, clientId)})`),
    )
    .$if(query.readByClientUser !== undefined && !isUnread, (documents) =>
      documents.where((e) => (query.readByClientUser ? readBy(e, actor) : e.not(readBy(e, actor)))),
    )
    .$if(query.uploadedBy !== undefined, (documents) =>
      documents.where('documents.uploaded_by_staff', '=', query.uploadedBy === 'firm' ? 1 : 0),
    )
    .$if(year !== undefined, (documents) =>
      documents
        .where('documents.created_at', '>=', year?.from ?? 0)
        .where('documents.created_at', '<', year?.until ?? 0),
    );
  return { wanted, isSought };
}

/** This many of a client's newest documents are searched by their names, without the index of words. */
const MAX_SCANNED = 2000;
/** A shorter part of a word would match most names. */
const MIN_PART = 3;

/**
 * The `seq` of at most `max` documents with a word that starts with each of these words; of the newest
 * documents, also of those whose names contain each of them anywhere. The index is asked only if the newest documents
 * are not enough: what most documents have costs the same however many there are.
 */
export function seqsByWords(clientId: string, words: readonly string[], max = MAX_FOUND) {
  const isAnywhere = words.every((word) => [...word].length >= MIN_PART);
  const conditions = words.map((word) =>
    isAnywhere ? sql<boolean>`name_key like ${`%${word}%`}` : documentNameHasWord(word),
  );
  const named = conditions.filter((condition) => condition !== undefined);
  if (named.length < words.length) return documentSeqsByName(clientId, words, max);
  const newest = sql`select seq, name_key from documents where client_id = ${clientId} and deleted_at is null order by created_at desc, document_id desc limit ${MAX_SCANNED}`;
  const missing = sql<number>`(select case when count(*) < ${max} then ${max} else 0 end from near)`;
  const starting = documentSeqsByName(clientId, words, missing);
  return sql<number>`with near as (select seq from (${newest}) as newest where ${sql.join(named, sql` and `)} limit ${max})
    select seq from (select seq from near union select * from (${starting}) as starting) as found order by seq desc limit ${max}`;
}

/** A calendar year where the firm is. */
async function yearOf({ companyId }: Actor, year: number): Promise<{ from: number; until: number }> {
  const { timeZone } = await firmOf(companyId);
  const named = String(year).padStart(4, '0');
  // counted from its last day, since the year after 9999 has no name of four digits
  return { from: startOfDay(`${named}-01-01`, timeZone), until: startOfDay(`${named}-12-31`, timeZone, 1) };
}

/**
 * The unread documents of a contact at a client; for staff, those that nobody has read. Triggers maintain them
 * (src/migrations/0026-unread.server.ts).
 */
const unreadOf = (actor: Actor, clientId: string) =>
  sql`select document_id from unread where contact_id = ${actor.staff ? '' : actor.contactId} and client_id = ${clientId}`;

/**
 * Tells whether these are few, so that they are loaded directly; with many, those of a page soon occur in the
 * order of the list.
 */
async function hasFewUnread(actor: Actor, clientId: string): Promise<boolean> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (${unreadOf(actor, clientId)} limit ${MAX_FOUND}) as unread`.execute(db());
  return Number(rows[0]?.count) < MAX_FOUND;
}

type Wanted = ReturnType<typeof listedDocumentsOf>;

/**
 * Runs a search once, for at most {@link MAX_FOUND} matches: the page is cut from these, and the count is
 * their number.
 */
async function pageOfFound(
  actor: Actor,
  wanted: Wanted,
  query: DocumentQuery,
): Promise<{ rows: ListedDocument[]; total: number }> {
  const beyond = beyondCursor(query);
  const found = await ordered(
    wanted.clearSelect().select(['documents.seq', (beyond ?? sql<boolean>`1 = 1`).as('is_beyond')]),
    query,
  ).execute();
  const from = beyond ? 0 : query.from;
  const page = found.filter(({ is_beyond: isBeyond }) => isBeyond).slice(from, from + query.pageSize);
  const seqs = page.map(({ seq }) => seq);
  return {
    rows:
      seqs.length === 0
        ? []
        : await ordered(listedDocumentsOf(actor).where('documents.seq', 'in', seqs), query).execute(),
    total: found.length,
  };
}

const ordered = <Row>(
  documents: SelectQueryBuilder<Tables, 'documents' | 'containers' | 'contacts', Row>,
  { orderBy, orderDir }: DocumentQuery,
) => documents.orderBy(COLUMNS[orderBy], orderDir).orderBy('documents.document_id', orderDir);

/** Loads one page in the requested order, for which there is an index. */
function inOrder(actor: Actor, wanted: Wanted, query: DocumentQuery): Wanted {
  const beyond = beyondCursor(query);
  const page = ordered(wanted, query).limit(query.pageSize);
  if (beyond) return page.where(beyond);
  if (query.from === 0) return page;
  // PostgreSQL works out the columns of skipped rows as well
  const seqs = page.clearSelect().select('documents.seq').offset(query.from);
  return ordered(listedDocumentsOf(actor).where('documents.seq', 'in', seqs), query);
}

/** The condition for documents after the last one of the previous page; undefined for the first page. */
function beyondCursor({ after, orderBy, orderDir }: DocumentQuery) {
  const last = cursorFrom(after, orderBy);
  return (
    last &&
    sql<boolean>`(${sql.ref(COLUMNS[orderBy])}, documents.document_id) ${orderDir === 'asc' ? sql`>` : sql`<`} (${last.value}, ${last.id})`
  );
}

/** Tells whether a list leaves out documents of its containers, so that those are counted one by one. */
const isFiltered = ({ readByClientUser, uploadedBy, year }: DocumentQuery): boolean =>
  readByClientUser !== undefined || uploadedBy !== undefined || year !== undefined;

/** Counts the documents of a list, up to {@link MAX_FOUND} if it is filtered. */
const countOf = async (
  wanted: Wanted,
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
): Promise<number> =>
  isFiltered(query)
    ? countFound(wanted)
    : Number((await countedIn(actor, clientId, parentIds).executeTakeFirstOrThrow()).total);

/** Counts these documents, up to {@link MAX_FOUND}. */
async function countFound(wanted: Wanted): Promise<number> {
  const found = db().selectFrom(wanted.clearSelect().select('documents.seq').limit(MAX_FOUND).as('found'));
  return Number(
    (await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total,
  );
}

/**
 * The ids of the newest documents of a client with `<key>:<value>` in their metadata, including deleted ones.
 */
function newestNotedAs(clientId: string, field: string) {
  const [key = '', ...value] = field.split(':');
  return db()
    .selectFrom('item_metadata')
    .select('item_metadata.document_id')
    .where('client_id', '=', clientId)
    .where('meta_key', '=', key)
    .where('meta_value', '=', value.join(':'))
    .orderBy('document_created_at', 'desc')
    .limit(MAX_FOUND);
}

/** Encodes the end of a page in this order, so that the next one continues there however far down it is. */
export const cursorOf = (row: ListedDocument, orderBy: DocumentQuery['orderBy']): string =>
  Buffer.from(
    JSON.stringify([
      { createdDate: row.created_at, name: row.name_key, originalItemSize: row.size }[orderBy],
      row.document_id,
    ]),
  ).toString('base64url');

const cursor = z.tuple([z.union([z.string(), z.number()]), z.string()]);

/** Decodes a {@link cursorOf}; undefined for one of another order, and the page is then found by counting. */
function cursorFrom(
  after: string | undefined,
  orderBy: DocumentQuery['orderBy'],
): { value: string | number; id: string } | undefined {
  if (after === undefined) return undefined;
  try {
    const [value, id] = cursor.parse(JSON.parse(Buffer.from(after, 'base64url').toString('utf8')));
    return typeof value === (orderBy === 'name' ? 'string' : 'number') ? { value, id } : undefined;
  } catch {
    return undefined; // somebody changed the URL
  }
}
