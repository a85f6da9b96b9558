import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { db, documentSeqsByName } from '#platform/database/database.server.ts';
import { client, makeCast } from '../../support/cast.ts';

/*
 * What a search costs where one client has many documents: blocks and rows that the plan of the statement
 * really touched, since time on a shared machine tells nothing.
 */

const BLOCK = 4096;
const DOCUMENTS = 5 * BLOCK;
const ENOUGH = 1000;

const { ada, sam, firmOne } = await makeCast();
const clientId = await client(firmOne, 'Large', 'L-1', [ada]);
const { id: containerId } = await createProject(sam, { clientId, name: 'Weeks' });

/** Every other is of payroll and the others are invoices, one in a hundred is urgent. */
const nameOf = (i: number): string =>
  `${i % 2 === 0 ? 'payroll' : 'invoice'} week ${i}${i % 100 === 0 ? ' urgent' : ''}.pdf`;

await sql`alter table documents disable trigger user`.execute(db());
await sql`
  insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32,
    blob_key, created_by, uploaded_by_staff, created_at, modified_at)
  select 'doc_' || i, company_id, client_id, container_id, name, name, 'application/pdf', 1, '', 0, 'blob ' || i, created_by, 1, i, i
  from (select i, company_id, client_id, container_id, ${sam.contactId}::text as created_by,
      case when i % 2 = 0 then 'payroll' else 'invoice' end || ' week ' || i || case when i % 100 = 0 then ' urgent' else '' end || '.pdf' as name
    from containers, generate_series(1, ${DOCUMENTS}::bigint) i where container_id = ${containerId}) as made`.execute(
  db(),
);
await sql`alter table documents enable trigger user`.execute(db());

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

async function planOf(...words: string[]): Promise<Node[]> {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: Node }];
  }>`explain (analyze, format json) ${documentSeqsByName(clientId, words, ENOUGH)}`.execute(db());
  const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  return rows.flatMap((row) => nodes(row['QUERY PLAN'][0].Plan));
}

interface Cost {
  rows: number;
  blocks: number;
  found: number | undefined;
  removed: number;
}

/** How many rows of the table, and how many blocks of the index, a search looked at. */
async function costOf(...words: string[]): Promise<Cost> {
  const plan = await planOf(...words);
  expect(plan.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  const looked = (type: string) => plan.find((node) => node['Node Type'] === type);
  const heap = looked('Bitmap Heap Scan');
  const index = looked('Bitmap Index Scan');
  expect(index?.['Index Name']).toBe('documents_by_beginnings');
  return {
    rows: (heap?.['Actual Rows'] ?? 0) * (heap?.['Actual Loops'] ?? 0),
    found: looked('Nested Loop')?.['Actual Rows'],
    removed: plan.reduce(
      (sum, node) =>
        sum + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0),
      0,
    ),
    blocks: index?.['Actual Loops'] ?? 0,
  };
}

test('a search that finds more than enough looks at the newest blocks only, however many documents there are', async () => {
  for (const words of [['p'], ['w'], ['payroll'], ['week'], ['payroll', 'week'], ['p', 'w', 'i']]) {
    const { rows, blocks } = await costOf(...words);
    expect(blocks, words.join(' ')).toBeLessThanOrEqual(2);
    expect(rows, words.join(' ')).toBeLessThanOrEqual(2 * BLOCK);
  }
});

test('a search that finds little asks each block once and reads nothing but what it finds', async () => {
  const hits = { urgent: Math.floor(DOCUMENTS / 100), 'payroll 4242': 1, 'payroll invoice': 0, nothing: 0 };
  for (const [words, count] of Object.entries(hits)) {
    const { found, removed, blocks } = await costOf(...words.split(' '));
    expect({ found, removed }, words).toEqual({ found: count, removed: 0 });
    expect(blocks, words).toBeLessThanOrEqual(DOCUMENTS / BLOCK + 2);
  }
});

test('of more than a thousand documents found, the newest are kept', async () => {
  const found = async (name: string, from: number) =>
    listDocuments(ada, clientId, documentQuery.parse({ name, from }));
  for (const [name, isFound] of [
    ['p', () => true],
    ['payroll', (i: number) => i % 2 === 0],
    ['week payroll', (i: number) => i % 2 === 0],
  ] as const) {
    const newest = Array.from({ length: DOCUMENTS }, (_, i) => DOCUMENTS - i)
      .filter(isFound)
      .slice(0, ENOUGH)
      .map(nameOf);
    const last = await found(name, ENOUGH - 100);
    expect([last.total, last.items.map((item) => item.name)], name).toEqual([ENOUGH, newest.slice(-100)]);
  }
});
