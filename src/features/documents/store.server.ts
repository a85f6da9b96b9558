import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';
import type { DocumentQuery } from './documents.ts';

/** The containers of the clients that the actor may act for. */
export const containersOf = (actor: Actor) => db().selectFrom('containers').selectAll('containers').where('containers.client_id', 'in', clientIdsOf(actor));

export type ContainerRow = Awaited<ReturnType<ReturnType<typeof containersOf>['execute']>>[number];

/** The documents that the actor may see, each with its container, who handed it in, and whether a client's person has read it. */
export const documentsOf = (actor: Actor) =>
  db()
    .selectFrom('documents')
    .innerJoin('containers', 'containers.container_id', 'documents.container_id')
    .innerJoin('contacts', 'contacts.contact_id', 'documents.created_by')
    .where('documents.client_id', 'in', clientIdsOf(actor))
    .where('documents.deleted_at', 'is', null)
    .selectAll('documents')
    .select((e) => [
      'containers.container_type',
      'containers.name as container_name',
      'contacts.full_name as created_by_name',
      e
        .exists(
          e
            .selectFrom('document_reads')
            .select('document_reads.read_at')
            .whereRef('document_reads.document_id', '=', 'documents.document_id')
            .$if(!actor.staff, (reads) => reads.where('document_reads.contact_id', '=', actor.contactId)),
        )
        .as('is_read'),
    ]);

export type DocumentRow = Awaited<ReturnType<ReturnType<typeof documentsOf>['execute']>>[number];

const COLUMNS = { createdDate: 'documents.created_at', name: 'documents.name_key', originalItemSize: 'documents.size' } as const;

export async function pageOfDocuments(actor: Actor, clientId: string, parentIds: string[] | undefined, query: DocumentQuery): Promise<{ rows: DocumentRow[]; total: number }> {
  const { total } = await db()
    .selectFrom('containers')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('document_count'), e.lit(0)).as('total'))
    .where('client_id', '=', clientId)
    .where('client_id', 'in', clientIdsOf(actor))
    .$if(parentIds !== undefined, (containers) => containers.where('container_id', 'in', parentIds ?? []))
    .executeTakeFirstOrThrow();
  const rows = await documentsOf(actor)
    .where('documents.client_id', '=', clientId)
    .$if(parentIds !== undefined, (documents) => documents.where('documents.container_id', 'in', parentIds ?? []))
    .orderBy(COLUMNS[query.orderBy], query.orderDir)
    .orderBy('documents.document_id', query.orderDir)
    .limit(query.pageSize)
    .offset(query.from)
    .execute();
  return { rows, total: Number(total) };
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
