import { sql, type ExpressionBuilder, type SelectQueryBuilder } from 'kysely';
import { z } from 'zod';
import { isOfOwnClient } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { db, documentSeqsByName, fold, inBatches, wordsOf } from '#platform/database.server.ts';
import type { Tables } from '#platform/schema.server.ts';
import type { DocumentQuery } from './documents.ts';

/** Libraries of the firm and of its staff: no part of this portal (spec 1 section 6). */
const LIBRARIES = ['firmTaxAndAccountingLibrary', 'myTaxAndAccountingLibraries'];
const inNoLibrary = (e: ExpressionBuilder<Tables, 'containers'>) =>
  e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]);

/** The containers of the clients that the actor may act for. */
export const containersOf = (actor: Actor) =>
  db()
    .selectFrom('containers')
    .selectAll('containers')
    .where(isOfOwnClient(actor, 'containers.client_id'))
    .where(inNoLibrary);

/** The same with what a list shows of them: who made each, and whether folders are in it. */
export const listedContainersOf = (actor: Actor) =>
  containersOf(actor)
    .leftJoin('contacts', 'contacts.contact_id', 'containers.created_by')
    .select((e) => [
      'contacts.full_name as created_by_name',
      e
        .exists(
          e
            .selectFrom('containers as inner')
            .select('inner.container_id')
            .whereRef('inner.parent_id', '=', 'containers.container_id'),
        )
        .as('has_folders'),
    ]);

export type ListedContainerRow = Awaited<
  ReturnType<ReturnType<typeof listedContainersOf>['execute']>
>[number];
export type ContainerRow = Awaited<ReturnType<ReturnType<typeof containersOf>['execute']>>[number];

/** Whether the contact has read a document; for staff, whether anybody of the client has. */
const readBy = (e: ExpressionBuilder<Tables, 'documents'>, actor: Actor) =>
  e.exists(
    e
      .selectFrom('document_reads')
      .select('document_reads.read_at')
      .whereRef('document_reads.document_id', '=', 'documents.document_id')
      .$if(!actor.staff, (reads) => reads.where('document_reads.contact_id', '=', actor.contactId)),
  );

/**
 * The documents that the actor may see, each with its container, who handed it in, and whether a client's
 * person has read it.
 */
export const documentsOf = (actor: Actor) =>
  db()
    .selectFrom('documents')
    .innerJoin('containers', 'containers.container_id', 'documents.container_id')
    .innerJoin('contacts', 'contacts.contact_id', 'documents.created_by')
    .where(isOfOwnClient(actor, 'documents.client_id'))
    .where('documents.deleted_at', 'is', null)
    .where((e) =>
      e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]),
    )
    .selectAll('documents')
    .select((e) => [
      'containers.container_type',
      'containers.name as container_name',
      'containers.product_type as container_product_type',
      'contacts.full_name as created_by_name',
      readBy(e, actor).as('is_read'),
      e
        .exists(
          e
            .selectFrom('item_metadata')
            .select('item_metadata.meta_key')
            .whereRef('item_metadata.document_id', '=', 'documents.document_id'),
        )
        .as('has_metadata'),
      e
        .exists(
          e
            .selectFrom('item_locks')
            .select('item_locks.level')
            .whereRef('item_locks.item_id', '=', 'documents.document_id')
            .where('item_locks.kind', '=', 'Read')
            .where('item_locks.level', '=', 'Master'),
        )
        .as('is_locked'),
    ]);

export type DocumentRow = Awaited<ReturnType<ReturnType<typeof documentsOf>['execute']>>[number];

/**
 * The documents with these ids that the actor may see, each once and in the order of the ids; the others are
 * left out.
 */
export async function documentsNamed(actor: Actor, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return [];
  const rows = new Map(
    (await documentsOf(actor).where('documents.document_id', 'in', ids).execute()).map((row) => [
      row.document_id,
      row,
    ]),
  );
  return [...new Set(ids)].flatMap((id) => rows.get(id) ?? []);
}

/** Notes that a contact has read documents; when they did first stays. */
export async function markRead(actor: Actor, documentIds: readonly string[]): Promise<void> {
  const reads = documentIds.map((id) => ({ document_id: id, contact_id: actor.contactId, read_at: now() }));
  for (const some of inBatches(reads)) {
    await db()
      .insertInto('document_reads')
      .values(some)
      .onConflict((conflict) => conflict.columns(['document_id', 'contact_id']).doNothing())
      .execute();
  }
}

/** Whether a contact has not read a document; false for staff, also while they view as a contact. */
export async function hasNotRead(actor: Actor, documentId: string): Promise<boolean> {
  if (actor.staff || actor.viewedBy !== undefined) return false;
  const read = await db()
    .selectFrom('document_reads')
    .select('read_at')
    .where('document_id', '=', documentId)
    .where('contact_id', '=', actor.contactId)
    .executeTakeFirst();
  return read === undefined;
}

/** Takes back that a contact has read documents. */
export async function markUnread(actor: Actor, documentIds: readonly string[]): Promise<void> {
  for (const some of inBatches(documentIds))
    await db()
      .deleteFrom('document_reads')
      .where('contact_id', '=', actor.contactId)
      .where('document_id', 'in', some)
      .execute();
}

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

/** How many documents lie in a client's containers, as the database itself counts them. */
async function countedIn(
  actor: Actor,
  clientId: string,
  parentIds: readonly string[] | undefined,
): Promise<number> {
  const { total } = await db()
    .selectFrom('containers')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('document_count'), e.lit(0)).as('total'))
    .where('client_id', '=', clientId)
    .where(isOfOwnClient(actor, 'containers.client_id'))
    .where(inNoLibrary)
    .$if(parentIds !== undefined, (containers) => containers.where('container_id', 'in', parentIds ?? []))
    .executeTakeFirstOrThrow();
  return Number(total);
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

/** Which of these folded names are taken in a container. */
export async function namesTaken(containerId: string, nameKeys: string[]): Promise<Set<string>> {
  if (nameKeys.length === 0) return new Set();
  const rows = await db()
    .selectFrom('documents')
    .select('name_key')
    .where('container_id', '=', containerId)
    .where('deleted_at', 'is', null)
    .where('name_key', 'in', nameKeys)
    .execute();
  return new Set(rows.map((row) => row.name_key));
}
