import { db, inTransaction, withoutSync } from '#platform/database.server.ts';

/*
 * When sessions were last used, as this process saw it. No request writes that down: what was seen within a
 * minute is written together (server.ts), so that a page view waits for no disk, and works on one that cannot
 * be written to. Until then it is added to what the row says, so that a session ends to the second. A process
 * that is killed forgets a minute at most: sessions end that much earlier.
 */

interface Seen {
  /** What the row said: one that says less now was changed by somebody else, who is right. */
  noted: number;
  at: number;
}
const seen = new Map<string, Seen>();

/** When a session was last used (epoch ms); `noted` is what its row says. */
export function lastSeen(id: string, noted: number): number {
  const known = seen.get(id);
  return known && noted >= known.noted ? Math.max(noted, known.at) : noted;
}

/** Remembers that a session is used now; `noted` is what its row says. */
export function see(id: string, noted: number, at: number): void {
  const known = seen.get(id);
  seen.set(id, { noted: known ? Math.min(known.noted, noted) : noted, at });
}

/**
 * Writes down what was seen since the last time. What cannot be written is tried again with the next call.
 */
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
