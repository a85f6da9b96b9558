import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createProject } from '#features/folders/folders.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { client, makeCast } from '../../support/cast.ts';

/* What the index of unread documents costs to keep where there are many: the rows that its triggers really read. */

const DOCUMENTS = 5000;

const { ada, sam, firmOne } = await makeCast();
const clientId = await client(firmOne, 'Large', 'L-1', [ada]);
const { id: containerId } = await createProject(sam, { clientId, name: 'Weeks' });
await sql`
  insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32,
    blob_key, created_by, uploaded_by_staff, created_at, modified_at)
  select 'doc_' || i, company_id, client_id, container_id, 'week ' || i, 'week ' || i, 'application/pdf', 1, '', 0, 'blob ' || i,
    ${sam.contactId}, 1, i, i
  from containers, generate_series(1, ${DOCUMENTS}::bigint) i where container_id = ${containerId}`.execute(
  db(),
);
const unreadByAda = () =>
  db()
    .selectFrom('documents')
    .select('document_id')
    .where(sql<boolean>`document_id in (select document_id from unread where contact_id = ${ada.contactId})`)
    .orderBy('created_at')
    .execute()
    .then((rows) => rows.map((row) => row.document_id));

/** The rows of `unread` that a statement read without an index. */
const scannedBy = (change: ReturnType<typeof sql>): Promise<number> =>
  inTransaction(async () => {
    await change.execute(db());
    const { rows } = await sql<{
      scanned: number;
    }>`select seq_tup_read as scanned from pg_stat_xact_user_tables where relname = 'unread'`.execute(db());
    return Number(rows[0]?.scanned);
  });

test.each([
  ['reading', sql`insert into document_reads values ('doc_1', ${ada.contactId}, 1)`],
  ['reading no longer', sql`delete from document_reads where document_id = 'doc_1'`],
  ['removing', sql`update documents set deleted_at = 1 where document_id = 'doc_2'`],
])('%s a document reads no other unread ones', async (_, change) => {
  expect(await scannedBy(change)).toBe(0);
});

test('they are the unread ones afterwards', async () => {
  const unread = await unreadByAda();
  expect([unread.length, unread[0], unread[1]]).toEqual([DOCUMENTS - 1, 'doc_1', 'doc_3']);
});
