import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { decisionsOf } from './decisions.server.ts';
import type { TaskRow } from './scope.server.ts';

type Returned = Pick<TaskRow, 'task_id' | 'submission'>;

/** What the firm wrote when it returned the newest submission; undefined if it did not, or returned only items. */
export async function returnMessage(row: Returned): Promise<string | undefined> {
  const submission = await db()
    .selectFrom('task_submissions')
    .select(['submission_id', 'decision', 'reason'])
    .where('task_id', '=', row.task_id)
    .where('number', '=', row.submission)
    .executeTakeFirst();
  if (submission?.decision !== 'returned' || submission.reason === null) return undefined;
  return decryptFrom('task_submissions.reason', submission.submission_id, submission.reason);
}

/** Why the firm returned the newest submission, with the reasons of its items; undefined if it did not. */
export async function returnReason(row: Returned): Promise<string | undefined> {
  const message = await returnMessage(row);
  const submission = await db()
    .selectFrom('task_submissions')
    .select('decision')
    .where('task_id', '=', row.task_id)
    .where('number', '=', row.submission)
    .executeTakeFirst();
  if (submission?.decision !== 'returned') return undefined;
  const items = [...(await decisionsOf(row.task_id, row.submission)).values()]
    .filter(({ decision }) => decision === 'returned')
    .map(({ reason }) => (message === undefined ? reason : `– ${reason}`));
  return [message, ...items].filter((text) => text !== undefined).join('\n');
}
