import { sql, type ExpressionBuilder, type SelectQueryBuilder } from 'kysely';
import { isForReader } from '#features/documents/folders/audiences.server.ts';
import { LIBRARIES } from '#features/documents/folders/scope.server.ts';
import { isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { isWithFirm } from './unsubmitted.server.ts';

/** The reads of a document by the contact; for staff, by any contact of the client. */
const readsBy = (e: ExpressionBuilder<Tables, 'documents'>, actor: Actor) =>
  e
    .selectFrom('document_reads')
    .select('document_reads.read_at')
    .whereRef('document_reads.document_id', '=', 'documents.document_id')
    .$if(!actor.staff, (reads) => reads.where('document_reads.contact_id', '=', actor.contactId));

/** Whether the contact has read a document; for staff, whether any contact of the client has. */
export const readBy = (e: ExpressionBuilder<Tables, 'documents'>, actor: Actor) =>
  e.exists(readsBy(e, actor));

/**
 * Whether there are such rows, as a column of a list. PostgreSQL plans a column for all rows of a list, not for those of
 * a page, and would first collect all that exist; with an offset it looks up each.
 */
const hasAny = <Database, Table extends keyof Database, Row>(
  e: ExpressionBuilder<Tables, Joined>,
  rows: SelectQueryBuilder<Database, Table, Row>,
) => e.exists(rows.limit(sql.lit(1)).offset(sql.lit(0)));

/** The documents that the actor may see. */
const visibleTo = (actor: Actor) =>
  db()
    .selectFrom('documents')
    .innerJoin('containers', 'containers.container_id', 'documents.container_id')
    .innerJoin('contacts', 'contacts.contact_id', 'documents.created_by')
    .where(isOfOwnClient(actor, 'documents.client_id'))
    .where('documents.deleted_at', 'is', null)
    .where((e) =>
      e.or([e('containers.product_type', 'is', null), e('containers.product_type', 'not in', LIBRARIES)]),
    )
    .$if(actor.staff, (documents) => documents.where(isWithFirm))
    .$if(!actor.staff, (documents) => documents.where(isForReader(actor)));

/** The columns about their container, their uploader, and whether a contact of the client has read them. */
const contextColumnsOf = (actor: Actor) => (e: ExpressionBuilder<Tables, Joined>) =>
  [
    'containers.container_type',
    'containers.name as container_name',
    'containers.product_type as container_product_type',
    'contacts.full_name as created_by_name',
    e
      .selectFrom('document_senders')
      .select('document_senders.sent_by')
      .whereRef('document_senders.document_id', '=', 'documents.document_id')
      .as('sent_by'),
    hasAny(e, readsBy(e, actor)).as('is_read'),
    hasAny(
      e,
      e
        .selectFrom('item_metadata')
        .select('item_metadata.meta_key')
        .whereRef('item_metadata.document_id', '=', 'documents.document_id'),
    ).as('has_metadata'),
    hasAny(
      e,
      e
        .selectFrom('blobs')
        .select('blobs.damaged_at')
        .whereRef('blobs.blob_key', '=', 'documents.blob_key')
        .where('blobs.damaged_at', 'is not', null),
    ).as('is_damaged'),
    hasAny(
      e,
      e
        .selectFrom('item_locks')
        .select('item_locks.level')
        .whereRef('item_locks.item_id', '=', 'documents.document_id')
        .where('item_locks.kind', '=', 'Read')
        .where('item_locks.level', '=', 'Master'),
    ).as('is_locked'),
  ] as const;

type Joined = 'documents' | 'containers' | 'contacts';

/**
 * The documents that the actor may see, each with its container, its uploader, and whether a contact of the
 * client has read it.
 */
export const documentsOf = (actor: Actor) =>
  visibleTo(actor).selectAll('documents').select(contextColumnsOf(actor));

/** The same for lists, which have a hundred of them: only the columns that they show. */
export const listedDocumentsOf = (actor: Actor) =>
  visibleTo(actor)
    .select([
      'documents.document_id',
      'documents.client_id',
      'documents.container_id',
      'documents.name',
      'documents.name_key',
      'documents.mime_type',
      'documents.size',
      'documents.sha256',
      'documents.created_by',
      'documents.uploaded_by_staff',
      'documents.created_at',
      'documents.modified_at',
      'documents.scan',
      'documents.answer_state',
      'documents.comments_count',
    ])
    .select(contextColumnsOf(actor));

export type ListedDocument = Awaited<ReturnType<ReturnType<typeof listedDocumentsOf>['execute']>>[number];

export type DocumentRow = Awaited<ReturnType<ReturnType<typeof documentsOf>['execute']>>[number];

/**
 * Loads the documents with these ids that the actor may see, each once and in the order of the ids; others
 * are omitted.
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
