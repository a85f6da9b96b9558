import { beforeEach, describe, expect, test } from 'vitest';
import {
  performAction,
  performSystemAction,
  type SystemAction,
} from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { groupNamed, taskOf } from '#features/tasks/tasks/reading.server.ts';
import type { TaskAction } from '#features/tasks/tasks/rules.ts';
import { readOptions } from '#features/tasks/tasks/tasks.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Tasks whose course another feature decides, such as signatures and payments. */

const { ada, sam, clientA } = await makeCast();
const by = ada.contactId;
let taskId: string;

const create = async (): Promise<string> => {
  const input = { clientId: clientA, type: 'esign', label: 'Engagement letter' } as const;
  return (await createTask(sam, input, { acceptedBy: 'system', isPrepared: true })).taskId;
};

beforeEach(async () => {
  taskId = await create();
});

describe('a task whose course another feature decides', () => {
  test('is submitted and confirmed by that feature, and completes its group', async () => {
    await performSystemAction(taskId, 'start', { by });
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
    await performSystemAction(taskId, 'submit', { by, content: { evidence: 'abc' } });
    expect((await taskOf(ada, taskId)).status).toBe('Received');
    await performSystemAction(taskId, 'confirm', { by });
    const { status, taskGroupId } = await taskOf(ada, taskId);
    expect(status).toBe('Done');
    expect((await groupNamed(ada, taskGroupId, readOptions.parse({}))).completedDate).not.toBeNull();
  });

  test('is pending again after a failure, and can be submitted again', async () => {
    await performSystemAction(taskId, 'submit', { by });
    await performSystemAction(taskId, 'fail', { by, reason: 'The card was refused.' });
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
    await performSystemAction(taskId, 'submit', { by });
    expect((await taskOf(ada, taskId)).status).toBe('Received');
  });

  test('is declined with a reason only', async () => {
    await expect(performSystemAction(taskId, 'decline', { by })).rejects.toMatchObject({ code: 'EMPTY' });
    await performSystemAction(taskId, 'decline', { by, reason: 'Wrong name.' });
    expect(await taskOf(sam, taskId)).toMatchObject({
      status: 'Cancelled',
      doesNotApplyComment: 'Wrong name.',
    });
  });

  test.each<[TaskAction, 'client' | 'firm']>([
    ['submit', 'client'],
    ['set-not-applicable', 'client'],
    ['confirm', 'client'],
    ['accept', 'firm'],
    ['return', 'firm'],
    ['confirm', 'firm'],
  ])('cannot be changed by "%s" of the %s', async (action, side) => {
    const actor = side === 'client' ? ada : sam;
    const refused = { code: 'NOT_POSSIBLE' };
    await expect(performAction(actor, taskId, action, { reason: 'x' })).rejects.toMatchObject(refused);
    expect((await taskOf(sam, taskId)).status).toBe('New');
  });

  test('is neither taken back nor cancelled or reopened once it is submitted', async () => {
    await performSystemAction(taskId, 'submit', { by });
    const refused = { code: 'NOT_POSSIBLE' };
    await expect(performAction(ada, taskId, 'take-back')).rejects.toMatchObject(refused);
    await expect(performAction(sam, taskId, 'cancel')).rejects.toMatchObject(refused);
    await expect(performAction(sam, taskId, 'reopen')).rejects.toMatchObject(refused);
    await performSystemAction(taskId, 'confirm', { by });
    await expect(performAction(sam, taskId, 'reopen')).rejects.toMatchObject(refused);
  });

  test('can be cancelled by the firm while it is pending', async () => {
    expect((await performAction(sam, taskId, 'cancel')).status).toBe('Cancelled');
  });

  test('is changed within the transaction of the feature', async () => {
    const broken = inTransaction(async () => {
      await performSystemAction(taskId, 'submit', { by });
      throw new Error('The feature failed.');
    });
    await expect(broken).rejects.toThrow('The feature failed.');
    expect((await taskOf(ada, taskId)).status).toBe('New');
  });
});

test.each<SystemAction>(['submit', 'confirm', 'decline'])(
  'no other feature can "%s" a task that the firm accepts',
  async (action) => {
    const { taskId: other } = await createTask(sam, { clientId: clientA, type: 'misc', label: 'Letter' });
    await expect(performSystemAction(other, action, { by, reason: 'x' })).rejects.toMatchObject({
      code: 'NOT_POSSIBLE',
    });
  },
);
