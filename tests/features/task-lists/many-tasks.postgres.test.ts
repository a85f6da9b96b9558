import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { blocksRead, postgresPlansOf, rowsRead, vacuumAll } from '../../support/postgres-plans.ts';
import { PAGE, readGrid } from '#features/base/grids/reading.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { TASK_VIEWS, tasksGrid } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

/*
 * What a page of the firm's table costs where nearly all tasks of the database are of one firm.
 */

const TASKS = 30_000;
/** Counting a list ends here. */
const COUNTED = 1001;

const { sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await createTask(sam, { clientId: clientA, type: 'misc', label: 'Papers', dueDate: '2030-01-31' });
await storeCopies();

/** Copies of the one task, due on 500 days from that of 2027 on. */
async function storeCopies(): Promise<void> {
  const { rows } = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_name = 'tasks' and table_schema = current_schema()`.execute(db());
  const own: Record<string, ReturnType<typeof sql>> = {
    task_id: sql`one.task_id || '-' || n`,
    // the newest are not begun, which a walk would find last
    status: sql`case when n < ${sql.lit(TASKS / 2)} then 'Done' else 'New' end`,
    due_on: sql`to_char(date '2027-01-01' + (n % 500)::integer, 'YYYY-MM-DD')`,
  };
  const names = rows.map(({ name }) => name);
  await inTransaction(async () => {
    await sql`insert into tasks (${sql.join(names.map((name) => sql.ref(name)))})
      select ${sql.join(names.map((name) => own[name] ?? sql.ref(`one.${name}`)))}
      from tasks as one, generate_series(1, ${sql.lit(TASKS)}) n`.execute(db());
  });
  await vacuumAll();
}

for (const [what, fields] of [
  ['all tasks', {}],
  ...TASK_VIEWS.map((view) => [`the view "${view}"`, { view }] as const),
  ['the tasks of a status', { status: 'Done' }],
  ['the tasks of a type', { type: 'misc' }],
] as const)
  test(`the firm's table reads ${what} without a walk over the tasks of the firm`, async () => {
    const plans = await postgresPlansOf(() => readGrid(tasksGrid, olga, { ...NO_QUERY, fields }));
    const [page] = plans.filter(({ text }) => text.includes('as "k0"'));
    const [count] = plans.filter(({ text }) => text.includes('as counted'));
    if (!page || !count) throw new Error('no page was read');
    expect(rowsRead(page.plan, 'tasks'), page.text).toBeLessThanOrEqual(PAGE + 1);
    expect(rowsRead(count.plan, 'tasks'), count.text).toBeLessThanOrEqual(COUNTED);
    for (const { plan, text } of [page, count]) {
      const walked = plan.filter((node) => node['Node Type'] === 'Seq Scan');
      expect(
        walked.map((node) => node['Relation Name']),
        text,
      ).not.toContain('tasks');
      expect(blocksRead(plan), text).toBeLessThan(100);
    }
  });

test('the next page of the table begins where the last one ended', async () => {
  const { next } = await readGrid(tasksGrid, olga, NO_QUERY);
  const plans = await postgresPlansOf(() => readGrid(tasksGrid, olga, { ...NO_QUERY, after: next }));
  const [page] = plans.filter(({ text }) => text.includes('as "k0"'));
  expect(rowsRead(page?.plan ?? [], 'tasks')).toBeLessThanOrEqual(PAGE + 1);
  expect(page?.plan.map((node) => node['Node Type'])).not.toContain('Sort');
});
