import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import type { TaskRow } from './scope.server.ts';

/** Why the firm returned the newest submission; undefined if it did not. */
export async function returnReason(
  row: Pick<TaskRow, 'task_id' | 'submission'>,
): Promise<string | undefined> {
  const submission = await db()
    .selectFrom('task_submissions')
    .select(['submission_id', 'decision', 'reason'])
    .where('task_id', '=', row.task_id)
    .where('number', '=', row.submission)
    .executeTakeFirst();
  if (submission?.decision !== 'returned' || submission.reason === null) return undefined;
  return decryptFrom('task_submissions.reason', submission.submission_id, submission.reason);
}
