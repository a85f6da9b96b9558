import { documentsDeleted } from '#features/documents/documents/events.server.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { when } from '#platform/runtime/events.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { documentsAnnounced } from './events.server.ts';

/** What contacts are told of documents; staff have them in their inbox. */
export const notificationKinds: Contributions['notifications'] = {
  'documents-published': {
    push: 'documents',
    text: text('notifications', 'documentsPublished'),
    icon: 'file-text',
    page: ({ target, count }) => (count === 1 ? `documents/${target}` : 'documents'),
    sources: [
      when(documentsAnnounced, async ({ companyId, documentIds, byStaff }) => {
        const documents = byStaff ? await documentsNamedBy(documentIds) : [];
        const clientId = documents[0]?.client_id;
        if (clientId === undefined) return undefined;
        const readers = await readersOf(companyId, clientId, 'contacts');
        return {
          add: {
            companyId,
            clientId,
            contactIds: await withoutReadersOfAll(documentIds, readers),
            key: clientId,
            things: documents.map((row) => ({ target: row.document_id, name: row.name })),
          },
        };
      }),
      when(documentsDeleted, ({ documentIds }) => ({ resolve: documentIds })),
    ],
  },
};

async function documentsNamedBy(documentIds: readonly string[]) {
  const rows = [];
  for (const some of inBatches(documentIds))
    rows.push(
      ...(await db()
        .selectFrom('documents')
        .select(['document_id', 'name', 'client_id'])
        .where('document_id', 'in', some)
        .where('deleted_at', 'is', null)
        .execute()),
    );
  return rows;
}

/** Published documents are announced some minutes later: who has opened all of them knows. */
async function withoutReadersOfAll(
  documentIds: readonly string[],
  readers: readonly { contactId: string }[],
): Promise<string[]> {
  const counts = new Map<string, number>();
  const ids = readers.map(({ contactId }) => contactId);
  for (const some of inBatches(ids.length > 0 ? documentIds : []))
    for (const row of await db()
      .selectFrom('document_reads')
      .select((e) => ['contact_id', e.fn.countAll<number>().as('count')])
      .where('contact_id', 'in', ids)
      .where('document_id', 'in', some)
      .groupBy('contact_id')
      .execute())
      counts.set(row.contact_id, (counts.get(row.contact_id) ?? 0) + Number(row.count));
  return ids.filter((id) => (counts.get(id) ?? 0) < documentIds.length);
}
