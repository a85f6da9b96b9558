import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { client, makeCast } from '../../support/cast.ts';
import { blocksRead, postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';

/* What lists and the index of unread documents cost where a client has many: the rows that are really read. */

const DOCUMENTS = 20_000;
const PAGE = 100;

const { ada, sam, firmOne } = await makeCast();
const clientId = await client(firmOne, 'Large', 'L-1', [ada]);
const { id: containerId } = await createProject(sam, { clientId, name: 'Weeks' });
await inTransaction(async () => {
  await sql`
  insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32,
    blob_key, created_by, uploaded_by_staff, created_at, modified_at)
  select 'doc_' || i, company_id, client_id, container_id, 'week ' || lpad(i::text, 5, '0'), 'week ' || lpad(i::text, 5, '0'), 'application/pdf', 1, '', 0, 'blob ' || i,
    ${sam.contactId}, 1, i, i
  from containers, generate_series(1, ${DOCUMENTS}::bigint) i where container_id = ${containerId}`.execute(
    db(),
  );
  await sql`insert into document_reads select document_id, ${ada.contactId}, created_at from documents where container_id = ${containerId} and created_at % 2 = 0`.execute(
    db(),
  );
});
await vacuumAll();

test.each([
  ['all documents', {}],
  ['a folder', { parentIds: containerId }],
  ['all documents by name', { orderBy: 'name', orderDir: 'asc' }],
] as const)('a list of %s reads those of its page, and whether each is read', async (_, query) => {
  const plans = await postgresPlansOf(() => listDocuments(ada, clientId, documentQuery.parse(query)));
  const [list] = plans.filter(({ text }) => text.includes('"is_read"'));
  if (!list) throw new Error('no page was read');
  expect(rowsRead(list.plan, 'documents'), list.text).toBe(PAGE);
  expect(rowsRead(list.plan, 'document_reads'), list.text).toBeLessThanOrEqual(PAGE);
  expect(blocksRead(list.plan), list.text).toBeLessThan(1000);
});

test('a page far down looks up what its rows are only for them', async () => {
  const query = documentQuery.parse({ from: DOCUMENTS / 2 });
  const [list] = (await postgresPlansOf(() => listDocuments(ada, clientId, query))).filter(({ text }) =>
    text.includes('"is_read"'),
  );
  const lookups = list?.plan.filter((node) => node['Relation Name'] === 'document_reads');
  expect(lookups?.map((node) => node['Actual Loops'])).toEqual([PAGE]);
});

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
  ['removing', sql`update documents set deleted_at = 1 where document_id = 'doc_3'`],
])('%s a document reads no other unread ones', async (_, change) => {
  expect(await scannedBy(change)).toBe(0);
});

test('they are the unread ones afterwards', async () => {
  const unread = await unreadByAda();
  expect([unread.length, unread[0], unread[1]]).toEqual([DOCUMENTS / 2 - 1, 'doc_1', 'doc_5']);
});
