import '../../../src/app.server.ts';
import { beforeAll, expect, test } from 'vitest';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { FISCAL_GRIDS } from '#features/brazil/fiscal-documents/grids.server.ts';
import { monthFor, monthsWithDocuments } from '#features/brazil/fiscal-documents/months.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { BAKERY, cancellationXml, keyOf, noteXml, openStorageOf, store } from '../../support/fiscal.ts';
import { counts, stepsOf } from '../../support/statements.ts';

/*
 * What the engine reads in an archive of a thousand and of a hundred thousand documents, of which a hundred are of the
 * month that is read. Steps of its machine are counted, not time.
 */

const { firmOne, clientA: few, clientB: many, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
const cleo = await actorOf(cast.cleo.contactId);
const MONTH = '2026-11';
const IN_MONTH = 100;
const MONTHS = 40;
const COMPARED = 12;
const SIZES = { [few]: 1000, [many]: 100_000 };

/** The row of a document as a client has it, with another number and month. */
async function fill(clientId: string, count: number): Promise<void> {
  await store(cleo, clientId, '<pedido/>');
  const { document_id: id } = await db()
    .selectFrom('fiscal_documents')
    .select('document_id')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  const row = await db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('document_id', '=', id)
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: count }, (_, i) => {
    const isOfMonth = i >= count - IN_MONTH;
    // none are of the months with which it is compared
    const back = isOfMonth ? 0 : COMPARED + MONTHS - Math.floor((i * MONTHS) / count);
    const at = Date.UTC(2026, 10 - back, 5, 12, 0, i % 60);
    const issuedAt = `${new Date(at).toISOString().slice(0, 19)}-03:00`;
    return {
      ...row,
      document_id: `fiscal_${clientId}_${i}`,
      document_key: keyOf({ number: i + 1, issuer: BAKERY, issuedAt }),
      access_key: keyOf({ number: i + 1, issuer: BAKERY, issuedAt }),
      storage: 'nfe' as const,
      kind: 'NF-e' as const,
      model: '55',
      series: '1',
      number: i + 1,
      issued_at: at,
      issued_month: new Date(at).toISOString().slice(0, 7),
      direction: 'out' as const,
      role: 'issuer' as const,
      issuer_id: BAKERY,
      party_key: `customer ${i % 500}`,
      total_cents: i,
      state: 'authorized' as const,
    };
  });
  for (let at = 0; at < rows.length; at += 500)
    await db()
      .insertInto('fiscal_documents')
      .values(rows.slice(at, at + 500))
      .execute();
}

beforeAll(
  () =>
    inTransaction(async () => {
      for (const [clientId, count] of Object.entries(SIZES)) await fill(clientId, count);
    }),
  240_000,
);

const grid = FISCAL_GRIDS.nfe;
const read = (parameters: Record<string, string>) => (client: string) =>
  readGrid(grid, cleo, gridQueryOf(grid, grid.parameters.parse(parameters), client));
const lastKey = (client: string): string =>
  keyOf({
    number: SIZES[client] ?? 0,
    issuer: BAKERY,
    issuedAt: `2026-11-05T12:00:${String(((SIZES[client] ?? 0) - 1) % 60).padStart(2, '0')}-03:00`,
  });

const READS: Record<string, (client: string) => Promise<unknown>> = {
  'the first page of the grid': read({}),
  'the grid by value': read({ sort: '-total' }),
  'the grid of a month': read({ month: MONTH }),
  'a document by its key': (client) => read({ searchTerm: lastKey(client) })(client),
  'a document by its number': read({ searchTerm: '950' }),
  'the sums and gaps of a month': (clientId) => monthFor(cleo, { clientId, storage: 'nfe', month: MONTH }),
  'the months with documents': (client) => monthsWithDocuments(client, 'nfe'),
};

test.each(Object.entries(READS))(
  '%s reads about as much of 100,000 documents as of 1,000',
  async (what, one) => {
    await one(few); // prepares what is asked for once
    const [small, large] = [await stepsOf(() => one(few)), await stepsOf(() => one(many))];
    console.info(`${what}: ${small} and ${large} steps`);
    expect(large).toBeLessThanOrEqual(small * 1.2 + 200);
    const before = counts.statements;
    await one(many);
    expect(counts.statements - before).toBeLessThanOrEqual(12);
    expect(large).toBeLessThanOrEqual(small * 1.2 + 200);
  },
);

test('a document that comes with its cancellation takes as many steps in either archive', async () => {
  const work = (client: string, number: number) => () =>
    store(cleo, client, noteXml({ number, recipient: '' }), cancellationXml({ number }));
  await work(few, 1)();
  const [small, large] = [await stepsOf(work(few, 2)), await stepsOf(work(many, 3))];
  console.info(`storing: ${small} and ${large} steps`);
  expect(large).toBeLessThanOrEqual(small * 1.2 + 200);
});
