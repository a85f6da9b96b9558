import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  composePdf,
  paperOf,
  type DocumentContent,
  type DocumentSection,
} from '#features/documents/seals/composing.server.ts';
import { isSameAnswer, ownValue } from '#features/tasks/questionnaires/answer-values.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { documentsOfLastYear, lastYearOf } from './submitted-last-year.server.ts';
import { noteFetched, notApplicableOf, submittedOf, type Submitted } from './submission-files.server.ts';

/** The text of an empty cell: screen readers skip cells without any content. */
const EMPTY = '–';

/**
 * The newest submission of a task with questions as a PDF that screen readers read, in a language: the answers by
 * section with those of last year, the documents with their digests, and on every page the number of the confirmation.
 * NOT_FOUND, also before the first submission and for a task without questions; TOO_MANY if too many wait.
 */
export async function submissionPdf(
  actor: Actor,
  taskId: string,
  lang: Lang,
): Promise<{ name: string; bytes: Uint8Array }> {
  const submitted = await submittedOf(actor, taskId, lang);
  if (!submitted.form) throw notFound();
  const name = `${submitted.title}.pdf`;
  const bytes = await composePdf(actor, await contentOf(actor, submitted, lang), paperOf(lang));
  await noteFetched(actor, submitted, name);
  return { name, bytes };
}

async function contentOf(actor: Actor, submitted: Submitted, lang: Lang): Promise<DocumentContent> {
  const { row, title, client, submission, by, documents } = submitted;
  const t = translationsFor(lang, 'task-answers');
  const firm = await firmOf(row.company_id);
  const moment = formatMoment(LANGUAGES[lang], submission.submittedAt, firm.timeZone);
  const comments = submission.comments.filter(({ path }) => path.endsWith('#comment'));
  const list = (of: string, items: { label: string; value: string }[]): DocumentSection[] =>
    items.length === 0 ? [] : [{ kind: 'list', title: of, items }];
  return {
    language: LANGUAGES[lang],
    title,
    lead: `${client} · ${firm.name}`,
    sections: [
      ...list(t('submission'), [
        { label: t('submittedAt'), value: moment },
        ...(by === '' ? [] : [{ label: t('submittedBy'), value: by }]),
        ...(submission.receipt === null
          ? []
          : [{ label: t('confirmation'), value: String(submission.receipt) }]),
        { label: t('fingerprint'), value: submission.sha256 },
      ]),
      ...(await answerSections(actor, submitted, lang)),
      ...list(
        t('documents'),
        [...documents.values()].map((document) => ({ label: document.name, value: document.sha256 })),
      ),
      ...list(
        t('comments'),
        comments.map(({ value }) => ({ label: '', value })),
      ),
      ...list(
        t('findings'),
        submission.findings.map(({ text, law, reason }) => ({
          label: law === undefined ? text : `${text} (${law})`,
          value: reason,
        })),
      ),
    ],
    footer: t('footer', {
      firm: firm.name,
      receipt: submission.receipt ?? '',
      sha256: submission.sha256,
    }),
  };
}

/** A table of each section's questions, or why the section does not apply. */
async function answerSections(actor: Actor, submitted: Submitted, lang: Lang): Promise<DocumentSection[]> {
  const t = translationsFor(lang, 'task-answers');
  const reasons = new Map(notApplicableOf(submitted).map(({ section, reason }) => [section, reason]));
  const lastYear = await lastYearTexts(actor, submitted, lang);
  const columns = lastYear
    ? [
        { label: t('question'), share: 0.32 },
        { label: t('answer'), share: 0.32 },
        { label: t('lastYear'), share: 0.22 },
        { label: t('change'), share: 0.14 },
      ]
    : [
        { label: t('question'), share: 0.42 },
        { label: t('answer'), share: 0.58 },
      ];
  return submitted.sections.flatMap(({ key, title, answers }): DocumentSection[] => {
    const reason = reasons.get(key);
    if (reason !== undefined)
      return [{ kind: 'list', title, items: [{ label: t('notApplicable'), value: reason }] }];
    if (answers.length === 0) return [];
    const rows = answers.map((answer) => {
      const before = lastYear?.(answer.path);
      return [
        answer.row === '' ? answer.label : `${answer.row}: ${answer.label}`,
        [...answer.documents.map((document) => document.name), answer.text]
          .filter((text) => text !== '')
          .join('\n') || t('noAnswer'),
        ...(before ? [before.text || EMPTY, before.isChanged ? t('changed') : EMPTY] : []),
      ];
    });
    return [{ kind: 'table', title, columns, rows }];
  });
}

/** What a question was answered last year, and whether it is different now; undefined without a submission of last year. */
async function lastYearTexts(
  actor: Actor,
  { row, form, answers }: Submitted,
  lang: Lang,
): Promise<((path: string) => { text: string; isChanged: boolean }) | undefined> {
  const last = form && (await lastYearOf(row, form));
  if (!last) return undefined;
  const documents = await documentsOfLastYear(actor, form, last);
  return (path) => {
    const question = questionAt(form, path);
    const before = Object.hasOwn(last, path) ? last[path] : undefined;
    if (!question || before === undefined) return { text: '', isChanged: false };
    const names = documents.get(path)?.map(({ name }) => name);
    return names
      ? { text: names.join('\n'), isChanged: false } // documents are of their year
      : {
          text: displayValue(question, before, { lang, template: form }),
          isChanged: !isSameAnswer(ownValue(before), ownValue(answers[path])),
        };
  };
}
