import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { deleteFiles } from './sent-files.server.ts';

/** Ends every link and visit: after a restore nobody knows which of them were revoked before. */
export async function revokeAllTaskLinks(): Promise<void> {
  await db().deleteFrom('task_link_visits').execute();
  await db().updateTable('task_links').set({ revoked_at: now() }).where('revoked_at', 'is', null).execute();
}

/**
 * Removes expired visits, and ends expired links for good: they stay so when the clock is set back. Files that came by an
 * ended link and were not sent to the contact are deleted; what was sent waits for the decision as long as the task does.
 */
export async function sweepTaskLinks(): Promise<void> {
  await db().deleteFrom('task_link_visits').where('expires_at', '<', now()).execute();
  await inTransaction(async () => {
    await db()
      .updateTable('task_links')
      .set((e) => ({ revoked_at: e.ref('expires_at') }))
      .where('revoked_at', 'is', null)
      .where('expires_at', '<=', now())
      .execute();
    const ended = await db()
      .selectFrom('task_link_files')
      .innerJoin('task_links', 'task_links.link_id', 'task_link_files.link_id')
      .leftJoin('task_proposals', 'task_proposals.link_id', 'task_links.link_id')
      .select('task_links.link_id')
      .distinct()
      .where('task_links.revoked_at', 'is not', null)
      .where((e) =>
        e.or([e('task_proposals.sent_at', 'is', null), e('task_proposals.decided_at', 'is not', null)]),
      )
      .limit(500)
      .execute();
    await deleteFiles(ended.map((link) => link.link_id));
  });
}
