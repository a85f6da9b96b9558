import { db, inTransaction, withoutSync } from '#platform/database/database.server.ts';

/*
 * When sessions were last used, as seen by this process. Requests do not write it: the times of a minute are
 * written together (server.ts), so that a page view waits for no disk, and works on a read-only one. Until
 * then they are combined with the row, so that a session expires to the second. A killed process loses a
 * minute at most: its sessions expire that much earlier.
 */

interface Seen {
  /** The time in the row: if it becomes earlier, somebody else has changed it and is right. */
  noted: number;
  at: number;
}
const seen = new Map<string, Seen>();

/** Returns when a session was last used (epoch ms); `noted` is the time in its row. */
export function lastSeen(id: string, noted: number): number {
  const known = seen.get(id);
  return known && noted >= known.noted ? Math.max(noted, known.at) : noted;
}

/** Records that a session is used now; `noted` is the time in its row. */
export function see(id: string, noted: number, at: number): void {
  const known = seen.get(id);
  seen.set(id, { noted: known ? Math.min(known.noted, noted) : noted, at });
}

/** Writes the times seen since the last call. Those that cannot be written are retried with the next call. */
export async function writeLastSeen(): Promise<void> {
  const pending = [...seen];
  if (pending.length === 0) return;
  await withoutSync(() => inTransaction(() => writeDown(pending)));
  for (const [id, written] of pending) if (seen.get(id) === written) seen.delete(id);
}

async function writeDown(pending: readonly (readonly [string, Seen])[]): Promise<void> {
  for (const [id, { noted, at }] of pending) {
    await db()
      .updateTable('sessions')
      .set({ last_seen_at: at })
      .where('session_hash', '=', id)
      .where('last_seen_at', '>=', noted)
      .where('last_seen_at', '<', at)
      .execute();
  }
}
