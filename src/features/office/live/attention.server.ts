import { AsyncLocalStorage } from 'node:async_hooks';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { afterCommit, db, inBatches, publishToNodes } from '#platform/database/database.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { throttled } from './throttled.server.ts';

/** Each notification of PostgreSQL holds up the commits of all nodes for a moment. */
const PUBLISHED_EVERY = 250;

/** Runs what a request has begun apart from it, as it goes on after the request. */
export const apart = AsyncLocalStorage.snapshot();

let isNode = false;
let look = (): void => undefined;

/** From now on this process tells other nodes what it has changed, and calls `onChange` after each of its own changes. */
export function announceChanges(onChange: () => void): void {
  isNode = true;
  look = onChange;
}

/** What commands change, nodes find within half a minute; so they do what is changed when the database is closed. */
export function stopAnnouncing(): Promise<void> {
  isNode = false;
  return Promise.resolve();
}

const publish = throttled(() => {
  if (!isNode) return;
  publishToNodes('attention').catch((error: unknown) => log.warn({ event: 'attention.lost', err: error }));
}, PUBLISHED_EVERY);

/**
 * Tells the open pages of contacts, and those of all staff of firms, that what they count has changed. `subjects` are the
 * ids of both. In a transaction they are told once it has committed.
 */
export async function raiseAttention(subjects: readonly string[]): Promise<void> {
  const [version, instant] = [newId('attention'), now()];
  for (const some of inBatches([...new Set(subjects)].toSorted()))
    await db()
      .insertInto('attention')
      .values(some.map((subject) => ({ subject, version, changed_at: instant })))
      .onConflict((conflict) => conflict.column('subject').doUpdateSet({ version, changed_at: instant }))
      .execute();
  if (subjects.length > 0)
    afterCommit(() =>
      apart(() => {
        if (!isNode) return;
        look();
        publish();
      }),
    );
}

/** The versions of subjects; those that have not changed for a day have none. */
export async function loadVersions(subjects: readonly string[]): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for (const some of inBatches([...new Set(subjects)])) {
    const rows = await db()
      .selectFrom('attention')
      .select(['subject', 'version'])
      .where('subject', 'in', some)
      .execute();
    for (const { subject, version } of rows) versions.set(subject, version);
  }
  return versions;
}

/** Removes what no open page can have missed: none is told for as long as a day. */
export const sweepAttention = (): Promise<unknown> =>
  db()
    .deleteFrom('attention')
    .where('changed_at', '<', now() - DAY)
    .execute();
