import type { Actor } from '#features/base/people/people.ts';
import { displayValue } from '#features/tasks/questionnaires/display.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt, textIn } from '#features/tasks/questionnaires/rules.ts';
import type { KeptAnswer } from '#features/tasks/tasks/kept-answers.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { dropKept } from './internal/kept.server.ts';
import { whileSaving } from './saving.server.ts';
import { writeAnswer } from './stored-answers.server.ts';

/* Two people may change one answer at the same time: what the second one entered is kept beside it until one is chosen. */

/** The open choices of a request, the oldest first. */
export async function keptAnswers(
  lang: Lang,
  requestId: string,
  form: Template,
  answers: Answers,
): Promise<KeptAnswer[]> {
  const rows = await db()
    .selectFrom('service_request_kept_answers as kept')
    .innerJoin('contacts', 'contacts.contact_id', 'kept.kept_by')
    .selectAll('kept')
    .select('contacts.full_name')
    .where('kept.request_id', '=', requestId)
    .orderBy('kept.kept_at')
    .orderBy('kept.kept_id')
    .execute();
  return rows.flatMap((row) => {
    const question = questionAt(form, row.path);
    if (!question) return [];
    const text = (value: unknown): string => displayValue(question, value, { lang, template: form });
    return [
      {
        keptId: row.kept_id,
        path: row.path,
        question: textIn(question.label, lang, form),
        stored: text(answers[row.path]),
        kept: text(JSON.parse(decryptFrom('service_request_kept_answers.value', row.kept_id, row.value))),
        keptBy: row.full_name,
      },
    ];
  });
}

/** Chooses the kept answer, or with `isKept` false the stored one. NOT_FOUND, CLOSED. */
export const chooseAnswer = (
  actor: Actor,
  requestId: string,
  keptId: string,
  isKept: boolean,
): Promise<void> =>
  whileSaving(actor, requestId, async ({ assertOpen }) => {
    const row = await db()
      .selectFrom('service_request_kept_answers')
      .selectAll()
      .where('kept_id', '=', keptId)
      .where('request_id', '=', requestId)
      .executeTakeFirst();
    if (!row) throw notFound();
    if (isKept) {
      assertOpen(row.path);
      const value: unknown = JSON.parse(decryptFrom('service_request_kept_answers.value', keptId, row.value));
      await writeAnswer(actor, requestId, row.path, value ?? undefined);
    }
    await dropKept(keptId);
  });
