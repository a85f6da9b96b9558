import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { client, makeCast } from '../../support/cast.ts';

const { ada, sam, firmOne } = await makeCast();
const clientId = await client(firmOne, 'Large', 'L-1', [ada]);
const { id: weeks } = await createProject(sam, { clientId, name: 'Weeks' });
const { id: months } = await createProject(sam, { clientId, name: 'Months' });

const countIn = async (containerId: string): Promise<number> => {
  const row = await db()
    .selectFrom('containers')
    .select('document_count')
    .where('container_id', '=', containerId)
    .executeTakeFirstOrThrow();
  return Number(row.document_count);
};

/** Rows of `containers` that this connection has updated: in the open transaction, or in one not yet reported. */
async function updatedContainers(): Promise<number> {
  const { rows } = await sql<{
    updates: number;
  }>`select n_tup_upd as updates from pg_stat_xact_user_tables where relname = 'containers'`.execute(db());
  return Number(rows[0]?.updates);
}

const addDocuments = (count: number) =>
  sql`
    insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32,
      blob_key, created_by, uploaded_by_staff, created_at, modified_at)
    select 'doc_' || i, company_id, client_id, container_id, 'week ' || i, 'week ' || i, 'application/pdf', 1, '', 0,
      'blob ' || i, ${sam.contactId}::text, 1, i, i
    from containers, generate_series(1, ${count}::bigint) i where container_id = ${weeks}`.execute(db());

test('a statement that changes many documents of a folder updates the count of the folder once', async () => {
  const updates = await inTransaction(async () => {
    const before = await updatedContainers();
    await addDocuments(500);
    const added = await updatedContainers();
    await db().updateTable('documents').set({ deleted_at: 1 }).where('created_at', '<=', 100).execute();
    const deleted = await updatedContainers();
    await db()
      .updateTable('documents')
      .set({ container_id: months })
      .where('container_id', '=', weeks)
      .where('created_at', '>', 300)
      .execute();
    const moved = await updatedContainers();
    await db().updateTable('documents').set({ name: 'renamed' }).where('created_at', '=', 200).execute();
    return {
      added: added - before,
      deleted: deleted - added,
      moved: moved - deleted,
      renamed: (await updatedContainers()) - moved,
    };
  });
  expect(updates).toEqual({ added: 1, deleted: 1, moved: 2, renamed: 0 });
  expect([await countIn(weeks), await countIn(months)]).toEqual([200, 200]);
  await db().deleteFrom('documents').where('client_id', '=', clientId).execute();
  expect([await countIn(weeks), await countIn(months)]).toEqual([0, 0]);
});
