import type { Actor } from '#features/people/people.ts';
import { displayValue } from '#features/questionnaires/display.server.ts';
import { problemText } from '#features/questionnaires/problem-texts.server.ts';
import type { AnswerValue, Template } from '#features/questionnaires/questionnaires.ts';
import { isRowId, questionAt } from '#features/questionnaires/rules.ts';
import { sentAnswer } from '#features/questionnaires/values.server.ts';
import { isPathOf, whileSaving, type Outcome } from '#features/tasks/answering.server.ts';
import type { StoredAnswer } from '#features/tasks/answers.server.ts';
import { isComment } from '#features/tasks/task-forms.server.ts';
import { MAX_COMMENT, MAX_STEPS } from '#features/tasks/tasks.ts';
import { db } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ChangeResult, ParsedAnswerChanges } from './task-answers.ts';

/*
 * What an editor in the browser sends while a person types. Every change has a result of its own, so that one that is
 * refused or has met another person's change does not hold up the others. To send a change again is harmless.
 */

/**
 * Saves changes of answers, of rows and of comments, in one transaction, and starts the task. FORBIDDEN for staff;
 * NOT_FOUND, CLOSED, EXPIRED: nothing is saved then.
 */
export async function saveChanges(
  actor: Actor,
  taskId: string,
  { tab, language: lang, changes }: ParsedAnswerChanges,
): Promise<ChangeResult[]> {
  if (actor.staff) throw new PortalError('FORBIDDEN');
  return whileSaving(actor, taskId, async (save, form, stored) => {
    const results: ChangeResult[] = [];
    for (const { path, value: sent, base, sequence, known } of changes) {
      const read = valueAt({ form, path, sent, stored: stored.get(path), lang });
      if (!read) {
        results.push({ path, result: 'refused', version: stored.get(path)?.version ?? 0 });
        continue;
      }
      const { value, problem } = read;
      const editor = { tab, sequence };
      const outcome = await unlessLocked(save({ path, value, base, editor, ...(known && { known }) }));
      if (!outcome) {
        const text = translationsFor(lang, 'tasks')('refusedAccepted');
        const version = stored.get(path)?.version ?? 0;
        results.push({ path, result: 'refused', version, problem: { path, code: 'LOCKED', text } });
        continue;
      }
      results.push({
        path,
        result: outcome.kind,
        version: outcome.version,
        ...(problem && { problem }),
        ...(outcome.kind === 'conflict' && {
          conflict: await conflictOf(outcome, { actor, path, form, lang, value }),
        }),
      });
    }
    return results;
  });
}

/** The outcome; undefined if the firm has accepted the answer, which nothing changes then. */
const unlessLocked = (outcome: Promise<Outcome>): Promise<Outcome | undefined> =>
  outcome.catch((error: unknown) => {
    if (error instanceof PortalError && error.code === 'LOCKED') return undefined;
    throw error;
  });

interface Sent {
  form: Template | undefined;
  path: string;
  sent: unknown;
  stored: StoredAnswer | undefined;
  lang: Lang;
}

/** The value that is stored for what was sent, with its problem; undefined if it cannot be stored at this path. */
function valueAt({
  form,
  path,
  sent,
  stored,
  lang,
}: Sent): { value: AnswerValue | null; problem?: ChangeResult['problem'] } | undefined {
  if (isComment(path)) return commentAt(path, sent, form?.sections.length ?? MAX_STEPS);
  if (!form || !isPathOf(form, path)) return undefined;
  if (path.endsWith('#order')) return rowsIn(sent);
  const question = questionAt(form, path);
  // files are uploaded, which says whose they are
  if (!question || (question.kind === 'files' && Array.isArray(sent))) return undefined;
  const before = stored?.value;
  const read = sentAnswer(question, sent ?? null, {
    lang,
    country: form.country,
    stored: before === null ? undefined : (before as AnswerValue | undefined),
  });
  if (!read?.finding) return read && { value: read.value };
  const { part, ...finding } = read.finding;
  return {
    value: read.value,
    problem: {
      path: part === undefined ? path : `${path}.${part}`,
      code: finding.code,
      text: problemText(finding, lang),
    },
  };
}

function commentAt(path: string, sent: unknown, steps: number): { value: string | null } | undefined {
  const text = sent ?? '';
  if (typeof text !== 'string' || text.length > MAX_COMMENT || Number.parseInt(path, 10) > steps)
    return undefined;
  return { value: text.replaceAll('\r\n', '\n').trim() || null };
}

const MAX_ROWS = 200;

const rowsIn = (sent: unknown): { value: string[] } | undefined =>
  Array.isArray(sent) && sent.length <= MAX_ROWS && sent.every(isRowId)
    ? { value: [...new Set(sent)] }
    : undefined;

/** Both answers as texts, for the person to choose. */
async function conflictOf(
  { keptId, stored }: Extract<Outcome, { kind: 'conflict' }>,
  {
    actor,
    path,
    form,
    lang,
    value,
  }: {
    actor: Actor;
    path: string;
    form: Template | undefined;
    lang: Lang;
    value: AnswerValue | null;
  },
): Promise<NonNullable<ChangeResult['conflict']>> {
  const question = form && questionAt(form, path);
  const text = (answer: unknown): string =>
    form && question
      ? displayValue(question, answer, { lang, template: form })
      : typeof answer === 'string'
        ? answer
        : '';
  const by = stored?.changedBy ?? actor.contactId;
  const person = await db()
    .selectFrom('contacts')
    .select('full_name')
    .where('contact_id', '=', by)
    .executeTakeFirst();
  return {
    keptId,
    stored: text(stored?.value),
    kept: text(value),
    by: person?.full_name ?? '',
    isOwn: by === actor.contactId,
    at: new Date(stored?.changedAt ?? 0).toISOString(),
  };
}
