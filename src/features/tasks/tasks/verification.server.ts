import { db } from '#platform/database/database.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { isPending } from './rules.ts';

/** Compares the state of every group with its tasks, and every submission with its digest. */
export async function verifyTasks(): Promise<string[]> {
  return [...(await groupFaults()), ...(await submissionFaults())];
}

async function groupFaults(): Promise<string[]> {
  const tasks = await db()
    .selectFrom('tasks')
    .select(['group_id', 'status'])
    .where('deleted_at', 'is', null)
    .execute();
  const counts = new Map<string, { pending: number; all: number }>();
  for (const { group_id: id, status } of tasks) {
    const count = counts.get(id) ?? { pending: 0, all: 0 };
    count.all += 1;
    if (isPending(status)) count.pending += 1;
    counts.set(id, count);
  }
  const groups = await db()
    .selectFrom('task_groups')
    .select(['group_id', 'pending_count', 'task_count', 'completed_on', 'status'])
    .execute();
  return groups
    .filter((group) => {
      const { pending, all } = counts.get(group.group_id) ?? { pending: 0, all: 0 };
      const isComplete = all > 0 && pending === 0;
      return (
        pending !== group.pending_count ||
        all !== group.task_count ||
        isComplete !== (group.completed_on !== null) ||
        (isComplete && isPending(group.status))
      );
    })
    .map(({ group_id: id }) => `The task group ${id} does not have the state of its tasks.`);
}

async function submissionFaults(): Promise<string[]> {
  const faults: string[] = [];
  let after = '';
  for (;;) {
    const rows = await db()
      .selectFrom('task_submissions')
      .select(['submission_id', 'content', 'content_sha256'])
      .where('submission_id', '>', after)
      .orderBy('submission_id')
      .limit(200)
      .execute();
    for (const { submission_id: id, content, content_sha256: digest } of rows)
      if (sha256(decryptFrom('task_submissions.content', id, content)) !== digest)
        faults.push(`The submission ${id} does not have the content of its digest.`);
    const last = rows.at(-1);
    if (!last) return faults;
    after = last.submission_id;
  }
}
