import { expect, test } from 'vitest';
import { saveChanges } from '#features/tasks/task-answers/autosaving.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import { en, sectionOf, templateOf } from '../questionnaires/support.ts';
import '../../../src/app.server.ts';

const { ada, ben, sam, zoe, clientA } = await makeCast();
const form = templateOf([
  sectionOf('person', [{ kind: 'lookup', key: 'nationality', label: en('Nationality'), list: 'countries' }]),
]);
const { taskId } = await createTask(sam, { clientId: clientA, type: 'questionnaire', label: 'Person', form });
const lookup = (list: string, query: string) =>
  `/api/client-center/v3/tasks/${taskId}/lookups/${list}?${query}`;

test('the contacts of a client and its staff find entries of a list that the task asks for', async () => {
  for (const who of [ada, sam]) {
    const answer = await apiAs(who)('GET', lookup('countries', 'language=pt&q=alem'));
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { data: { entries: [{ key: 'DE', text: 'Alemanha' }] } },
    ]);
  }
});

test('a list of another task, and a task of somebody else, are not found', async () => {
  expect((await apiAs(ada)('GET', lookup('employees', 'q=a'))).status).toBe(404);
  for (const who of [ben, zoe])
    expect((await apiAs(who)('GET', lookup('countries', 'q=a'))).status).toBe(404);
});

test('words that are too long, and a language that there is not, are refused', async () => {
  expect((await apiAs(ada)('GET', lookup('countries', `q=${'a'.repeat(201)}`))).status).toBe(422);
  expect((await apiAs(ada)('GET', lookup('countries', 'language=tlh&q=a'))).status).toBe(422);
});

test('what is typed becomes the entry when it is saved, and the editor is told', async () => {
  const send = async (value: unknown, sequence: number, base: number) => {
    const changes = [{ path: 'person.nationality', value, base, sequence, known: undefined }];
    const [result] = await saveChanges(ada, taskId, { tab: 'tab-of-ada-1', language: 'en-us', changes });
    const stored = (await questionAnswers(taskId)).answers['person.nationality'];
    return { ...result, stored };
  };
  expect(await send('Braz', 1, 0)).toMatchObject({ stored: 'Braz', problem: { code: 'entryUnknown' } });
  const brazil = { key: 'BR', text: 'Brazil' };
  expect(await send('Brazil', 2, 1)).toMatchObject({ result: 'saved', stored: brazil, entry: brazil });
  // a program sends the key; its text is that of the list
  expect(await send({ key: 'PT', text: 'Brazil' }, 3, 2)).toMatchObject({
    stored: { key: 'PT', text: 'Portugal' },
  });
  expect(await send({ key: 'XX', text: 'Nowhere' }, 4, 3)).toMatchObject({
    stored: 'Nowhere',
    problem: { code: 'entryUnknown' },
  });
});
