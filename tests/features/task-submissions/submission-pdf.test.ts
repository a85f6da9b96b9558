import { PDF } from '@libpdf/core';
import { expect, test } from 'vitest';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers, saveComment, setStepNotApplicable } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { uploadToTask } from '#features/tasks/task-answers/files.server.ts';
import { submissionPdf } from '#features/tasks/task-submissions/submission-pdf.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import type { Lang } from '#platform/text/languages.ts';
import { fileOf, makeCast, pdf } from '../../support/cast.ts';
import { elementsIn, structureOf, type PdfElement, type PdfStructure } from '../../support/pdf-structure.ts';
import '../../../src/app.server.ts';

/* The PDF of what a client submitted, as screen readers read it: headings, tables and lists, in the reader's language. */

const { ada, sam, clientA } = await makeCast();

const text = (en: string, others: { pt: string; es: string; fr: string }) => ({ 'en-us': en, ...others });
const same = (all: string) => text(all, { pt: all, es: all, fr: all });

const ask = (taxYear: number, questions = 2): Promise<Task> =>
  createTask(sam, {
    clientId: clientA,
    type: 'questionnaire',
    label: 'Organizer',
    params: { taxYear },
    form: {
      format: 1,
      key: 'family-pdf',
      country: 'US',
      languages: ['en-us', 'pt', 'es', 'fr'],
      label: same('Family'),
      sections: [
        {
          key: 'you',
          label: text('You', { pt: 'Você', es: 'Usted', fr: 'Vous-même' }),
          items: [
            {
              kind: 'text',
              key: 'name',
              label: text('Full name', {
                pt: 'Nome e endereço da mãe',
                es: '¿Cuál es su apellido y dirección?',
                fr: 'Prénom à l’état civil',
              }),
            },
            { kind: 'identifier', key: 'ssn', scheme: 'ssn', label: same('SSN') },
            { kind: 'money', key: 'rent', currency: 'USD', label: same('Rent') },
            { kind: 'files', key: 'papers', label: same('Papers') },
            ...Array.from({ length: questions }, (_, at) => ({
              kind: 'text' as const,
              key: `other-${at}`,
              label: same(`Other ${at}`),
            })),
          ],
        },
        {
          key: 'business',
          label: same('Business'),
          items: [{ kind: 'text', key: 'what', label: same('What it does'), required: true }],
        },
      ],
    },
  });

async function submitted(taxYear: number, name: string, questions?: number): Promise<Task> {
  const task = await ask(taxYear, questions);
  await saveAnswers(ada, task.taskId, [
    { path: 'you.name', value: name },
    { path: 'you.ssn', value: '123456789' },
    { path: 'you.rent', value: { minor: 125_000, currency: 'USD' } },
  ]);
  await uploadToTask(ada, task.taskId, 'you.papers', {
    name: `lease ${taxYear} ${name}.pdf`,
    bytes: fileOf(pdf(name)),
  });
  await setStepNotApplicable(ada, task.taskId, 2, 'I have none');
  await saveComment(ada, task.taskId, { number: 1, comment: 'Line one\nمرحبا' });
  await performAction(ada, task.taskId, 'submit');
  return task;
}

async function structure(task: Task, lang: Lang = 'en-us'): Promise<PdfStructure> {
  return structureOf((await submissionPdf(ada, task.taskId, lang)).bytes);
}

const textsOf = (elements: readonly PdfElement[]): string[] => elements.map((element) => element.text.trim());
/** A row of a table with what each cell says. */
const rowsOf = (table: PdfElement | undefined): string[][] =>
  (table ? elementsIn(table, 'TR') : []).map((row) => textsOf(row.kids));

test('a screen reader finds the headings, the questions as a table with headings, and the rest as lists', async () => {
  const { isTagged, pages } = await structure(await submitted(2020, 'José'));
  expect(isTagged).toBe(true);
  const [{ root, artifacts } = { root: undefined, artifacts: '' }] = pages;
  if (!root) throw new Error('The page has no structure.');
  expect(root.type).toBe('Document');
  expect(textsOf(elementsIn(root, 'H1'))).toEqual(['Organizer 2020']);
  expect(textsOf(elementsIn(root, 'H2'))).toEqual([
    'Submission',
    'You',
    'Business',
    'Documents and their fingerprints (SHA-256)',
    'Comments',
  ]);
  const [table] = elementsIn(root, 'Table');
  expect(rowsOf(table)).toEqual([
    ['Question', 'Answer'],
    ['Full name', 'José'],
    ['SSN', '•••-••-6789'],
    ['Rent', '$1,250.00'],
    ['Papers', 'lease 2020 José.pdf'],
    ['Other 0', 'No answer'],
    ['Other 1', 'No answer'],
  ]);
  expect(elementsIn(root, 'TH').map(({ scope }) => scope)).toEqual([
    'Column',
    'Column',
    ...Array.from({ length: 6 }, () => 'Row'),
  ]);
  const labels = textsOf(elementsIn(root, 'Lbl'));
  for (const label of ['Submitted', 'Confirmation', 'Doesn’t apply', 'lease 2020 José.pdf'])
    expect(labels).toContain(label);
  const values = textsOf(elementsIn(root, 'LBody'));
  expect(values).toContain('I have none');
  expect(values.filter((value) => /^[\da-f]{64}$/.test(value))).toHaveLength(2);
  // the footer is on every page and is not read there; what is drawn as an image is read as letters
  expect(artifacts).toMatch(/confirmation \d+ · SHA-256 [\da-f]{64}.*1 \/ 1/s);
  expect(textsOf(elementsIn(root, 'P'))).toEqual(expect.arrayContaining(['Line one', 'مرحبا']));
});

test('a PDF names its language and shows its title, with the letters of each language', async () => {
  const task = await submitted(2030, 'Zoë');
  for (const [lang, tag, expected] of [
    ['pt', 'pt-BR', ['Você', 'Pergunta', 'Nome e endereço da mãe', 'Não se aplica']],
    ['es', 'es-AR', ['Usted', 'Pregunta', '¿Cuál es su apellido y dirección?', 'No corresponde']],
    ['fr', 'fr-CA', ['Vous-même', 'Réponse', 'Prénom à l’état civil', 'Ne s’applique pas']],
  ] as const) {
    const { bytes } = await submissionPdf(ada, task.taskId, lang);
    const written = await PDF.load(bytes);
    expect(written.getLanguage()).toBe(tag);
    expect(written.getTitle()).toBe('Organizer 2030');
    const preferences = written.context.catalog
      .getDict()
      .getDict('ViewerPreferences', written.context.registry.resolve.bind(written.context.registry));
    expect(preferences?.getBool('DisplayDocTitle')?.value).toBe(true);
    const { pages } = await structureOf(bytes);
    const said = pages.flatMap(({ root }) =>
      ['H2', 'TH', 'Lbl'].flatMap((type) => textsOf(elementsIn(root, type))),
    );
    for (const each of expected) expect(said).toContain(each);
  }
});

test('the answers of last year are beside those of this year, with a mark where they are different', async () => {
  const before = await submitted(2040, 'José');
  await performAction(sam, before.taskId, 'accept');
  const { pages } = await structure(await submitted(2041, 'Maria José'));
  const [table] = pages.flatMap(({ root }) => elementsIn(root, 'Table'));
  expect(rowsOf(table).slice(0, 5)).toEqual([
    ['Question', 'Answer', 'Last year', 'Change'],
    ['Full name', 'Maria José', 'José', 'Changed'],
    ['SSN', '•••-••-6789', '•••-••-6789', '–'],
    ['Rent', '$1,250.00', '$1,250.00', '–'],
    ['Papers', 'lease 2041 Maria José.pdf', 'lease 2040 José.pdf', '–'],
  ]);
});

test('the headings that a table repeats on its next pages are skipped by screen readers', async () => {
  const { pages } = await structure(await submitted(2050, 'José', 70));
  expect(pages.length).toBeGreaterThan(1);
  const headings = pages.map(({ root }) =>
    textsOf(elementsIn(root, 'TH').filter(({ scope }) => scope === 'Column')).filter((each) => each !== ''),
  );
  expect(headings.flat()).toEqual(['Question', 'Answer']);
  expect(pages[1]?.artifacts).toContain('Question');
  const others = pages
    .flatMap(({ root }) => textsOf(elementsIn(root, 'TH')))
    .filter((each) => each.startsWith('Other'));
  expect(others).toEqual(Array.from({ length: 70 }, (_, at) => `Other ${at}`));
});
