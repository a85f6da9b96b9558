import { sql } from 'kysely';
import { db } from '#platform/database/database.server.ts';

/** What triggers maintain, compared with what it is made from; a sentence for each fault. */
export const verifyDocuments = async (): Promise<string[]> => [
  ...(await countFaults()).map((id) => `${id} has a wrong document count`),
  ...(await unreadFaults()).map((id) => `the unread marks of ${id} are wrong`),
];

async function countFaults(): Promise<string[]> {
  const { rows } = await sql<{ container_id: string }>`
    select container_id from containers where document_count <>
      (select count(*) from documents where documents.container_id = containers.container_id and deleted_at is null)`.execute(
    db(),
  );
  return rows.map((row) => row.container_id);
}

/** What `unread` must contain; what nobody has read is there for staff, with an empty contact id. */
const unreadDefinition = sql`
  select documents.document_id, client_contacts.contact_id, documents.client_id, documents.created_at
  from documents join client_contacts on client_contacts.client_id = documents.client_id
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id and document_reads.contact_id = client_contacts.contact_id)
  union all
  select documents.document_id, '' as contact_id, documents.client_id, documents.created_at
  from documents
  where documents.deleted_at is null and not exists
    (select 1 from document_reads where document_reads.document_id = documents.document_id)`;

/** The documents whose rows in `unread` differ from the recorded reads. */
async function unreadFaults(): Promise<string[]> {
  const unread = sql`select document_id, contact_id, client_id, created_at from unread`;
  const { rows } = await sql<{ document_id: string }>`
    select document_id from (${unreadDefinition} except ${unread}) as missing
    union select document_id from (${unread} except select * from (${unreadDefinition}) as meant) as false_ones`.execute(
    db(),
  );
  return rows.map((row) => row.document_id);
}
