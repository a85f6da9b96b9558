import { expect, test } from 'vitest';
import { fits, statusesFor } from '#features/tasks/task-batches/fitting-actions.ts';
import { CHANGE_ACTIONS } from '#features/tasks/task-batches/task-batches.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { refusalOf } from '#features/tasks/tasks/rules.ts';
import { TASK_STATUSES } from '#features/tasks/tasks/tasks.ts';
import { statusesOfView, TASK_VIEWS, tasksGrid } from '#features/tasks/task-lists/tasks-grid.server.ts';
import { DAY, moveClock, now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { makeCast } from '../../support/cast.ts';
import { NO_QUERY } from '../../support/grid-query.ts';
import '../../../src/app.server.ts';

test('what a list offers for tasks of a status is what the firm can do with them', () => {
  for (const action of CHANGE_ACTIONS.filter((one) => one !== 'assign' && one !== 'remind'))
    for (const status of TASK_STATUSES) {
      const facts = { status, isDeleted: false, isExpired: false, isOpened: false, isMandatory: false };
      const isPossible = refusalOf({ ...facts, acceptedBy: 'firm' }, action, 'firm') === undefined;
      expect(fits(action, [status]), `${action} of ${status}`).toBe(isPossible);
    }
  expect(statusesFor('remind')).toEqual(['New', 'WIP']);
  expect(fits('assign', ['Done'])).toBe(true);
});

test('a view of tasks that are done offers no reminder, and one of tasks to review no other than to decide', () => {
  const offered = (view: string) => CHANGE_ACTIONS.filter((action) => fits(action, statusesOfView(view)));
  expect(offered('done')).toEqual(['reopen', 'reschedule', 'assign', 'delete']);
  expect(offered('clients')).toEqual(['cancel', 'reschedule', 'assign', 'remind', 'delete']);
  expect(offered('waiting')).toEqual([
    'accept',
    'return',
    'reopen',
    'cancel',
    'reschedule',
    'assign',
    'delete',
  ]);
  expect(offered('open')).toEqual(CHANGE_ACTIONS);
});

test('the tasks of a view have the statuses by which it offers what can be done', async () => {
  const { ada, sam, clientA } = await makeCast();
  const ask = async (): Promise<string> =>
    (
      await createTask(sam, {
        clientId: clientA,
        type: 'misc',
        label: 'Hours',
        dueDate: dayOf(now() + DAY, 'UTC'),
      })
    ).taskId;
  await ask();
  await performAction(ada, await ask(), 'start');
  await performAction(ada, await ask(), 'submit');
  const [accepted, returned, canceled] = [await ask(), await ask(), await ask()];
  for (const taskId of [accepted, returned]) await performAction(ada, taskId, 'submit');
  await performAction(sam, accepted, 'accept');
  await performAction(sam, returned, 'return', { reason: 'Page two is missing.' });
  await performAction(sam, canceled, 'cancel');
  moveClock(3 * DAY);
  for (const view of TASK_VIEWS.filter((one) => one !== 'mine')) {
    const { rows } = await readGrid(tasksGrid, sam, { ...NO_QUERY, fields: { view } });
    const statuses = new Set(rows.map(({ status }) => status));
    expect([...statuses].toSorted(), view).toEqual(
      view === 'all' ? [...TASK_STATUSES].toSorted() : [...statusesOfView(view)].toSorted(),
    );
  }
});
