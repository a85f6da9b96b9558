import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers, saveComment, setStepNotApplicable } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { uploadToTask } from '#features/tasks/task-answers/files.server.ts';
import { submissionFile, type SubmissionFile } from '#features/tasks/task-submissions/submission-file.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { readPdf } from '#features/documents/viewer/worker.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { apiAs } from '../../support/api.ts';
import { fileOf, makeCast, pdf, person } from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import '../../../src/app.server.ts';

/*
 * What a client submitted as a PDF, and as JSON for programs of the firm: from the frozen submission, for those who see
 * the task, and with sensitive answers masked.
 */

const { ada, ben, cleo, sam, zoe, tom, clientA, firmOne } = await makeCast();

const text = (en: string, pt: string) => ({ 'en-us': en, pt });
const SSN = '123456789';

const ask = (label = 'Organizer'): Promise<Task> =>
  createTask(sam, {
    clientId: clientA,
    type: 'questionnaire',
    label,
    params: { taxYear: 2026 },
    form: {
      format: 1,
      key: 'family',
      country: 'US',
      languages: ['en-us', 'pt'],
      label: text('Family', 'Família'),
      sections: [
        {
          key: 'you',
          label: text('You', 'Você'),
          items: [
            { kind: 'text', key: 'name', tag: 'id.name', label: text('Full name', 'Nome completo') },
            { kind: 'identifier', key: 'ssn', scheme: 'ssn', label: text('SSN', 'SSN') },
            { kind: 'money', key: 'rent', currency: 'USD', label: text('Rent', 'Aluguel') },
            { kind: 'files', key: 'papers', label: text('Papers', 'Papéis') },
            {
              kind: 'group',
              key: 'child',
              label: text('Children', 'Filhos'),
              one: text('Child', 'Filho'),
              addLabel: text('Add', 'Adicionar'),
              max: 3,
              items: [{ kind: 'text', key: 'name', label: text('Name', 'Nome') }],
            },
          ],
        },
        {
          key: 'business',
          label: text('Business', 'Empresa'),
          items: [{ kind: 'text', key: 'what', label: text('What it does', 'O que faz'), required: true }],
        },
      ],
    },
  });

async function submitted(label?: string): Promise<Task> {
  const task = await ask(label);
  await saveAnswers(ada, task.taskId, [
    { path: 'you.name', value: '=HYPERLINK("x") José' },
    { path: 'you.ssn', value: SSN },
    { path: 'you.rent', value: { minor: 125_000, currency: 'USD' } },
    { path: 'you.child#order', value: ['child1xxxxxx'] },
    { path: 'you.child.child1xxxxxx.name', value: 'Zoë' },
  ]);
  await uploadToTask(ada, task.taskId, 'you.papers', { name: 'lease.pdf', bytes: fileOf(pdf('lease')) });
  await setStepNotApplicable(ada, task.taskId, 2, 'I have none');
  await saveComment(ada, task.taskId, { number: 1, comment: 'Line one\nline two' });
  await performAction(ada, task.taskId, 'submit');
  return task;
}

const get = (actor: Actor, { taskId }: Task, file: string, language: Lang = 'en-us'): Promise<Response> =>
  apiAs(actor)('GET', `/api/client-center/v3/tasks/${taskId}/${file}?language=${language}`);

async function jsonOf(task: Task, language: Lang = 'en-us'): Promise<SubmissionFile> {
  const answer = await get(sam, task, 'submission', language);
  expect(answer.status).toBe(200);
  return submissionFile.parse(((await answer.json()) as { data: unknown }).data);
}

async function textOf(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  const read = await readPdf(
    { key: sha256(bytes), bytes: () => Readable.from([bytes]), asker: { person: 'p', firm: 'f' } },
    { from: 1 },
  );
  if ('refused' in read) throw new Error(read.refused);
  return read.pages
    .flatMap(({ runs }) => runs)
    .map((run) => run.text)
    .join(' ');
}

test('the firm gets a submission as JSON in its documented shape, with sensitive answers masked', async () => {
  const task = await submitted();
  const file = await jsonOf(task);
  expect(file.task).toMatchObject({ taskId: task.taskId, clientId: clientA, taxYear: 2026 });
  expect(file.submission).toMatchObject({ number: 1, submittedBy: ada.fullName, decision: '' });
  expect(file.answers.map(({ path, value, display }) => [path, value, display])).toEqual([
    ['you.name', '=HYPERLINK("x") José', '=HYPERLINK("x") José'],
    ['you.ssn', null, '•••-••-6789'],
    ['you.rent', { minor: 125_000, currency: 'USD' }, '$1,250.00'],
    ['you.papers', [file.files[0]?.documentId], ''],
    ['you.child.child1xxxxxx.name', 'Zoë', 'Zoë'],
  ]);
  expect(file.answers[0]?.tag).toBe('id.name');
  expect(file.answers.at(-1)?.row).toBe('Child 1');
  expect(file.files).toMatchObject([{ path: 'you.papers', name: expect.stringMatching(/^lease/) as string }]);
  expect(file.notApplicable).toEqual([{ section: 'business', reason: 'I have none' }]);
  expect(file.comments).toEqual([{ step: 1, text: 'Line one\nline two' }]);
  expect(JSON.stringify(file)).not.toContain(SSN);
});

test('the texts of both files are in the language that is asked for', async () => {
  const task = await submitted();
  expect((await jsonOf(task, 'pt')).answers[0]?.label).toBe('Nome completo');
  const words = await textOf(await get(ada, task, 'submission.pdf', 'pt'));
  for (const part of ['Nome completo', 'Aluguel', 'Não se aplica', 'I have none', 'lease', 'Protocolo'])
    expect(words).toContain(part);
});

test('the PDF has every answer, masks sensitive ones, and names the confirmation on each page', async () => {
  const task = await submitted();
  const answer = await get(ada, task, 'submission.pdf');
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  const words = await textOf(answer);
  const { submission } = await jsonOf(task);
  for (const part of ['José', '•••-••-6789', '$1,250.00', 'Child 1: Name', 'Zoë', 'Line one'])
    expect(words).toContain(part);
  expect(words).toContain(`confirmation ${submission.receipt}`);
  expect(words).not.toContain(SSN);
});

test('the names of the files are safe in any language', async () => {
  const task = await submitted('Année 2026/"clé"\r\nد');
  const disposition = (await get(sam, task, 'submission.pdf')).headers.get('content-disposition') ?? '';
  expect(disposition).toMatch(/^attachment; filename="[ -~]*"; filename\*=UTF-8''[\w%.~!'()*-]+$/);
  expect(decodeURIComponent(disposition)).toContain('Année 2026_');
});

test('only those who see the task get its PDF, and only staff its JSON', async () => {
  const task = await submitted();
  for (const other of [ben, zoe, tom]) expect((await get(other, task, 'submission.pdf')).status).toBe(404);
  expect((await get(tom, task, 'submission')).status).toBe(404);
  expect((await get(ada, task, 'submission')).status).toBe(403);
  expect((await get(cleo, task, 'submission.pdf')).status).toBe(200);
});

test('there is no file before the first submission, nor of one that was taken back', async () => {
  const task = await ask();
  expect((await get(ada, task, 'submission.pdf')).status).toBe(404);
  const other = await submitted();
  await performAction(ada, other.taskId, 'take-back');
  expect((await get(sam, other, 'submission')).status).toBe(404);
});

test('a later change of an answer does not change what was submitted', async () => {
  const task = await submitted();
  await performAction(sam, task.taskId, 'open');
  await performAction(sam, task.taskId, 'return', { reason: 'Check the name' });
  await saveAnswers(ada, task.taskId, [{ path: 'you.name', value: 'Changed' }]);
  expect((await jsonOf(task)).answers[0]?.value).toContain('José');
});

test('each file that is fetched has a confirmation, and ends the right to take the submission back', async () => {
  const task = await submitted();
  await jsonOf(task);
  const receipts = await db()
    .selectFrom('receipts')
    .select(['kind', 'actor'])
    .where('document_id', '=', task.taskId)
    .where('kind', '=', 'download')
    .execute();
  expect(receipts).toEqual([{ kind: 'download', actor: sam.contactId }]);
  await expect(performAction(ada, task.taskId, 'take-back')).rejects.toMatchObject({ code: 'OPENED' });
});

describe('an export of all data', () => {
  test('has each submission as it was frozen, whose digest is that of its confirmation', async () => {
    const task = await submitted('To export');
    const files = await exportOf(sam, clientA);
    const [row] = tableIn(files, 'submissions.csv').filter((one) => one['Task’s ID'] === task.taskId);
    expect(row).toMatchObject({ 'Submitted by': 'Ada Amber', Title: 'To export 2026', Decision: '' });
    const frozen = files.get(row?.['File in this export'] ?? '');
    expect(sha256(frozen ?? '')).toBe(row?.['SHA-256']);
    const receipt = await db()
      .selectFrom('receipts')
      .select('sha256')
      .where('number', '=', Number(row?.['Confirmation']))
      .executeTakeFirst();
    expect(receipt?.sha256).toBe(row?.['SHA-256']);
  });

  test('has the answers in the language of the export, those with files by the files in it', async () => {
    const task = await submitted();
    const files = await exportOf(sam, clientA, 'pt');
    const answers = tableIn(files, 'answers.csv').filter((one) => one['ID da tarefa'] === task.taskId);
    expect(answers.map((one) => [one['Seção'], one['Linha'], one['Pergunta'], one['Resposta']])).toEqual([
      ['Você', '', 'Nome completo', '\'=HYPERLINK("x") José'],
      ['Você', '', 'SSN', '123-45-6789'],
      ['Você', '', 'Aluguel', expect.stringContaining('1.250,00')],
      ['Você', '', 'Papéis', ''],
      ['Você', 'Filho 1', 'Nome', 'Zoë'],
      ['1', '', 'Comentário', 'Line one\nline two'],
      ['2', '', 'Não se aplica porque', 'I have none'],
    ]);
    const file = answers.find((one) => one['Pergunta'] === 'Papéis')?.['Arquivo nesta exportação'];
    expect(files.get(file ?? '')).toEqual(pdf('lease'));
  });

  test('masks sensitive answers for those who may not see them in full', async () => {
    const task = await submitted();
    const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
    const answers = tableIn(await exportOf(rita, clientA), 'answers.csv');
    const ssn = answers.find((one) => one['Task’s ID'] === task.taskId && one['Question'] === 'SSN');
    expect(ssn?.['Answer']).toMatch(/6789$/);
    expect(ssn?.['Answer']).not.toContain('123');
  });

  test('has nothing that the client has not submitted, or has taken back, but that it was', async () => {
    const draft = await ask('Only begun');
    await saveAnswers(ada, draft.taskId, [{ path: 'you.name', value: 'HALF-TYPED' }]);
    const task = await submitted('Taken back');
    await performAction(ada, task.taskId, 'take-back');
    const files = await exportOf(sam, clientA);
    expect([...files.values()].some((bytes) => bytes.includes('HALF-TYPED'))).toBe(false);
    expect(tableIn(files, 'answers.csv').some((one) => one['Task’s ID'] === task.taskId)).toBe(false);
    const [row] = tableIn(files, 'submissions.csv').filter((one) => one['Task’s ID'] === task.taskId);
    expect(row).toMatchObject({
      'File in this export': '',
      'Withdrawn on': expect.stringMatching(/Z$/) as string,
    });
    expect(tableIn(files, 'tasks.csv').map((one) => one['Title'])).toContain('Only begun 2026');
  });
});
