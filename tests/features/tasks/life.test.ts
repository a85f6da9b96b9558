import { expect, test } from 'vitest';
import { performAction, type ActionInput } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { groupNamed, taskOf } from '#features/tasks/tasks/reading.server.ts';
import type { TaskAction } from '#features/tasks/tasks/rules.ts';
import { readOptions, type TaskStatus } from '#features/tasks/tasks/tasks.ts';
import { verifyTasks } from '#features/tasks/tasks/verification.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/*
 * Random sequences of actions on the tasks of a group, compared with an independent model of the life of a task
 * (threat-model.md T10, T79). TASK_SEQUENCES sets their number; `npm test` runs few.
 */

const SEQUENCES = Number(process.env['TASK_SEQUENCES'] ?? 150);
const ACTIONS_EACH = 8;

const { ada, sam, zoe, tom, clientA } = await makeCast();

interface Model {
  status: TaskStatus;
  isDeleted: boolean;
  isOpened: boolean;
}

/** The life of a task as the table of the design gives it: from, action, who, to. */
const TABLE: readonly (readonly [
  from: readonly TaskStatus[],
  TaskAction,
  who: 'client' | 'firm',
  to: TaskStatus | 'same',
])[] = [
  [['New', 'WIP'], 'start', 'client', 'WIP'],
  [['New', 'WIP'], 'submit', 'client', 'Received'],
  [['New', 'WIP'], 'set-not-applicable', 'client', 'Cancelled'],
  [['Received'], 'take-back', 'client', 'WIP'],
  [['New', 'WIP', 'Received'], 'cancel', 'firm', 'Cancelled'],
  [['Received'], 'open', 'firm', 'same'],
  [['Received'], 'accept', 'firm', 'Done'],
  [['Received'], 'return', 'firm', 'WIP'],
  [['Done', 'Cancelled', 'Received'], 'reopen', 'firm', 'WIP'],
  [['New', 'WIP', 'Done', 'Cancelled', 'Received'], 'reschedule', 'firm', 'same'],
  [['New', 'WIP', 'Done', 'Cancelled', 'Received'], 'delete', 'firm', 'same'],
  [['New', 'WIP', 'Done', 'Cancelled', 'Received'], 'restore', 'firm', 'same'],
];
const ACTIONS = TABLE.map(([, action]) => action);

/** The state that the model predicts after an action, or the code of the refusal. */
function predicted(model: Model, action: TaskAction, who: Actor, { reason }: ActionInput): Model | string {
  if (who === zoe || who === tom) return 'NOT_FOUND';
  if (model.isDeleted && (who === ada || action !== 'restore')) return 'NOT_FOUND';
  if (action === 'restore' && !model.isDeleted) return 'NOT_POSSIBLE';
  const row = TABLE.find(
    ([from, name, side]) =>
      name === action && side === (who.staff ? 'firm' : 'client') && from.includes(model.status),
  );
  if (!row) {
    const isClosed = ['Done', 'Cancelled', 'Received'].includes(model.status);
    const isOwn = TABLE.some(([, name, side]) => name === action && side === 'client');
    return who === ada && isClosed && isOwn ? 'CLOSED' : 'NOT_POSSIBLE';
  }
  if (action === 'take-back' && model.isOpened) return 'OPENED';
  if (['set-not-applicable', 'return'].includes(action) && !reason) return 'EMPTY';
  const status = row[3] === 'same' ? model.status : row[3];
  return {
    status,
    isDeleted: action === 'delete' || (action !== 'restore' && model.isDeleted),
    isOpened: action === 'submit' ? false : action === 'open' || model.isOpened,
  };
}

/** A seeded generator, so that a failure can be repeated. */
function generator(seed: number): <T>(from: readonly T[]) => T {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return from[(state >>> 8) % from.length]!;
  };
}

test(
  'random sequences of actions leave tasks and groups in the state of the model',
  async () => {
    const counts: Record<string, number> = {};
    for (let sequence = 0; sequence < SEQUENCES; sequence += 1) {
      const pick = generator(sequence + 1);
      const first = await createTask(sam, { clientId: clientA, type: 'misc', label: `Task ${sequence}` });
      const second = await createTask(sam, {
        clientId: clientA,
        taskGroupId: first.taskGroupId,
        type: 'misc',
        label: 'Other',
      });
      const models = new Map<string, Model>(
        [first, second].map(({ taskId }) => [taskId, { status: 'New', isDeleted: false, isOpened: false }]),
      );
      const history: string[] = [];
      for (let step = 0; step < ACTIONS_EACH; step += 1) {
        const [taskId, model] = pick([...models]);
        const [action, who] = [pick(ACTIONS), pick([ada, ada, sam, sam, sam, zoe, tom])];
        const input: ActionInput = { reason: pick(['', 'Because.', 'Because.']) };
        history.push(`${who.fullName} ${action}`);
        const expected = predicted(model, action, who, input);
        const actual = await performAction(who, taskId, action, input).then(
          ({ status }) => status,
          (error: unknown) => refusal(error)?.code ?? String(error),
        );
        const outcome = typeof expected === 'string' ? expected : expected.status;
        expect(actual, `sequence ${sequence}: ${history.join(', ')}`).toBe(outcome);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        if (typeof expected !== 'string') models.set(taskId, expected);
      }
      const states = [...models.values()].filter(({ isDeleted }) => !isDeleted).map(({ status }) => status);
      if (states.length === 0) continue;
      const group = await groupNamed(sam, first.taskGroupId, readOptions.parse({}));
      const isComplete = states.every((status) => !['New', 'WIP'].includes(status));
      expect(group.completedDate !== null, history.join(', ')).toBe(isComplete);
      if (isComplete) expect(states).toContain(group.status);
      else expect(group.status).toBe(states.every((status) => status === 'New') ? 'New' : 'WIP');
    }
    expect(await verifyTasks()).toEqual([]);
    // the sequences reach every outcome
    for (const outcome of [
      'New',
      'WIP',
      'Done',
      'Cancelled',
      'Received',
      'NOT_FOUND',
      'CLOSED',
      'NOT_POSSIBLE',
      'EMPTY',
    ])
      expect(counts[outcome], outcome).toBeGreaterThan(0);
  },
  SEQUENCES * 300 + 60_000,
);

test('what the firm has opened cannot be taken back', async () => {
  const { taskId } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Letter' });
  await performAction(ada, taskId, 'submit');
  expect((await performAction(ada, taskId, 'take-back')).status).toBe('WIP');
  await performAction(ada, taskId, 'submit');
  await performAction(sam, taskId, 'open');
  await expect(performAction(ada, taskId, 'take-back')).rejects.toMatchObject({ code: 'OPENED' });
  expect((await taskOf(ada, taskId)).status).toBe('Received');
});
