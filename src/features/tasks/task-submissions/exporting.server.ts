import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Question, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { isGroup, textIn, visibleSections, type FrozenAnswer } from '#features/tasks/questionnaires/rules.ts';
import type { Actor } from '#features/base/people/people.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { answersIn } from '#features/tasks/tasks/items.ts';
import { isComment, formOfTask, formTitles } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { markedName } from '#platform/storage/archive-names.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/**
 * What a client has submitted: once as it was frozen, so that its digest can be compared with that of the confirmation,
 * and once as questions and answers. One that the client withdrew before the firm had read it is only named.
 */
export const exportedSubmissions: Contributions['exports'] = [
  {
    of: 'client',
    name: 'submissions.csv',
    text: text('task-answers', 'exportSubmissions'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'title',
          'submission',
          'submittedAt',
          'submittedBy',
          'takenBackAt',
          'openedAt',
          'openedBy',
          'decision',
          'reason',
          'decidedAt',
          'decidedBy',
          'receipt',
          'sha256',
          'file',
          'task',
        ],
        submissionRows(lang, ids),
      ),
    attached: async function* ({ lang }, { ids }) {
      for await (const row of submissionsOf(lang, ids))
        if (row.taken_back_at === null)
          yield { name: fileNameOf(row), content: () => textOf(contentOf(row)) };
    },
  },
  {
    of: 'client',
    name: 'answers.csv',
    text: text('task-answers', 'exportAnswers'),
    content: ({ lang, actor }, { ids, pathOf }) =>
      exportedTable(
        lang,
        ['title', 'submission', 'section', 'row', 'question', 'answer', 'file', 'task'],
        answerRows(actor, { lang, clientIds: ids, pathOf }),
      ),
  },
];

/** Their contents may be large. */
const PAGE = 50;

async function* submissionsOf(lang: Lang, clientIds: readonly string[]) {
  const pages = rowPages(
    ['task_submissions.submitted_at', 'task_submissions.submission_id'],
    (page) =>
      db()
        .selectFrom('task_submissions')
        .innerJoin('tasks', 'tasks.task_id', 'task_submissions.task_id')
        .leftJoin('contacts as submitter', 'submitter.contact_id', 'task_submissions.submitted_by')
        .leftJoin('contacts as opener', 'opener.contact_id', 'task_submissions.opened_by')
        .leftJoin('contacts as decider', 'decider.contact_id', 'task_submissions.decided_by')
        .selectAll('task_submissions')
        .select([
          'tasks.type',
          'tasks.kind',
          'tasks.label',
          'tasks.tax_year',
          'tasks.form_id',
          'submitter.full_name as submitted_by_name',
          'opener.full_name as opened_by_name',
          'decider.full_name as decided_by_name',
        ])
        .where('tasks.client_id', 'in', clientIds)
        .where('tasks.deleted_at', 'is', null)
        .$call(page)
        .execute(),
    { size: PAGE },
  );
  for await (const rows of pages) {
    const titles = await formTitles(rows.map(({ form_id: id }) => id));
    for (const row of rows)
      yield {
        ...row,
        title: taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
      };
  }
}

type Row = ReturnType<typeof submissionsOf> extends AsyncGenerator<infer Submission> ? Submission : never;

const contentOf = ({ submission_id: id, content }: Row): string =>
  decryptFrom('task_submissions.content', id, content);

const fileNameOf = ({ title, task_id: taskId, number }: Row): string =>
  markedName(`${title}.json`, `${taskId} ${number}`);

async function* textOf(content: string) {
  await Promise.resolve();
  yield content;
}

async function* submissionRows(lang: Lang, clientIds: readonly string[]) {
  for await (const row of submissionsOf(lang, clientIds))
    yield {
      task: row.task_id,
      title: row.title,
      submission: row.number,
      submittedAt: { at: row.submitted_at },
      submittedBy: row.submitted_by_name,
      takenBackAt: { at: row.taken_back_at },
      openedAt: { at: row.opened_at },
      openedBy: row.opened_by_name,
      decision: { word: row.decision },
      reason:
        row.reason === null ? '' : decryptFrom('task_submissions.reason', row.submission_id, row.reason),
      decidedAt: { at: row.decided_at },
      decidedBy: row.decided_by_name,
      receipt: row.receipt,
      sha256: row.content_sha256,
      file: row.taken_back_at === null ? `submissions/${fileNameOf(row)}` : '',
    };
}

interface Options {
  lang: Lang;
  clientIds: readonly string[];
  pathOf: (documentId: string) => string;
}

/** What a submission freezes, as far as it is presented here. */
interface FrozenContent {
  form?: string;
  answers?: FrozenAnswer[];
  comments?: { path: string; value: string }[];
}

/** The answers of all submissions with their comments. Sensitive ones are masked for those who may not see them in full. */
async function* answerRows(actor: Actor, { lang, clientIds, pathOf }: Options) {
  const t = translationsFor(lang, 'export-columns');
  for await (const row of submissionsOf(lang, clientIds)) {
    if (row.taken_back_at !== null) continue;
    const about = { task: row.task_id, title: row.title, submission: row.number };
    const content = JSON.parse(contentOf(row)) as FrozenContent;
    const template = await formOfTask({ form_id: content.form ?? null, tax_year: row.tax_year });
    const reader = { lang, isRevealed: managesTasks(actor) };
    for (const { question, answer, section, row: named } of template
      ? placedAnswers(template, content.answers ?? [], lang)
      : []) {
      const documents = documentsIn(question, answer);
      yield {
        ...about,
        section,
        row: named,
        question: template ? textIn(question.label, lang, template) : '',
        answer:
          template && question.kind !== 'files'
            ? displayValue(question, answer, { ...reader, template })
            : '',
        file: documents.map(pathOf).filter(Boolean).join('; '),
      };
    }
    for (const { path, value } of content.comments ?? [])
      yield {
        ...about,
        section: path.split('#')[0],
        row: '',
        question: t(isComment(path) ? 'comment' : 'notApplicable'),
        answer: value,
        file: '',
      };
  }
}

/** The questions that were answered, in the order of the form, with the section and the row of a group that they are in. */
function placedAnswers(form: Template, frozen: readonly FrozenAnswer[], lang: Lang) {
  const answers = new Map(frozen.map(({ path, value }) => [path, value]));
  return visibleSections(form, answersIn(frozen)).flatMap(({ section, items }) =>
    items.flatMap((item) => {
      const questions = isGroup(item)
        ? item.rows.flatMap((row, at) =>
            row.questions.map((each) => ({
              ...each,
              row: `${textIn(item.group.one, lang, form)} ${at + 1}`,
            })),
          )
        : [{ ...item, row: '' }];
      return questions.flatMap(({ path, question, row }) =>
        answers.has(path)
          ? [{ question, row, section: textIn(section.label, lang, form), answer: answers.get(path) }]
          : [],
      );
    }),
  );
}

/** The documents that an answer consists of, or that its question is about. */
function documentsIn(question: Question, answer: unknown): string[] {
  if (question.kind === 'files' && Array.isArray(answer)) return answer.map(String);
  return 'document' in question && question.document !== undefined ? [question.document] : [];
}
