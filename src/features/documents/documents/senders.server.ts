import { db, inBatches } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';

interface Row {
  document_id: string;
  sent_by: string | null;
  created_by_name: string;
}

/** Who added a document: a contact or staff, or a person without an account and the contact who had asked them. */
export const senderOf = ({
  document_id: id,
  sent_by: sentBy,
  created_by_name: name,
}: Row): { createdBy: string; askedBy?: string } =>
  sentBy === null
    ? { createdBy: name }
    : { createdBy: decryptFrom('document_senders.sent_by', id, sentBy), askedBy: name };

/** A person without an account who sent a document, and the contact who had asked them. */
export interface Sender {
  who: string;
  askedBy: string;
}

/** The senders of documents, by document; those that a contact or staff added have none. */
export async function sendersOf(documentIds: readonly string[]): Promise<Map<string, Sender>> {
  const senders = new Map<string, Sender>();
  for (const some of inBatches(documentIds)) {
    const rows = await db()
      .selectFrom('document_senders')
      .innerJoin('documents', 'documents.document_id', 'document_senders.document_id')
      .innerJoin('contacts', 'contacts.contact_id', 'documents.created_by')
      .select(['documents.document_id', 'sent_by', 'full_name'])
      .where('document_senders.document_id', 'in', some)
      .execute();
    for (const { document_id: id, sent_by: sentBy, full_name: askedBy } of rows)
      senders.set(id, { who: decryptFrom('document_senders.sent_by', id, sentBy), askedBy });
  }
  return senders;
}
