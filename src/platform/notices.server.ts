import { DAY, now } from './clock.server.ts';
import { db, inTransaction } from './database.server.ts';
import { enqueue } from './jobs.server.ts';

/** A notice: the job `kind` with this payload tells it. Of one key there are never two within `pause` (ms). */
interface Notice {
  kind: string;
  key: string;
  payload: unknown;
  companyId: string;
  pause: number;
}

/**
 * Lets something be told soon: at once where nothing was told within the pause, else when that is over, together with all that comes
 * until then. The job tells what is new since the last time; it may find nothing.
 */
export async function tellSoon({ kind, key, payload, companyId, pause }: Notice): Promise<void> {
  await inTransaction(async () => {
    const known = await db().selectFrom('notices').select('due_at').where('notice_key', '=', key).executeTakeFirst();
    if (known && known.due_at > now()) return; // the job that waits takes this along
    const due = Math.max(now(), (known?.due_at ?? -pause) + pause);
    await db()
      .insertInto('notices')
      .values({ notice_key: key, company_id: companyId, due_at: due, told_at: 0 })
      .onConflict((conflict) => conflict.column('notice_key').doUpdateSet({ due_at: due }))
      .execute();
    await enqueue(kind, payload, `${key}@${due}`, companyId, due);
  });
}

/** Up to when a key was told. */
export const toldUpTo = async (key: string): Promise<number> => (await db().selectFrom('notices').select('told_at').where('notice_key', '=', key).executeTakeFirst())?.told_at ?? 0;

export async function noteTold(key: string, upTo: number): Promise<void> {
  await db().updateTable('notices').set({ told_at: upTo }).where('notice_key', '=', key).execute();
}

const KEPT = DAY;

/** Forgets notices whose pause has long been over. */
export async function sweepNotices(): Promise<void> {
  await db().deleteFrom('notices').where('due_at', '<', now() - KEPT).execute();
}
