import { audit } from '#platform/security/audit.server.ts';
import { db } from '#platform/database/database.server.ts';
import { documentDamaged, documentRepaired } from './events.server.ts';

/* What follows when the stored bytes of a document are found damaged, or can be read again. */

const documentWith = (key: string) =>
  db()
    .selectFrom('documents')
    .select(['document_id', 'company_id', 'client_id', 'container_id', 'name', 'deleted_at'])
    .where('blob_key', '=', key)
    .where('purged_at', 'is', null)
    .executeTakeFirst();

/** Audits that a document is damaged, and announces it unless it is in the trash. */
export async function noteDamaged({ key }: { key: string }): Promise<void> {
  const row = await documentWith(key);
  if (!row) return;
  await audit({
    companyId: row.company_id,
    actor: 'portal',
    action: 'document.damage',
    target: row.document_id,
    clientId: row.client_id,
  });
  if (row.deleted_at !== null) return;
  await documentDamaged.announce({
    documentId: row.document_id,
    companyId: row.company_id,
    clientId: row.client_id,
    containerId: row.container_id,
    name: row.name,
  });
}

/** Announces that a document can be read again. */
export async function noteRepaired({ key }: { key: string }): Promise<void> {
  const row = await documentWith(key);
  if (row) await documentRepaired.announce({ documentId: row.document_id });
}
