import { expect, test } from 'vitest';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { patchTask } from '#features/tasks/tasks/editing.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { staffTaskPage } from '#features/tasks/task-review/staff-task-page.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, sam, clientA } = await makeCast();
const text = (en: string) => ({ 'en-us': en });

const ask = async (): Promise<string> =>
  (
    await createTask(sam, {
      clientId: clientA,
      type: 'questionnaire',
      label: 'Organizer',
      form: {
        format: 1,
        key: 'you',
        country: 'US',
        languages: ['en-us'],
        label: text('You'),
        sections: [
          {
            key: 'you',
            label: text('About you'),
            items: [
              { kind: 'text', key: 'name', label: text('Name'), required: true },
              { kind: 'text', key: 'phone', label: text('Phone') },
            ],
          },
        ],
      },
    })
  ).taskId;

/** What the firm's page of a task shows of the answers. */
async function shownToFirm(taskId: string) {
  const page = await staffTaskPage(
    {
      url: new URL(`http://localhost/clientcenter/en-us/staff/tasks/${taskId}`),
      request: new Request('http://localhost/'),
      response: {},
      locals: {
        lang: 'en-us',
        session: sessionAs(sam),
        pathTo: (path = '') => `/clientcenter/en-us/${path}`,
      },
    },
    taskId,
  );
  if (page instanceof Response) throw new Error(`The page answered ${page.status}.`);
  return {
    progress: page.progress,
    answers: page.sections.flatMap(({ answers }) => answers.map((answer) => answer.text)),
    comments: page.comments,
    comment: (await taskOf(sam, taskId)).comment,
  };
}

test('staff see how far a client is, and only what was submitted', async () => {
  const taskId = await ask();
  const answer = (value: string) => saveAnswers(ada, taskId, [{ path: 'you.name', value }]);
  const step = { title: 'About you', total: 2 };
  expect(await shownToFirm(taskId)).toMatchObject({ progress: [{ ...step, settled: 0 }], answers: [] });

  await answer('Ada half-ty');
  await patchTask(ada, taskId, { comment: 'Not sure yet' });
  expect(await shownToFirm(taskId)).toEqual({
    progress: [{ ...step, settled: 1 }],
    answers: [],
    comments: [],
    comment: '',
  });

  await answer('Ada Lovelace');
  await patchTask(ada, taskId, { comment: 'As agreed' });
  await performAction(ada, taskId, 'submit');
  const submitted = { answers: ['Ada Lovelace', ''], comments: ['As agreed'] };
  expect(await shownToFirm(taskId)).toEqual({ ...submitted, progress: [], comment: 'As agreed' });

  await performAction(sam, taskId, 'return', { reason: 'Please add your phone number.' });
  await answer('Ada L. of the new draft');
  await patchTask(ada, taskId, { comment: 'A new remark' });
  expect(await shownToFirm(taskId), 'what was returned, not the new draft').toEqual({
    ...submitted,
    progress: [{ ...step, settled: 1 }],
    comment: '',
  });

  await performAction(ada, taskId, 'submit');
  expect((await shownToFirm(taskId)).answers).toEqual(['Ada L. of the new draft', '']);
});

test('staff see neither answers nor progress of a task that the client removed, but why', async () => {
  const taskId = await ask();
  await saveAnswers(ada, taskId, [{ path: 'you.name', value: 'Ada' }]);
  await performAction(ada, taskId, 'set-not-applicable', { reason: 'We have moved.' });
  expect(await shownToFirm(taskId)).toMatchObject({ progress: [], answers: [], comments: [] });
  expect((await taskOf(sam, taskId)).doesNotApplyComment).toBe('We have moved.');
});
