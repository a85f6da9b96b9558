import { sql, type SelectQueryBuilder } from 'kysely';
import { z } from 'zod';
import { countedIn } from '#features/folders/counts.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, documentSeqsByName, fold, wordsOf } from '#platform/database.server.ts';
import type { Tables } from '#platform/schema.server.ts';
import type { DocumentQuery } from '../documents.ts';
import { documentsOf, readBy, type DocumentRow } from '../scope.server.ts';

const COLUMNS = {
  createdDate: 'documents.created_at',
  name: 'documents.name_key',
  originalItemSize: 'documents.size',
} as const;

/** Narrowed lists are counted, and searched, to this many. */
const MAX_FOUND = 1000;

/**
 * One page of a client's documents: all of them, or those in some containers. `total` is exact, but ends at
 * {@link MAX_FOUND} where the list is narrowed by name or reading.
 */
export async function pageOfDocuments(
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
): Promise<{ rows: DocumentRow[]; total: number }> {
  const words = query.name === undefined ? [] : wordsOf(fold(query.name));
  const isNamed = words.length > 0;
  if (query.name !== undefined && !isNamed) return { rows: [], total: 0 };
  const field = query.customFields?.startsWith('clientId:') ? undefined : query.customFields;
  const isUnread = query.readByClientUser === false && (await hasFewUnread(actor, clientId));
  const isSought = isNamed || field !== undefined || isUnread;
  const wanted = documentsOf(actor)
    // What was found by its name or metadata is fetched by its number or id: said like this, no database is
    // tempted to read the client's whole list in order instead.
    .where(
      isSought
        ? sql<boolean>`documents.client_id || '' = ${clientId}`
        : sql<boolean>`documents.client_id = ${clientId}`,
    )
    .$if(isNamed, (documents) =>
      documents.where(sql<boolean>`documents.seq in (${documentSeqsByName(clientId, words, MAX_FOUND)})`),
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
    );
  if (isSought) return pageOfFound(actor, wanted, query);
  return {
    rows: await inOrder(wanted, query).execute(),
    total: await countOf(wanted, actor, clientId, parentIds, query),
  };
}

/**
 * What the contact has not read of a client; for staff, what nobody has. Triggers
 * maintain it (src/migrations/0026-unread.server.ts).
 */
const unreadOf = (actor: Actor, clientId: string) =>
  sql`select document_id from unread where contact_id = ${actor.staff ? '' : actor.contactId} and client_id = ${clientId}`;

/**
 * Whether these are few, so that they are fetched; of many, those of a page soon come along in the order of
 * the list.
 */
async function hasFewUnread(actor: Actor, clientId: string): Promise<boolean> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (${unreadOf(actor, clientId)} limit ${MAX_FOUND}) as unread`.execute(db());
  return Number(rows[0]?.count) < MAX_FOUND;
}

type Wanted = ReturnType<typeof documentsOf>;

/**
 * What was searched for is found once, at most {@link MAX_FOUND}: the page is cut from it, and the count is
 * its length.
 */
async function pageOfFound(
  actor: Actor,
  wanted: Wanted,
  query: DocumentQuery,
): Promise<{ rows: DocumentRow[]; total: number }> {
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
        : await ordered(documentsOf(actor).where('documents.seq', 'in', seqs), query).execute(),
    total: found.length,
  };
}

const ordered = <Row>(
  documents: SelectQueryBuilder<Tables, 'documents' | 'containers' | 'contacts', Row>,
  { orderBy, orderDir }: DocumentQuery,
) => documents.orderBy(COLUMNS[orderBy], orderDir).orderBy('documents.document_id', orderDir);

/** One page in the order that was asked for, which an index has. */
function inOrder(wanted: Wanted, query: DocumentQuery): Wanted {
  const beyond = beyondCursor(query);
  return ordered(wanted, query)
    .limit(query.pageSize)
    .$if(beyond !== undefined, (documents) => documents.where(beyond ?? sql<boolean>`1 = 1`))
    .$if(beyond === undefined, (documents) => documents.offset(query.from));
}

/**
 * Whether a document comes after the one that the page before ended with; undefined where no page is named.
 */
function beyondCursor({ after, orderBy, orderDir }: DocumentQuery) {
  const last = cursorFrom(after, orderBy);
  return (
    last &&
    sql<boolean>`(${sql.ref(COLUMNS[orderBy])}, documents.document_id) ${orderDir === 'asc' ? sql`>` : sql`<`} (${last.value}, ${last.id})`
  );
}

/**
 * How many there are: as the containers count them, or where the list is narrowed by reading at most {@link
 * MAX_FOUND}.
 */
async function countOf(
  wanted: Wanted,
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
  query: DocumentQuery,
): Promise<number> {
  if (query.readByClientUser === undefined) return countedIn(actor, clientId, parentIds);
  const found = db().selectFrom(wanted.clearSelect().select('documents.seq').limit(MAX_FOUND).as('found'));
  return Number(
    (await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total,
  );
}

/**
 * The ids of the newest documents of a client with `<key>:<value>` in their metadata; of deleted ones too.
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

/** Where a page of this order ends, so that the next one begins there however far down it is. */
export const cursorOf = (row: DocumentRow, orderBy: DocumentQuery['orderBy']): string =>
  Buffer.from(
    JSON.stringify([
      { createdDate: row.created_at, name: row.name_key, originalItemSize: row.size }[orderBy],
      row.document_id,
    ]),
  ).toString('base64url');

const cursor = z.tuple([z.union([z.string(), z.number()]), z.string()]);

/**
 * What {@link cursorOf} wrote; undefined for what is none of this order, and the page is then found by
 * counting.
 */
function cursorFrom(
  after: string | undefined,
  orderBy: DocumentQuery['orderBy'],
): { value: string | number; id: string } | undefined {
  if (after === undefined) return undefined;
  try {
    const [value, id] = cursor.parse(JSON.parse(Buffer.from(after, 'base64url').toString('utf8')));
    return typeof value === (orderBy === 'name' ? 'string' : 'number') ? { value, id } : undefined;
  } catch {
    return undefined; // somebody changed the address
  }
}
