import { DAY, now, SECOND } from '../runtime/clock.server.ts';
import { sha256 } from '../security/crypto.server.ts';
import { db, NODE_ID, withActBeforeCommit } from '../database/database.server.ts';
import { decryptFrom, encryptFor } from '../security/encryption.server.ts';
import { PortalError, refusal } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import { isRunning } from '../runtime/nodes.server.ts';

/*
 * Requests with a key are carried out once, however often they arrive: after a double click, a reload, or a second try
 * when no answer came. The first transaction of a request marks its key in the same commit, so that the mark is right
 * even if the process dies before it can store its answer (docs/decisions/0082).
 */

const KEPT = DAY;
const RETRY = 5 * SECOND;

export interface StoredAnswer {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  /** In base64. */
  body: string;
}

export interface KeyedRequest {
  /** Whose key it is. */
  owner: string;
  key: string;
  /** A digest of what is requested. */
  content: string;
}

/** The keys of requests that this process carries out. */
const inHand = new Set<string>();

/**
 * Carries out a request unless that has happened, and returns its answer, `isRepeated` if it is the earlier one. While
 * the first one runs: IN_PROGRESS. KEY_REUSED if the key belongs to another request; ALREADY_DONE if it was carried out
 * and its answer is lost. `answer` makes what is stored of a result; undefined if it failed: then an equal request runs
 * again, and so it does when `work` throws, unless it is UNAVAILABLE after it had an effect.
 */
export async function carryOutOnce<T>(
  request: KeyedRequest,
  work: () => Promise<T>,
  answer: (result: T) => Promise<StoredAnswer | undefined>,
): Promise<{ isRepeated: false; result: T } | { isRepeated: true; answer: StoredAnswer }> {
  const requestKey = sha256(JSON.stringify([request.owner, request.key]));
  const earlier = await claim(requestKey, request.content);
  if (earlier) return { isRepeated: true, answer: earlier };
  inHand.add(requestKey);
  try {
    // what the request left running is not part of it
    const mark = async (): Promise<void> => (inHand.has(requestKey) ? markActed(requestKey) : undefined);
    const result = await withActBeforeCommit(mark, work);
    await settle(requestKey, await answer(result));
    return { isRepeated: false, result };
  } catch (error) {
    // the database may have gone away after a commit: the mark in the row tells
    await (isUnavailable(error) ? release(requestKey) : settle(requestKey, undefined));
    throw error;
  } finally {
    inHand.delete(requestKey);
  }
}

/** Whether a request failed for want of the database: it is not known here what it had done by then. */
const isUnavailable = (error: unknown): boolean => refusal(error)?.code === 'UNAVAILABLE';

/** Claims a key for this node; returns the stored answer if there is one. */
async function claim(requestKey: string, content: string): Promise<StoredAnswer | undefined> {
  const inserted = await db()
    .insertInto('request_keys')
    .values({
      request_key: requestKey,
      content_hash: content,
      node_id: NODE_ID,
      started_at: now(),
      answer: null,
    })
    .onConflict((conflict) => conflict.column('request_key').doNothing())
    .returning('request_key')
    .executeTakeFirst();
  if (inserted) return undefined;
  const row = await db()
    .selectFrom('request_keys')
    .selectAll()
    .where('request_key', '=', requestKey)
    .executeTakeFirst();
  if (!row) return claim(requestKey, content); // it has just been released
  if (row.content_hash !== content) throw new PortalError('KEY_REUSED');
  if (row.answer !== null)
    return JSON.parse(decryptFrom('request_keys.answer', requestKey, row.answer)) as StoredAnswer;
  if (row.node_id === NODE_ID ? inHand.has(requestKey) : row.node_id !== '' && (await isRunning(row.node_id)))
    throw new PortalError('IN_PROGRESS', { retryAfter: 1 });
  if (row.acted === 1) throw new PortalError('ALREADY_DONE');
  // the one that had it is gone; if it is about to commit after all, this waits for it
  const { numUpdatedRows } = await db()
    .updateTable('request_keys')
    .set({ node_id: NODE_ID, started_at: now() })
    .where('request_key', '=', requestKey)
    .where('node_id', '=', row.node_id)
    .where('acted', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? undefined : claim(requestKey, content);
}

/** Marks, as part of an open transaction, that the request had an effect; fails when another node has taken it over. */
async function markActed(requestKey: string): Promise<void> {
  const { numUpdatedRows } = await db()
    .updateTable('request_keys')
    .set({ acted: 1 })
    .where('request_key', '=', requestKey)
    .where('node_id', '=', NODE_ID)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new PortalError('IN_PROGRESS', { retryAfter: 1 });
}

/** Stores the answer. Without one, which means that it was refused or failed, the key is free again. */
async function settle(requestKey: string, answer: StoredAnswer | undefined): Promise<void> {
  const store = async (): Promise<void> => {
    const own = { request_key: requestKey, node_id: NODE_ID };
    if (answer)
      await db()
        .updateTable('request_keys')
        .set({ answer: encryptFor('request_keys.answer', requestKey, JSON.stringify(answer)) })
        .where((e) => e.and(own))
        .execute();
    else
      await db()
        .deleteFrom('request_keys')
        .where((e) => e.and(own))
        .execute();
  };
  await store().catch((error: unknown) => log.warn({ event: 'request-key.not-settled', err: error }));
}

/**
 * Gives a key back whose request may or may not have had an effect: the mark in its row tells the next one. Tried again
 * until it works.
 */
async function release(requestKey: string): Promise<void> {
  await db()
    .updateTable('request_keys')
    .set({ node_id: '' })
    .where('request_key', '=', requestKey)
    .where('node_id', '=', NODE_ID)
    .execute()
    .catch(() => void setTimeout(() => void release(requestKey), RETRY).unref());
}

/** Deletes keys that are older than a day. */
export async function sweepRequestKeys(): Promise<void> {
  await db()
    .deleteFrom('request_keys')
    .where('started_at', '<', now() - KEPT)
    .execute();
}
