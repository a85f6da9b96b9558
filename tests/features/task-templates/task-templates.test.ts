import { expect, test } from 'vitest';
import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { STARTERS } from '#features/tasks/starter-questionnaires/all.ts';
import { questionRows, withQuestions, withSections } from '#features/tasks/task-templates/editing.ts';
import { listStarters, starterNamed } from '#features/tasks/task-templates/starters.server.ts';
import { dueDateOf } from '#features/tasks/task-templates/task-templates.ts';
import {
  archiveTemplate,
  chosenTemplate,
  copyTemplate,
  createTemplate,
  listTemplates,
  publishedTemplates,
  publishTemplate,
  reviewTemplates,
  saveDraft,
  templateOf,
} from '#features/tasks/task-templates/templates.server.ts';
import { createReview } from '#features/tasks/document-review/document-reviews.server.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, uploadAs } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, sam, tom, clientA, projectA } = await makeCast();

const form = (...labels: string[]): TemplateInput => ({
  format: 1,
  key: 'monthly',
  country: 'US',
  languages: ['en-us'],
  label: { 'en-us': 'Monthly papers' },
  sections: [
    {
      key: 'papers',
      label: { 'en-us': 'Papers' },
      items: labels.map((label, at) => ({
        kind: 'paragraph' as const,
        key: `question-${at + 1}`,
        label: { 'en-us': label },
      })),
    },
  ],
});
const named = (name: string) => ({ name, type: 'misc' as const, form: { ...form('Sales') } });
const code = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => refusal(error)?.code ?? String(error),
  );
const query = { searchTerm: '', show: 'current', from: 0 } as const;

test('a template is a draft until it is published, and a published version never changes', async () => {
  const id = await createTemplate(sam, named('Monthly papers'));
  expect(await code(chosenTemplate(sam, id))).toBe('NOT_FOUND');
  await publishTemplate(sam, id, 1);
  expect(await chosenTemplate(sam, id)).toMatchObject({ id, version: 1, name: 'Monthly papers' });

  const revision = await saveDraft(sam, id, { revision: 1, form: { ...form('Sales', 'Wages') } });
  expect(await templateOf(sam, id)).toMatchObject({ version: 1, hasDraft: true, revision });
  const before = await chosenTemplate(sam, id);
  expect(before.version).toBe(1);
  expect(before.form.sections[0]?.items).toHaveLength(1);
  await publishTemplate(sam, id, revision);
  const after = await chosenTemplate(sam, id);
  expect(after.version).toBe(2);
  expect(after.form.sections[0]?.items).toHaveLength(2);
  expect(await code(publishTemplate(sam, id, revision))).toBe('NOT_POSSIBLE');
});

test('a review asks what its template asks after the documents', async () => {
  const id = await createTemplate(sam, {
    ...named('Review of accounts'),
    type: 'document_review',
    dueRule: '+7',
  });
  const other = await createTemplate(sam, named('Not a review'));
  for (const each of [id, other]) await publishTemplate(sam, each, 1);
  const { listed, named: templateNamed } = await reviewTemplates(sam, 'en-us');
  expect(listed[0]).toEqual({ value: id, text: 'Review of accounts' });
  expect(await code(templateNamed(other))).toBe('NOT_FOUND');
  expect(await code(reviewTemplates(ada, 'en-us'))).toBe('FORBIDDEN');
  const template = await templateNamed(id);
  expect(template.dueDate).toMatch(/^\d{4}-\d\d-\d\d$/);
  const { id: accounts } = await uploadAs(sam, projectA, 'accounts.pdf', 'accounts');
  const { taskId } = await createReview(
    sam,
    {
      clientId: clientA,
      documentIds: [accounts],
      title: 'Accounts 2026',
      message: 'Please check.',
      dueDate: template.dueDate,
      sendNotification: false,
      template,
    },
    'en-us',
  );
  const row = await taskRow(ada, taskId);
  expect(row).toMatchObject({ template_id: id, template_version: 1, type: 'document_review' });
  const sections = (await formOfTask(row))?.sections ?? [];
  expect(sections.map(({ key, lead }) => [key, lead?.['en-us']])).toEqual([
    ['review', 'Please check.'],
    ['papers', undefined],
  ]);
  expect(sections[0]?.items[0]).toMatchObject({ kind: 'choice', document: accounts });
  expect(sections[1]?.items[0]?.label).toEqual({ 'en-us': 'Sales' });
});

test('two people never overwrite the draft of each other', async () => {
  const id = await createTemplate(sam, named('Payroll'));
  await saveDraft(sam, id, { revision: 1, name: 'Payroll 2026' });
  expect(await code(saveDraft(sam, id, { revision: 1, name: 'Payroll 2027' }))).toBe('EDIT_CONFLICT');
  expect(await code(publishTemplate(sam, id, 1))).toBe('EDIT_CONFLICT');
  expect((await templateOf(sam, id)).name).toBe('Payroll 2026');
});

test('a draft with problems is kept, and can only be published once they are corrected', async () => {
  const wrong = form('Sales', 'Why not?');
  const [, asked] = wrong.sections[0]!.items;
  asked!.when = { all: [{ op: 'answered', of: 'nothing' }] };
  const id = await createTemplate(sam, { name: 'Wrong', form: { ...wrong } });
  expect((await templateOf(sam, id)).problems).toMatchObject([{ code: 'templateReference' }]);
  expect(await code(publishTemplate(sam, id, 1))).toBe('INVALID');
  expect(await code(createTemplate(sam, { name: 'None', form: { format: 1 } }))).toBe('INVALID');
});

test('contacts and other firms see no template', async () => {
  const id = await createTemplate(sam, named('Ours'));
  await publishTemplate(sam, id, 1);
  for (const verb of [
    () => templateOf(tom, id),
    () => chosenTemplate(tom, id),
    () => copyTemplate(tom, id, 'Theirs'),
    () => saveDraft(tom, id, { revision: 1 }),
    () => publishTemplate(tom, id, 1),
    () => archiveTemplate(tom, id),
  ])
    expect(await code(verb())).toBe('NOT_FOUND');
  expect((await listTemplates(tom, query)).templates).toEqual([]);
  for (const verb of [
    () => listTemplates(ada, query),
    () => templateOf(ada, id),
    () => createTemplate(ada, named('Mine')),
    () => archiveTemplate(ada, id),
  ])
    expect(await code(verb())).toBe('FORBIDDEN');
});

test('a draft tax return is reviewed with a starter, in the language of the reader', async () => {
  const { listed, named: templateNamed } = await reviewTemplates(sam, 'en-us');
  const starters = listed.filter(({ value }) => value.startsWith('starter-'));
  expect(starters.map(({ text }) => text)).toEqual([
    'Review of the draft tax return (United States)',
    'Review of the draft tax return (Canada)',
    'Review of the draft tax return (United Kingdom)',
    'Review of the draft tax return (Brazil)',
  ]);
  const starting = await listStarters('en-us', 'pt');
  expect(starting.filter(({ type }) => type === 'document_review')).toHaveLength(4);
  expect(await code(templateNamed('starter-us-1040'))).toBe('NOT_FOUND');
  const template = await templateNamed('starter-br-draft-review');
  const { id: draft } = await uploadAs(sam, projectA, 'draft.pdf', 'draft');
  const { taskId } = await createReview(
    sam,
    {
      clientId: clientA,
      documentIds: [draft],
      title: template.name,
      message: '',
      dueDate: null,
      sendNotification: false,
      template,
    },
    'en-us',
  );
  const row = await taskRow(ada, taskId);
  const asked = await formOfTask(row);
  expect(taskTitle('pt', { ...row, taxYear: null }, asked)).toBe(
    'Revisão da minuta da declaração de imposto',
  );
  expect(asked?.sections.map(({ key, label }) => [key, label.pt])).toEqual([
    ['review', 'Revisão da minuta da declaração de imposto'],
    ['check', 'Confira a minuta'],
    ['filing', 'Antes da entrega'],
    ['closing', 'Antes de enviar'],
  ]);
});

test('an archived template is not offered any more, and can be used again', async () => {
  const id = await createTemplate(sam, named('Old'));
  await publishTemplate(sam, id, 1);
  await archiveTemplate(sam, id);
  expect((await publishedTemplates(sam)).map(({ templateId }) => templateId)).not.toContain(id);
  expect((await listTemplates(sam, { ...query, show: 'archived' })).templates).toMatchObject([
    { templateId: id, isArchived: true },
  ]);
  expect(await code(chosenTemplate(sam, id))).toBe('NOT_FOUND');
  expect(await code(saveDraft(sam, id, { revision: 1, name: 'New' }))).toBe('CLOSED');
  await archiveTemplate(sam, id, false);
  expect((await listTemplates(sam, { ...query, searchTerm: 'OLD' })).templates).toMatchObject([
    { templateId: id, isArchived: false },
  ]);
});

test('every starter can be used as it is, and copied; those of the own country come first', async () => {
  for (const { key } of STARTERS)
    expect((await starterNamed(`starter-${key}`))?.form.sections.length).toBeGreaterThan(0);
  expect((await listStarters('en-gb', 'en-gb'))[0]?.country).toBe('GB');
  expect((await listStarters('en-us', 'en-us'))[0]?.country).toBe('US');
  const id = await copyTemplate(sam, 'starter-us-1040', 'Our organizer');
  expect(await templateOf(sam, id)).toMatchObject({
    starter: 'us-1040',
    type: 'questionnaire',
    problems: [],
  });
});

test('editing the questions of a section keeps conditions, other languages and keys', async () => {
  const { form: organizer } = (await starterNamed('starter-us-1040'))!;
  const section = organizer.sections.find(({ items }) => items.some(({ when }) => when))!;
  const rows = questionRows(section, 'en-us');
  const unchanged = withQuestions(
    organizer,
    section.key,
    { label: section.label['en-us']!, lead: section.lead?.['en-us'] ?? '', questions: rows },
    'en-us',
  );
  expect(unchanged).toEqual(organizer);

  const conditional = section.items.findIndex(({ when }) => when);
  const edited = withQuestions(
    organizer,
    section.key,
    {
      label: 'Other title',
      lead: '',
      questions: [
        ...rows.map((row, at) => (at === conditional ? { ...row, label: 'Other words', position: 0 } : row)),
        { key: '', position: 99, label: 'New', kind: 'choice', isRequired: true, hint: '', choices: 'A\nB' },
      ],
    },
    'en-us',
  );
  const items = edited.sections.find(({ key }) => key === section.key)!.items;
  const original = section.items[conditional]!;
  expect(items[0]).toEqual({ ...original, label: { ...original.label, 'en-us': 'Other words' } });
  expect(items.at(-1)).toMatchObject({
    kind: 'choice',
    required: true,
    choices: [{ label: { 'en-us': 'A' } }, {}],
  });
});

test('sections are renamed, reordered, added and removed', async () => {
  const { form: organizer } = (await starterNamed('starter-uk-personal'))!;
  const [first, second] = organizer.sections;
  const edited = withSections(
    organizer,
    [
      { key: first!.key, position: 2, label: 'First' },
      { key: second!.key, position: 1, label: 'Second' },
      { key: '', position: 3, label: 'More' },
    ],
    'en-gb',
  );
  expect(edited.sections.map(({ label }) => label['en-gb'])).toEqual(['Second', 'First', 'More']);
  expect(edited.sections[1]?.items).toEqual(first!.items);
  expect(new Set(edited.sections.map(({ key }) => key)).size).toBe(3);
});

test('a rule gives the due date of a task by the day on which it is created', () => {
  expect(dueDateOf('', '2026-02-10')).toBeUndefined();
  expect(dueDateOf('+20', '2026-02-10')).toBe('2026-03-02');
  expect(dueDateOf('04-15', '2026-04-15')).toBe('2026-04-15');
  expect(dueDateOf('04-15', '2026-04-16')).toBe('2027-04-15');
  expect(dueDateOf('02-29', '2026-01-01')).toBe('2026-02-28');
  expect(dueDateOf('02-29', '2028-01-01')).toBe('2028-02-29');
});

test('programs create, change, publish and archive templates', async () => {
  const call = apiAs(sam);
  const path = '/api/client-center/v3/task-templates';
  const created = (await (await call('POST', path, { json: named('By a program') })).json()) as {
    data: { templateId: string; revision: number };
  };
  const { templateId } = created.data;
  const changed = await call('PATCH', `${path}/${templateId}`, {
    json: { revision: 1, form: { ...form('Sales', 'Wages') }, dueRule: '+14' },
  });
  expect(await changed.json()).toMatchObject({ data: { revision: 2, dueRule: '+14', problems: [] } });
  const published = await call('POST', `${path}/${templateId}/publish`, { json: { revision: 2 } });
  expect(await published.json()).toMatchObject({ data: { version: 1, hasDraft: false } });
  const refused = await call('POST', path, { json: { name: 'Wrong', form: { format: 1 } } });
  expect(refused.status).toBe(422);
  await call('DELETE', `${path}/${templateId}`);
  expect(await (await call('GET', `${path}/${templateId}`)).json()).toMatchObject({
    data: { isArchived: true },
  });
});
