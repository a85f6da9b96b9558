import { expect, test } from 'vitest';
import { plansOf } from '../../support/statements.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { TASK_VIEWS, tasksGrid } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';

const { sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
for (const dueDate of ['2030-01-31', '2030-02-28', undefined])
  await createTask(sam, { clientId: clientA, type: 'misc', label: 'Papers', ...(dueDate && { dueDate }) });

/** The queries of a page of the grid: its rows, and their number. */
const listsOf = async (query: Partial<GridQuery>, limit?: number) =>
  (await plansOf(() => readGrid(tasksGrid, olga, { ...NO_QUERY, ...query }, limit))).filter(
    ({ text }) => text.includes('as "k0"') || text.includes('as counted'),
  );

for (const [what, fields] of [
  ['all tasks', {}],
  ...TASK_VIEWS.map((view) => [`the view "${view}"`, { view }] as const),
  ['the tasks of a status', { status: 'Done' }],
  ['the tasks of a type', { type: 'misc' }],
] as const)
  test(`the firm's table reads ${what} along an index by due date, in both directions`, async () => {
    for (const dir of ['asc', 'desc'] as const) {
      const lists = await listsOf({ fields, orderBy: [{ by: 'due', dir }] });
      expect(lists).toHaveLength(2);
      for (const { text, plan } of lists) {
        expect(plan.join('\n'), text).toMatch(/SEARCH tasks USING (COVERING )?INDEX \w+ \(company_id=\?/);
        expect(plan.join('\n'), text).not.toMatch(/TEMP B-TREE|SCAN (?!counted)/);
      }
    }
  });

test('a view of few tasks reads only these', async () => {
  const searches = {
    waiting: /INDEX tasks_of_status \(company_id=\? AND status=\?\)/,
    overdue: /INDEX \w+ \(company_id=\? (AND status=\? )?AND <expr><\?\)/,
    returned: /INDEX resumed_tasks \(/,
  };
  for (const [view, search] of Object.entries(searches))
    for (const { text, plan } of await listsOf({ fields: { view } }))
      expect(plan.join('\n'), text).toMatch(search);
});

test('the next page of the table begins where the last one ended', async () => {
  const { next } = await readGrid(tasksGrid, olga, NO_QUERY, 1);
  expect(next).toBeDefined();
  const [rows] = await listsOf({ after: next }, 1);
  expect(rows?.plan.join('\n')).toContain('INDEX tasks_of_firm (company_id=? AND <expr>>?)');
});
