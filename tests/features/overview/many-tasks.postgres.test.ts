import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';
import { figuresFor } from '#features/office/overview/figures.server.ts';
import { withSharedReads } from '#platform/database/shared-reads.server.ts';
import { localsOf } from '../../support/home.ts';
import { alma, dora, olga, storeInbox, storeTasks } from '../../support/many-tasks-of-clients.ts';

/* What the figures of the overview read on PostgreSQL, for all clients of the firm and for some of them. */

await storeTasks({ from: 0, until: 30_000 });
await storeInbox({ from: 0, until: 20_000 });
await vacuumAll();

/** Tasks are looked through up to 5,000 to see whether they are few, inbox rows up to a thousand of each kind. */
const MAX_READ = { tasks: 5100, inbox_items: 2100 };

test.each([
  ['all clients', olga],
  ['some clients', alma],
  ['clients whose tasks are all done', dora],
])('no figure of %s walks over the tasks or the inbox of the firm', async (_, actor) => {
  const plans = await postgresPlansOf(() => withSharedReads(() => figuresFor(localsOf(actor))));
  expect(plans.length).toBeGreaterThan(10);
  const walks = plans.flatMap(({ text, plan }) =>
    Object.entries(MAX_READ)
      .map(([table, most]) => ({ table, most, read: rowsRead(plan, table) }))
      .filter(({ read, most }) => read > most)
      .map(({ table, read }) => `${read} of ${table}: ${text}`),
  );
  expect(walks).toEqual([]);
});
