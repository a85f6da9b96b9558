import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { plansOf } from '../../support/statements.ts';
import { listClients, switcherQuery } from '#features/clients/clients/clients.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { db } from '#platform/database/database.server.ts';
import { uploadAs, makeCast } from '../../support/cast.ts';

const { ada, sam, clientA, projectA } = await makeCast();
for (let week = 1; week <= 5; week += 1)
  await uploadAs(ada, projectA, `Payroll week ${week}.pdf`, `week ${week}`);

const search = (words: string, more: Record<string, unknown> = {}) =>
  listDocuments(
    ada,
    clientA,
    documentQuery.parse({ name: words, orderBy: 'name', orderDir: 'asc', ...more }),
  );

test('a search uses the full-text index and counts the matches there', async () => {
  for (const words of ['p', 'payroll', 'payroll week']) {
    const plans = await plansOf(() => search(words));
    expect(
      plans.filter(({ text }) => text.includes('document_words match')),
      words,
    ).toHaveLength(1);
  }
});

test('unread documents and their count are found without reading the read ones', async () => {
  for (const actor of [ada, sam]) {
    const plans = await plansOf(async () => {
      expect(
        (await listDocuments(actor, clientA, documentQuery.parse({ readByClientUser: 'false' }))).items,
      ).toEqual([]);
      await listClients(actor, switcherQuery());
    });
    const walks = plans.flatMap(({ plan }) =>
      plan.filter((line) => /documents USING .*\((client|container)_id=/.test(line)),
    );
    expect(walks).toEqual([]);
  }
});

test('the documents of one side, and those of a year, are found without reading the others', async () => {
  const readsOf = async (query: object): Promise<string[]> => {
    const plans = await plansOf(() => listDocuments(ada, clientA, documentQuery.parse(query)));
    return plans.flatMap(({ plan }) => plan.filter((line) => / documents USING/.test(line)));
  };
  const ofSide: unknown = expect.stringContaining('documents_by_side (client_id=? AND uploaded_by_staff=?');
  expect(await readsOf({ uploadedBy: 'firm' })).toEqual([ofSide, ofSide]);
  const ofYear: unknown = expect.stringContaining('created_at>? AND created_at<?');
  expect(await readsOf({ year: 2026 })).toEqual([ofYear, ofYear]);
  expect(await readsOf({ uploadedBy: 'client', year: 2026 })).toEqual([ofYear, ofYear]);
});

test('the full-text index has word prefixes, also in a database that had an index without them', async () => {
  const { rows } = await sql<{
    sql: string;
  }>`select sql from sqlite_master where name = 'document_words'`.execute(db());
  expect(rows[0]?.sql).toContain("prefix = '1 2 3 4 5 6 7 8'");
  await sql`insert into document_words (document_words) values ('integrity-check')`.execute(db());
});

test('the pages of a search are consecutive, by page number and by the last row of the page before', async () => {
  const names = (page: Awaited<ReturnType<typeof search>>) => page.items.map(({ name }) => name);
  const first = await search('pay', { pageSize: 2 });
  expect([names(first), first.total]).toEqual([['Payroll week 1.pdf', 'Payroll week 2.pdf'], 5]);
  const second = ['Payroll week 3.pdf', 'Payroll week 4.pdf'];
  expect(names(await search('pay', { pageSize: 2, from: 2 }))).toEqual(second);
  const followed = await search('pay', { pageSize: 2, after: first.next ?? '' });
  expect([names(followed), followed.total]).toEqual([second, 5]);
  expect(names(await search('pay', { from: 4 }))).toEqual(['Payroll week 5.pdf']);
  expect((await listDocuments(sam, clientA, documentQuery.parse({ name: 'p w' }))).total).toBe(5);
});
