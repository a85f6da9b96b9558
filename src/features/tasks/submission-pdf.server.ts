import { firmOf } from '#features/firms/firms.server.ts';
import type { Actor } from '#features/people/people.ts';
import { composePdf, type DocumentContent, type Paper } from '#features/seals/composing.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { formatMoment } from '#platform/formats.ts';
import { LANGUAGES, type Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { noteFetched, notApplicableOf, submittedOf, type Submitted } from './submission-files.server.ts';

/** Where people print on Letter. */
const LETTER: readonly Lang[] = ['en-us', 'en-ca', 'fr'];
const paperOf = (lang: Lang): Paper => (LETTER.includes(lang) ? 'letter' : 'a4');

/**
 * The newest submission of a task with questions as a PDF, in a language: the answers by section, the documents with
 * their digests, and on every page the number of the confirmation. NOT_FOUND, also before the first submission and for
 * a task without questions; TOO_MANY if too many wait.
 */
export async function submissionPdf(
  actor: Actor,
  taskId: string,
  lang: Lang,
): Promise<{ name: string; bytes: Uint8Array }> {
  const submitted = await submittedOf(actor, taskId, lang);
  if (!submitted.form) throw notFound();
  const name = `${submitted.title}.pdf`;
  const bytes = await composePdf(actor, await contentOf(submitted, lang), paperOf(lang));
  await noteFetched(actor, submitted, name);
  return { name, bytes };
}

async function contentOf(submitted: Submitted, lang: Lang): Promise<DocumentContent> {
  const { row, title, client, submission, by, sections, documents } = submitted;
  const t = translationsFor(lang, 'task-answers');
  const firm = await firmOf(row.company_id);
  const moment = formatMoment(LANGUAGES[lang], submission.submittedAt, firm.timeZone);
  const reasons = new Map(notApplicableOf(submitted).map(({ section, reason }) => [section, reason]));
  const comments = submission.comments.filter(({ path }) => path.endsWith('#comment'));
  return {
    title,
    lead: `${client} · ${firm.name}`,
    sections: [
      {
        title: t('submission'),
        rows: [
          { label: t('submittedAt'), value: moment },
          ...(by === '' ? [] : [{ label: t('submittedBy'), value: by }]),
          ...(submission.receipt === null
            ? []
            : [{ label: t('confirmation'), value: String(submission.receipt) }]),
          { label: t('fingerprint'), value: submission.sha256 },
        ],
      },
      ...sections.map((section) => {
        const reason = reasons.get(section.key);
        return {
          title: section.title,
          rows:
            reason === undefined
              ? section.answers.map((answer) => ({
                  label: answer.row === '' ? answer.label : `${answer.row}: ${answer.label}`,
                  value:
                    [...answer.documents.map((document) => document.name), answer.text]
                      .filter((text) => text !== '')
                      .join('\n') || t('noAnswer'),
                }))
              : [{ label: t('notApplicable'), value: reason }],
        };
      }),
      ...(documents.size === 0
        ? []
        : [
            {
              title: t('documents'),
              rows: [...documents.values()].map((document) => ({
                label: document.name,
                value: document.sha256,
              })),
            },
          ]),
      ...(comments.length === 0
        ? []
        : [{ title: t('comments'), rows: comments.map(({ value }) => ({ label: '', value })) }]),
    ],
    footer: t('footer', {
      firm: firm.name,
      receipt: submission.receipt ?? '',
      sha256: submission.sha256,
    }),
  };
}
