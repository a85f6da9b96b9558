import { expect, test } from 'vitest';
import { taskPage } from '#features/tasks/task-page/task-page.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, sam, clientA } = await makeCast();

const ask = async (): Promise<string> => {
  const task = ownTask(
    {
      title: 'Questions about the year',
      message: '',
      taxYear: '',
      dueDate: '',
      items: [
        { label: 'What changed?', kind: 'paragraph', isRequired: true },
        { label: 'Who moved?', kind: 'paragraph', isRequired: true },
      ],
    },
    'en-us',
  );
  return (await createTask(sam, { clientId: clientA, ...task })).taskId;
};

/** The questions that the contact's page of a task lists, each with its answer. */
async function listed(taskId: string): Promise<string[]> {
  const page = await taskPage(
    {
      url: new URL(`http://localhost/clientcenter/en-us/tasks/clients/${clientA}/task/${taskId}?step=check`),
      request: new Request('http://localhost/'),
      response: {},
      locals: {
        lang: 'en-us',
        session: sessionAs(ada),
        pathTo: (path = '') => `/clientcenter/en-us/${path}`,
      },
    },
    clientA,
    taskId,
  );
  if (page instanceof Response) throw new Error(`The page answered ${page.status}.`);
  return page.sections.flatMap(({ answers }) => answers.map(({ label, text }) => `${label} ${text}`.trim()));
}

test('a task that does not apply lists what was answered, and none of the other questions', async () => {
  const [taskId, untouched] = [await ask(), await ask()];
  await saveAnswers(ada, taskId, [{ path: 'request.item-1', value: 'We moved.' }]);
  expect(await listed(taskId)).toEqual(['What changed? We moved.', 'Who moved?']);
  for (const id of [taskId, untouched])
    await performAction(ada, id, 'set-not-applicable', { reason: 'Somebody else does it.' });
  expect(await listed(taskId)).toEqual(['What changed? We moved.']);
  expect(await listed(untouched)).toEqual([]);
});
