import { actorOf } from '#features/base/people/people.server.ts';
import type { FrozenAnswer } from '#features/tasks/questionnaires/rules.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import type { TaskRow } from './scope.server.ts';

export interface Decision {
  decision: 'accepted' | 'returned' | 'open';
  reason: string;
  sequence: number;
}

/** The decisions about the items of a submission, by path; the newest of each. */
export async function decisionsOf(taskId: string, submission: number): Promise<Map<string, Decision>> {
  const rows = await db()
    .selectFrom('task_decisions')
    .select(['decision_id', 'path', 'sequence', 'decision', 'reason'])
    .where('task_id', '=', taskId)
    .where('submission', '=', submission)
    .orderBy('sequence')
    .execute();
  return new Map(
    rows.map(({ decision_id: id, path, sequence, decision, reason }) => [
      path,
      {
        decision,
        sequence,
        reason: reason === null ? '' : decryptFrom('task_decisions.reason', id, reason),
      },
    ]),
  );
}

/** Whether the firm returned this submission. */
export async function isReturned(taskId: string, submission: number): Promise<boolean> {
  const row = await db()
    .selectFrom('task_submissions')
    .select('decision')
    .where('task_id', '=', taskId)
    .where('number', '=', submission)
    .executeTakeFirst();
  return row?.decision === 'returned';
}

/** Whether the firm has marked an item of a submission to be returned. */
export const hasReturnedItems = async (taskId: string, submission: number): Promise<boolean> =>
  [...(await decisionsOf(taskId, submission)).values()].some(({ decision }) => decision === 'returned');

/** Adds a decision, under the lock of its task. */
export async function addDecision(
  by: string,
  item: { taskId: string; submission: number; path: string },
  { decision, reason, sequence }: Decision,
): Promise<void> {
  const id = newId('decision');
  await db()
    .insertInto('task_decisions')
    .values({
      decision_id: id,
      task_id: item.taskId,
      submission: item.submission,
      path: item.path,
      sequence,
      decision,
      reason: reason === '' ? null : encryptFor('task_decisions.reason', id, reason),
      decided_at: now(),
      decided_by: by,
    })
    .execute();
}

/** The reasons of the newest returned items of a firm. */
export async function newestReasons(companyId: string, limit: number): Promise<string[]> {
  const rows = await db()
    .selectFrom('task_decisions')
    .innerJoin('tasks', 'tasks.task_id', 'task_decisions.task_id')
    .select(['task_decisions.decision_id', 'task_decisions.reason'])
    .where('tasks.company_id', '=', companyId)
    .where('task_decisions.decision', '=', 'returned')
    .orderBy('task_decisions.decided_at', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ decision_id: id, reason }) =>
    reason === null ? [] : [decryptFrom('task_decisions.reason', id, reason)],
  );
}

export interface Submission {
  number: number;
  decision: '' | 'accepted' | 'returned';
  /** The frozen answers; empty for a task without questions. */
  answers: FrozenAnswer[];
}

/** The newest submission that was not taken back, up to a number; undefined before the first. */
export async function submissionOf(
  taskId: string,
  { upTo, decision }: { upTo?: number; decision?: 'returned' } = {},
): Promise<Submission | undefined> {
  const row = await db()
    .selectFrom('task_submissions')
    .select(['submission_id', 'number', 'decision', 'content'])
    .where('task_id', '=', taskId)
    .where('taken_back_at', 'is', null)
    .$if(upTo !== undefined, (rows) => rows.where('number', '<=', upTo ?? 0))
    .$if(decision !== undefined, (rows) => rows.where('decision', '=', decision ?? ''))
    .orderBy('number', 'desc')
    .executeTakeFirst();
  if (!row) return undefined;
  const content = JSON.parse(decryptFrom('task_submissions.content', row.submission_id, row.content)) as {
    answers?: FrozenAnswer[];
  };
  return { number: row.number, decision: row.decision, answers: content.answers ?? [] };
}

/** The contact who made a submission. */
async function submittedBy(taskId: string, submission: number): Promise<string | undefined> {
  const row = await db()
    .selectFrom('task_submissions')
    .select('submitted_by')
    .where('task_id', '=', taskId)
    .where('number', '=', submission)
    .executeTakeFirst();
  return row?.submitted_by;
}

/** The language of the contact who made the newest submission. */
export async function languageOfSubmitter(row: TaskRow, lang: Lang): Promise<Lang> {
  const by = await submittedBy(row.task_id, row.submission);
  return by === undefined ? lang : (languageOf((await actorOf(by)).language) ?? DEFAULT_LANG);
}
