import { db } from '#platform/database/database.server.ts';
import { settle } from './settling.server.ts';

/** Unites the archives of two clients, in the transaction that merges them: what both have is there once. */
export async function followMergedClient({
  companyId,
  from,
  into,
}: {
  companyId: string;
  from: string;
  into: string;
}): Promise<void> {
  await uniteFiles(from, into);
  const keys = await uniteDocuments(from, into);
  for (const table of ['fiscal_events', 'fiscal_voids'] as const)
    await db().updateTable(table).set({ client_id: into }).where('client_id', '=', from).execute();
  // the counts of a month are others now, and the switch is that of the other client
  for (const table of ['fiscal_month_checks', 'fiscal_clients'] as const)
    await db().deleteFrom(table).where('client_id', '=', from).execute();
  await settle(companyId, [...keys]);
}

/** Files that both have are known once; their documents and events then name the other client's. */
async function uniteFiles(from: string, into: string): Promise<void> {
  const same = await db()
    .selectFrom('fiscal_files as own')
    .innerJoin('fiscal_files as other', 'other.sha256', 'own.sha256')
    .select(['own.file_id as old', 'other.file_id as kept'])
    .where('own.client_id', '=', from)
    .where('other.client_id', '=', into)
    .execute();
  for (const { old, kept } of same) {
    // what the same bytes contain is there already
    await db().deleteFrom('fiscal_events').where('file_id', '=', old).execute();
    await db().deleteFrom('fiscal_voids').where('file_id', '=', old).execute();
    await db().updateTable('fiscal_copies').set({ file_id: kept }).where('file_id', '=', old).execute();
    await db().updateTable('fiscal_documents').set({ file_id: kept }).where('file_id', '=', old).execute();
    await db().deleteFrom('fiscal_files').where('file_id', '=', old).execute();
  }
  await db().updateTable('fiscal_files').set({ client_id: into }).where('client_id', '=', from).execute();
}

/** Documents that both have become one with all copies; returns their access keys. */
async function uniteDocuments(from: string, into: string): Promise<string[]> {
  const same = await db()
    .selectFrom('fiscal_documents as own')
    .innerJoin('fiscal_documents as other', 'other.document_key', 'own.document_key')
    .select(['own.document_id as old', 'other.document_id as kept', 'own.access_key'])
    .where('own.client_id', '=', from)
    .where('other.client_id', '=', into)
    .execute();
  for (const { old, kept } of same) {
    const [best, other] = [await bestCopy(old), await bestCopy(kept)];
    const isBetter =
      best !== undefined &&
      (other === undefined ||
        best.rank > other.rank ||
        (best.rank === other.rank && best.sha256 < other.sha256));
    const copies = await db()
      .deleteFrom('fiscal_copies')
      .where('document_id', '=', old)
      .returningAll()
      .execute();
    for (const copy of copies)
      await db()
        .insertInto('fiscal_copies')
        .values({ ...copy, document_id: kept })
        .onConflict((conflict) => conflict.columns(['document_id', 'file_id']).doNothing())
        .execute();
    const row = await db()
      .deleteFrom('fiscal_documents')
      .where('document_id', '=', old)
      .returningAll()
      .executeTakeFirstOrThrow();
    const { document_id: _, client_id: __, stored_at: ___, ...fields } = row;
    if (isBetter)
      await db().updateTable('fiscal_documents').set(fields).where('document_id', '=', kept).execute();
  }
  await db().updateTable('fiscal_documents').set({ client_id: into }).where('client_id', '=', from).execute();
  return same.map(({ access_key: key }) => key);
}

const bestCopy = (documentId: string) =>
  db()
    .selectFrom('fiscal_copies')
    .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_copies.file_id')
    .select(['fiscal_copies.rank', 'fiscal_files.sha256'])
    .where('document_id', '=', documentId)
    .orderBy('fiscal_copies.rank', 'desc')
    .orderBy('fiscal_files.sha256')
    .executeTakeFirst();
