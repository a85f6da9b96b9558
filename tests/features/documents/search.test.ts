import { expect, test } from 'vitest';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import { client, makeCast, uploadAs } from '../../support/cast.ts';

const { ada, sam, firmOne } = await makeCast();
const clientId = await client(firmOne, 'Searched', 'S-1', [ada]);
const project = await createProject(sam, { clientId, name: 'Everything' });
const other = await client(firmOne, 'Beside', 'S-2', [ada]);
const otherProject = await createProject(sam, { clientId: other, name: 'Everything' });

const found = async (name: string): Promise<string[]> =>
  (await listDocuments(ada, clientId, documentQuery.parse({ name }))).items
    .map((item) => item.name)
    .toSorted();

/** The same with neither index nor database. */
function naive(query: string): string[] {
  const words = (text: string) => fold(text).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  const sought = words(query);
  const isLong = sought.every((word) => [...word].length >= 3);
  const isFound = (name: string) =>
    sought.every((beginning) => words(name).some((word) => word.startsWith(beginning))) ||
    (isLong && sought.every((part) => words(name).some((word) => word.includes(part))));
  return sought.length === 0 ? [] : names.filter(isFound).toSorted();
}

/** A small generator with a seed, so that a failure can be repeated. */
function randomFrom(seed: number): <T>(list: readonly T[]) => T {
  let state = seed;
  return <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const one = list[(state >>> 8) % list.length];
    if (one === undefined) throw new RangeError('an empty list');
    return one;
  };
}

const WORDS = [
  ...['p', 'pay', 'Payroll', 'payroll2026', 'PAYABLE', '2026', '000777', '1e5', '12.50', '-3', 'v1.2.3'],
  ...['ana@firm.example', 'www.firm.example', 'o\u2019brien', "d'Or", 'São', 'nómina', 'NÓMINA', 'naïve'],
  ...['ﬁnal', 'Straße', 'STRASSE', 'договор', '契約書', 'ﾃｽﾄ', '½', '№7', '€100', '£5', 'R$20', '50%'],
  ...['☎️Call', '❤️', '👩‍💻', 'reconciliation', 'lohnsteuerbescheinigung', 'lohnsteuerbescheinigungen'],
];
const BETWEEN = [
  ' ',
  '-',
  '_',
  '.',
  ' – ',
  '—',
  ' (',
  ') ',
  '+',
  '&',
  '·',
  '…',
  '«',
  '»',
  '、',
  '\u00A0',
  '#',
];
const QUERIES = [
  ...WORDS,
  ...['P', 'pa', 'payr oll', 'pay 2026', '20 pay', 'e5', '5', '50', 'firm', 'example ana', 'brien', 'or'],
  ...['sa', 'sao', 'nomina', 'nó', 'fin', 'strass', 'дог', '契', 'テスト', '7', 'call', 'ca', 'pdf', 'p pdf'],
  ...[
    'lohnsteuerbesche',
    'bescheinigung',
    'steuer pay',
    'roll',
    'ol',
    'lohnsteuerbeschei',
    'lohnsteuerbescheinigungen',
    'lohnsteuerbescheinigung pay',
  ],
  ...['reconciliatio', 'reconciliations', 'nothing', '%', '_', '100%', 'p p p'],
];

const pick = randomFrom(20_261_123);
const names: string[] = [];
for (let i = 0; i < 95; i += 1) {
  const parts = Array.from({ length: pick([1, 2, 3]) }, () => pick(WORDS) + pick(BETWEEN));
  const name = `${parts.join('')}${i}.pdf`.normalize();
  await uploadAs(sam, project, name, String(i));
  await uploadAs(sam, otherProject, name, String(i));
  names.push(name);
}

test('a search finds the documents with words that begin with each word sought, or contain it, and no others', async () => {
  for (const query of QUERIES) expect(await found(query), query).toEqual(naive(query));
});

test('of more documents than a search shows the newest are found, and a rare word in old ones too', async () => {
  const large = await client(firmOne, 'Many', 'S-3', [ada]);
  const { id: containerId } = await createProject(sam, { clientId: large, name: 'Weeks' });
  const nameAt = (index: number): string =>
    index === 0 ? 'zebra_payroll week 0.pdf' : `payroll week ${index}${index % 2 === 0 ? '-even' : ''}.pdf`;
  for (const some of inBatches(Array.from({ length: 3500 }, (_, index) => index)))
    await db()
      .insertInto('documents')
      .values(
        some.map((index) => ({
          document_id: `doc_many${index}`,
          company_id: firmOne,
          client_id: large,
          container_id: containerId,
          name: nameAt(index),
          name_key: nameAt(index),
          mime_type: 'application/pdf',
          size: 1,
          sha256: '',
          crc32: 0,
          blob_key: `many ${index}`,
          created_by: sam.contactId,
          uploaded_by_staff: 1 as const,
          created_at: index,
          modified_at: index,
          deleted_at: null,
          scan: 'clean' as const,
        })),
      )
      .execute();
  const search = async (name: string, from = 0) => {
    const { items, total } = await listDocuments(ada, large, documentQuery.parse({ name, from }));
    return { total, first: items[0]?.name, last: items.at(-1)?.name };
  };
  const newest = { total: 1000, first: nameAt(3499), last: nameAt(3400) };
  expect(await search('payroll')).toEqual(newest);
  expect(await search('p')).toEqual(newest);
  expect(await search('payr wee')).toEqual(newest);
  expect(await search('payroll', 900)).toEqual({ total: 1000, first: nameAt(2599), last: nameAt(2500) });
  expect(await search('even')).toMatchObject({ total: 1000, first: nameAt(3498) });
  expect(await search('zebra')).toMatchObject({ total: 1, first: nameAt(0) });
  expect(await search('z')).toMatchObject({ total: 1, first: nameAt(0) });
  expect(await search('week 0')).toMatchObject({ total: 1 });
});
