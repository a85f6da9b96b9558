import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { ownBatch } from './batches.server.ts';

/** Somebody who has opened or downloaded a file of a published batch. `name` is null for the recipient of a link. */
export interface Opening {
  documentId: string;
  file: string;
  client: string;
  name: string | null;
  kind: 'opened' | 'downloaded';
  /** ISO 8601 in UTC. */
  date: string;
}

const MAX_LISTED = 200;

/** Lists which files of a batch somebody of the clients has opened or downloaded, the newest first, at most 200. */
export async function openingsOf(actor: Actor, batchId: string): Promise<Opening[]> {
  await ownBatch(actor, batchId);
  const files = () =>
    db()
      .selectFrom('publish_files')
      .innerJoin('documents', 'documents.document_id', 'publish_files.document_id')
      .innerJoin('clients', 'clients.client_id', 'documents.client_id')
      .where('publish_files.batch_id', '=', batchId)
      .select(['documents.document_id', 'publish_files.name as file', 'clients.name as client']);
  const reads = await files()
    .innerJoin('document_reads', 'document_reads.document_id', 'documents.document_id')
    .innerJoin('contacts', 'contacts.contact_id', 'document_reads.contact_id')
    .where('contacts.staff', '=', 0)
    .select(['contacts.full_name as name', 'document_reads.read_at as at'])
    .orderBy('document_reads.read_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  const downloads = await files()
    .innerJoin('receipts', 'receipts.document_id', 'documents.document_id')
    .leftJoin('contacts', 'contacts.contact_id', 'receipts.actor')
    .where('receipts.kind', '=', 'download')
    .where((e) => e.or([e('contacts.staff', 'is', null), e('contacts.staff', '=', 0)]))
    .select(['contacts.full_name as name', 'receipts.at'])
    .orderBy('receipts.at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  return [
    ...downloads.map((row) => ({ ...row, kind: 'downloaded' as const })),
    ...reads.map((row) => ({ ...row, kind: 'opened' as const })),
  ]
    .toSorted((a, b) => Number(b.at) - Number(a.at))
    .map(({ document_id: documentId, at, ...row }) => ({
      ...row,
      documentId,
      date: new Date(Number(at)).toISOString(),
    }))
    .slice(0, MAX_LISTED);
}
