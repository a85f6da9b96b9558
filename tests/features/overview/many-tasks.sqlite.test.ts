import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import { figuresFor } from '#features/office/overview/figures.server.ts';
import { tablesFor } from '#features/office/overview/tables.server.ts';
import { withSharedReads } from '#platform/database/shared-reads.server.ts';
import { localsOf } from '../../support/home.ts';
import { alma, dora, olga, storeInbox, storeTasks } from '../../support/many-tasks-of-clients.ts';

/*
 * What the engine reads for the overview of a firm with few and with many tasks and inbox rows. Steps of its machine are
 * counted, not time: the same on every machine.
 */

const figures = () => figuresFor(localsOf(olga));

/** The steps of a page, which reads some things once for all of its parts. */
const ofPage = (work: () => Promise<unknown>): Promise<number> => stepsOf(() => withSharedReads(work));

async function measured(): Promise<Record<string, number>> {
  const steps: Record<string, number> = {};
  for (const [who, actor] of Object.entries({
    'all clients': olga,
    'some clients': alma,
    'done clients': dora,
  })) {
    steps[`figures of ${who}`] = await ofPage(() => figuresFor(localsOf(actor)));
    steps[`tables of ${who}`] = await ofPage(() => tablesFor(localsOf(actor)));
  }
  return steps;
}

test('the overview reads no more with 90,000 tasks and 20,000 inbox rows than with a third of them', async () => {
  // as many as are counted of each number
  await storeTasks({ from: 0, until: 30_000 });
  await storeInbox({ from: 0, until: 6000 });
  const before = await measured();
  await storeTasks({ from: 30_000, until: 90_000 });
  await storeInbox({ from: 6000, until: 20_000 });
  const after = await measured();
  console.info('Overview, steps:', JSON.stringify({ before, after }));
  const grown = Object.entries(before).filter(([what, steps]) => {
    // a quarter of the firm's tasks are theirs, of which at most 5,000 are read by each of three statements
    const most = what === 'tables of some clients' ? steps * 1.5 : steps * 1.2;
    return (after[what] ?? Infinity) > most;
  });
  expect(grown).toEqual([]);
  const numbers = (await figures()).flatMap((group) => group.figures);
  expect(numbers.find(({ id }) => id === 'tasks-overdue')?.count).toMatchObject({ n: 1000, isMore: true });
});
