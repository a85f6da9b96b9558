import { expect, test } from 'vitest';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { saveReason } from '#features/tasks/tasks/finding-reasons.server.ts';
import { taskFindings } from '#features/tasks/tasks/findings.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { submittedAnswers } from '#features/tasks/task-submissions/answers-view.server.ts';
import { makeCast } from '../../support/cast.ts';
import { en, sectionOf, templateOf } from '../questionnaires/support.ts';
import '../../../src/app.server.ts';

/* A task whose questions a rule is about: what the law forbids cannot be submitted, what it asks a reason for needs one. */

const { ada, ben, sam, clientA } = await makeCast();
const ROW = 'abcdefghijk1';

const form = templateOf(
  [
    sectionOf('vacation', [
      { kind: 'date', key: 'since', label: en('Since') },
      { kind: 'number', key: 'missed', label: en('Absences') },
      {
        kind: 'group',
        key: 'part',
        label: en('Parts'),
        one: en('Part'),
        addLabel: en('Add a part'),
        max: 3,
        items: [
          { kind: 'date', key: 'from', label: en('From') },
          { kind: 'number', key: 'length', label: en('Days') },
        ],
      },
    ]),
  ],
  {
    country: 'BR',
    checks: [
      {
        rule: 'br-vacation',
        of: {
          periodStart: 'vacation.since',
          absences: 'vacation.missed',
          'parts.start': 'vacation.part.from',
          'parts.days': 'vacation.part.length',
        },
      },
    ],
  },
);

/** Asks for a vacation of 30 days, whose year of work has long been used up. */
async function ask(from: string): Promise<string> {
  const { taskId } = await createTask(sam, {
    clientId: clientA,
    type: 'questionnaire',
    label: 'Vacation',
    form,
  });
  await saveAnswers(ada, taskId, [
    { path: 'vacation.since', value: '2020-03-02' },
    { path: 'vacation.missed', value: 0 },
    { path: 'vacation.part#order', value: [ROW] },
    { path: `vacation.part.${ROW}.from`, value: from },
    { path: `vacation.part.${ROW}.length`, value: 30 },
  ]);
  return taskId;
}

const findings = async (taskId: string) => {
  const row = await taskRow(ada, taskId);
  const template = await formOfTask(row);
  if (!template) throw new Error('no form');
  return taskFindings(row, template, await questionAnswers(taskId), 'en-us');
};
const submit = (taskId: string) => performAction(ada, taskId, 'submit');

test('what a rule forbids is not submitted, and the answer is named', async () => {
  const taskId = await ask('2040-12-24'); // the day before a holiday
  expect(await findings(taskId)).toContainEqual(expect.objectContaining({ id: 'V5', severity: 'blocks' }));
  await expect(submit(taskId)).rejects.toMatchObject({
    code: 'INCOMPLETE',
    details: { paths: expect.arrayContaining([`vacation.part.${ROW}.from`]) as unknown },
  });
});

test('what a rule asks a reason for is submitted with the reason, which the firm reads', async () => {
  const taskId = await ask('2040-12-10');
  const asked = (await findings(taskId)).filter(({ severity }) => severity === 'confirms');
  expect(asked.map(({ id }) => id)).toEqual(['V4']);
  await expect(submit(taskId)).rejects.toMatchObject({ code: 'INCOMPLETE' });
  await saveReason(ada, taskId, { rule: 'br-vacation', id: 'V4', reason: ' Agreed with the union ' });
  await submit(taskId);
  const submitted = await submittedAnswers(taskId);
  expect(submitted?.findings).toContainEqual(
    expect.objectContaining({
      id: 'V4',
      reason: 'Agreed with the union',
      law: expect.stringContaining('134') as unknown,
    }),
  );
  expect(submitted?.comments).toEqual([]);
});

test('a reason is removed by an empty one, and is none for a rule that the task does not name', async () => {
  const taskId = await ask('2040-12-10');
  const reason = (text: string, rule = 'br-vacation', id = 'V4') =>
    saveReason(ada, taskId, { rule, id, reason: text });
  await reason('Agreed');
  await reason('  ');
  await expect(submit(taskId)).rejects.toMatchObject({ code: 'INCOMPLETE' });
  await expect(reason('x', 'other-rule')).rejects.toMatchObject({ code: 'INVALID' });
  await expect(reason('x', 'br-vacation', 'V4#comment')).rejects.toMatchObject({ code: 'INVALID' });
  await expect(reason('x'.repeat(4001))).rejects.toMatchObject({ code: 'INVALID' });
  await expect(saveReason(ben, taskId, { rule: 'br-vacation', id: 'V4', reason: 'x' })).rejects.toMatchObject(
    {
      code: 'NOT_FOUND',
    },
  );
});
