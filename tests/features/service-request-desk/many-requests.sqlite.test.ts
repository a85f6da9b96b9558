import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { QUEUE_VIEWS, queueGrid } from '#features/brazil/service-request-desk/queue-grid.server.ts';
import { addDays } from '#features/base/work-calendars/days.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';
import '../../../src/app.server.ts';

/*
 * What a page of the queue costs where a firm has a thousand requests in each view, where counting ends, and where it has more.
 */

const FEW = 16_000;
const MANY = 100_000;

const { sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const first = await beginRequest(sam, { clientId: clientA, type: 'generalRequests' });

const STATUSES = ['WaitingForAnswer', 'WaitingForClient', 'Replied', 'WaitingForAnswer'] as const;

/** Copies of the one request: of several states, kinds and members of staff, due on days of fourteen years. */
async function storeCopies(from: number, to: number): Promise<void> {
  const one = await db()
    .selectFrom('service_requests')
    .selectAll()
    .where('request_id', '=', first)
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: to - from + 1 }, (_, index) => {
    const n = from + index;
    const id = `${first}-${n}`;
    return {
      ...one,
      request_id: id,
      number: 1000 + n,
      about: encryptFor('service_requests.about', id, 'Fernanda Okada'),
      status: STATUSES[n % 4] ?? 'Replied',
      type: n % 3 === 0 ? ('vacationNotice' as const) : ('generalRequests' as const),
      due_on: addDays('2020-01-01', n % 5000),
      responsible: n % 2 === 0 ? olga.contactId : sam.contactId,
    };
  });
  await inTransaction(async () => {
    for (const some of inBatches(copies)) await db().insertInto('service_requests').values(some).execute();
  });
}

const LISTS: Readonly<Record<string, Partial<GridQuery>>> = {
  ...Object.fromEntries(QUEUE_VIEWS.map((view) => [`the view "${view}"`, { fields: { view } }])),
  ...Object.fromEntries(
    QUEUE_VIEWS.map((view) => [`a kind in the view "${view}"`, { fields: { view, type: 'vacationNotice' } }]),
  ),
  'the requests of a member of staff': { fields: { view: 'all', responsible: olga.contactId } },
  'those of a state': { fields: { status: 'WaitingForAnswer' } },
  'the last ones first': { orderBy: [{ by: 'due', dir: 'desc' }] },
};

async function stepsOfLists(): Promise<Record<string, number>> {
  const steps: Record<string, number> = {};
  for (const [what, query] of Object.entries(LISTS)) {
    const { next } = await readGrid(queueGrid, olga, { ...NO_QUERY, ...query });
    steps[what] = await stepsOf(() => readGrid(queueGrid, olga, { ...NO_QUERY, ...query }));
    steps[`${what}, the next page`] = await stepsOf(() =>
      readGrid(queueGrid, olga, { ...NO_QUERY, ...query, after: next }),
    );
  }
  return steps;
}

test('a page of the queue costs the same with a hundred thousand requests', async () => {
  await storeCopies(1, FEW);
  const few = await stepsOfLists();
  await storeCopies(FEW + 1, MANY);
  const many = await stepsOfLists();
  for (const [what, steps] of Object.entries(many))
    expect(steps, what).toBeLessThanOrEqual((few[what] ?? 0) * 1.2);
});
