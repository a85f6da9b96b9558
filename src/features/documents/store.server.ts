import { sql, type ExpressionBuilder } from 'kysely';
import { z } from 'zod';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import { db, fold, inPieces, seqsNamed } from '#platform/database.server.ts';
import type { Tables } from '#platform/schema.server.ts';
import type { DocumentQuery } from './documents.ts';

/** Libraries of the firm and of its staff: no part of this portal (spec 1 section 6). */
const LIBRARIES = ['firmTaxAndAccountingLibrary', 'myTaxAndAccountingLibraries'];
const inNoLibrary = (e: ExpressionBuilder<Tables, 'containers'>) => e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]);

/** The containers of the clients that the actor may act for. */
export const containersOf = (actor: Actor) => db().selectFrom('containers').selectAll('containers').where('containers.client_id', 'in', clientIdsOf(actor)).where(inNoLibrary);

/** The same with what a list shows of them: who made each, and whether folders are in it. */
export const listedContainersOf = (actor: Actor) =>
  containersOf(actor)
    .leftJoin('contacts', 'contacts.contact_id', 'containers.created_by')
    .select((e) => [
      'contacts.full_name as created_by_name',
      e.exists(e.selectFrom('containers as inner').select('inner.container_id').whereRef('inner.parent_id', '=', 'containers.container_id')).as('has_folders'),
    ]);

export type ListedContainerRow = Awaited<ReturnType<ReturnType<typeof listedContainersOf>['execute']>>[number];
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

/** The documents that the actor may see, each with its container, who handed it in, and whether a client's person has read it. */
export const documentsOf = (actor: Actor) =>
  db()
    .selectFrom('documents')
    .innerJoin('containers', 'containers.container_id', 'documents.container_id')
    .innerJoin('contacts', 'contacts.contact_id', 'documents.created_by')
    .where('documents.client_id', 'in', clientIdsOf(actor))
    .where('documents.deleted_at', 'is', null)
    .where((e) => e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]))
    .selectAll('documents')
    .select((e) => [
      'containers.container_type',
      'containers.name as container_name',
      'contacts.full_name as created_by_name',
      readBy(e, actor).as('is_read'),
      e.exists(e.selectFrom('item_metadata').select('item_metadata.meta_key').whereRef('item_metadata.document_id', '=', 'documents.document_id')).as('has_metadata'),
      e.exists(e.selectFrom('item_locks').select('item_locks.level').whereRef('item_locks.item_id', '=', 'documents.document_id').where('item_locks.kind', '=', 'Read').where('item_locks.level', '=', 'Master')).as('is_locked'),
    ]);

export type DocumentRow = Awaited<ReturnType<ReturnType<typeof documentsOf>['execute']>>[number];

/** The documents with these ids that the actor may see, each once and in the order of the ids; the others are left out. */
export async function documentsNamed(actor: Actor, ids: readonly string[]): Promise<DocumentRow[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await documentsOf(actor).where('documents.document_id', 'in', ids).execute()).map((row) => [row.document_id, row]));
  return [...new Set(ids)].flatMap((id) => rows.get(id) ?? []);
}

/** Notes that a contact has read documents; when they did first stays. */
export async function markRead(actor: Actor, documentIds: readonly string[]): Promise<void> {
  const reads = documentIds.map((id) => ({ document_id: id, contact_id: actor.contactId, read_at: now() }));
  for (const some of inPieces(reads)) {
    await db()
      .insertInto('document_reads')
      .values(some)
      .onConflict((conflict) => conflict.columns(['document_id', 'contact_id']).doNothing())
      .execute();
  }
}

/** Takes back that a contact has read documents. */
export async function markUnread(actor: Actor, documentIds: readonly string[]): Promise<void> {
  for (const some of inPieces(documentIds)) await db().deleteFrom('document_reads').where('contact_id', '=', actor.contactId).where('document_id', 'in', some).execute();
}

const COLUMNS = { createdDate: 'documents.created_at', name: 'documents.name_key', originalItemSize: 'documents.size' } as const;

/** Narrowed lists are counted, and searched, to this many. */
const MOST_FOUND = 1000;

/** One page of a client's documents: all of them, or those in some containers. `total` is exact, but ends at {@link MOST_FOUND} where the list is narrowed by name or reading. */
export async function pageOfDocuments(actor: Actor, clientId: string, parentIds: readonly string[] | undefined, query: DocumentQuery): Promise<{ rows: DocumentRow[]; total: number }> {
  const words = query.name === undefined ? [] : (fold(query.name).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
  const isNamed = words.length > 0;
  if (query.name !== undefined && !isNamed) return { rows: [], total: 0 };
  const field = query.customFields?.startsWith('clientId:') ? undefined : query.customFields;
  const isSought = isNamed || field !== undefined;
  const wanted = documentsOf(actor)
    // What was found by its name or metadata is fetched by its number or id: said like this, no database is tempted to read the client's whole list in order instead.
    .where(isSought ? sql<boolean>`documents.client_id || '' = ${clientId}` : sql<boolean>`documents.client_id = ${clientId}`)
    .$if(isNamed, (documents) => documents.where(sql<boolean>`documents.seq in (${seqsNamed(clientId, words, MOST_FOUND)})`))
    .$if(field !== undefined, (documents) => documents.where('documents.document_id', 'in', newestNotedAs(clientId, field ?? '')))
    .$if(parentIds !== undefined, (documents) => documents.where(isSought ? sql`documents.container_id || ''` : 'documents.container_id', 'in', parentIds ?? []))
    .$if(query.readByClientUser !== undefined, (documents) => documents.where((e) => (query.readByClientUser ? readBy(e, actor) : e.not(readBy(e, actor)))));
  const isNarrowed = isSought || query.readByClientUser !== undefined;
  const found = db().selectFrom(wanted.clearSelect().select('documents.seq').limit(MOST_FOUND).as('found'));
  const total = isNarrowed ? Number((await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total) : await countedIn(actor, clientId, parentIds);
  const column = COLUMNS[query.orderBy];
  const after = cursorFrom(query.after, query.orderBy);
  const rows = await wanted
    .$if(after !== undefined, (documents) => documents.where(sql<boolean>`(${sql.ref(column)}, documents.document_id) ${query.orderDir === 'asc' ? sql`>` : sql`<`} (${after?.value}, ${after?.id})`))
    .orderBy(column, query.orderDir)
    .orderBy('documents.document_id', query.orderDir)
    .limit(query.pageSize)
    .$if(after === undefined, (documents) => documents.offset(query.from))
    .execute();
  return { rows, total };
}

/** The ids of the newest documents of a client with `<key>:<value>` in their metadata; of deleted ones too. */
function newestNotedAs(clientId: string, field: string) {
  const [key = '', ...value] = field.split(':');
  return db().selectFrom('item_metadata').select('item_metadata.document_id').where('client_id', '=', clientId).where('meta_key', '=', key).where('meta_value', '=', value.join(':')).orderBy('document_created_at', 'desc').limit(MOST_FOUND);
}

/** How many documents lie in a client's containers, as the database itself counts them. */
async function countedIn(actor: Actor, clientId: string, parentIds: readonly string[] | undefined): Promise<number> {
  const { total } = await db()
    .selectFrom('containers')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('document_count'), e.lit(0)).as('total'))
    .where('client_id', '=', clientId)
    .where('client_id', 'in', clientIdsOf(actor))
    .where(inNoLibrary)
    .$if(parentIds !== undefined, (containers) => containers.where('container_id', 'in', parentIds ?? []))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Where a page of this order ends, so that the next one begins there however far down it is. */
export const cursorOf = (row: DocumentRow, orderBy: DocumentQuery['orderBy']): string =>
  Buffer.from(JSON.stringify([{ createdDate: row.created_at, name: row.name_key, originalItemSize: row.size }[orderBy], row.document_id])).toString('base64url');

const cursor = z.tuple([z.union([z.string(), z.number()]), z.string()]);

/** What {@link cursorOf} wrote; undefined for what is none of this order, and the page is then found by counting. */
function cursorFrom(after: string | undefined, orderBy: DocumentQuery['orderBy']): { value: string | number; id: string } | undefined {
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
