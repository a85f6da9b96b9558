import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { blocksRead, postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';
import { PAGE, readGrid } from '#features/base/grids/reading.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { QUEUE_VIEWS, queueGrid } from '#features/brazil/service-request-desk/queue-grid.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';
import '../../../src/app.server.ts';

/*
 * What a page of the queue costs where nearly all requests of the database are of one firm: its rows, and their number.
 */

const REQUESTS = 30_000;
/** Counting a list ends here. */
const COUNTED = 1001;

const { sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await beginRequest(sam, { clientId: clientA, type: 'generalRequests' });
await storeCopies();

/** Copies of the one request: most are over, and those that wait are due on 500 days. */
async function storeCopies(): Promise<void> {
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_name = 'service_requests' and table_schema = current_schema()`.execute(db());
  const own: Record<string, ReturnType<typeof sql>> = {
    request_id: sql`one.request_id || '-' || n`,
    number: sql`1000 + n`,
    status: sql`case n % 8 when 0 then 'WaitingForAnswer' when 1 then 'WaitingForClient' else 'Replied' end`,
    type: sql`case n % 3 when 0 then 'vacationNotice' else 'generalRequests' end`,
    due_on: sql`to_char(date '2020-01-01' + (n % 500)::integer, 'YYYY-MM-DD')`,
    responsible: sql`case n % 3 when 0 then ${olga.contactId} else ${sam.contactId} end`,
  };
  const names = rows.map(({ name }) => name);
  await inTransaction(async () => {
    await sql`insert into service_requests (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(names.map((name) => own[name] ?? sql.ref(`one.${name}`)))}
      from service_requests as one, generate_series(1, ${sql.lit(REQUESTS)}) n`.execute(db());
  });
  await vacuumAll();
}

/** The plans of the page and of its count; the rows themselves are looked up by their ids. */
async function plansOf(fields: Record<string, string>) {
  const plans = await postgresPlansOf(() =>
    readGrid({ ...queueGrid, rows: () => Promise.resolve([]) }, olga, { ...NO_QUERY, fields }),
  );
  const [page] = plans.filter(({ text }) => text.includes('as "k0"'));
  const [count] = plans.filter(({ text }) => text.includes('as counted'));
  if (!page || !count) throw new Error('no page was read');
  return { page, count };
}

for (const view of QUEUE_VIEWS)
  for (const [what, more] of [
    ['', {}],
    [' of a kind', { type: 'vacationNotice' }],
  ] as const)
    test(`the queue reads the view "${view}"${what} without a walk over the requests of the firm`, async () => {
      const { page, count } = await plansOf({ view, ...more });
      // of three requests one is of the kind, where all are read in their order
      expect(rowsRead(page.plan, 'service_requests'), page.text).toBeLessThanOrEqual(4 * (PAGE + 1));
      expect(rowsRead(count.plan, 'service_requests'), count.text).toBeLessThanOrEqual(4 * COUNTED);
      // a count of all ends early however it reads
      const walked = page.plan.filter((node) => node['Node Type'] === 'Seq Scan');
      expect(
        walked.map((node) => node['Relation Name']),
        page.text,
      ).not.toContain('service_requests');
      expect(blocksRead(page.plan), page.text).toBeLessThan(100);
    });
