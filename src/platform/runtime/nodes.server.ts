import { SECOND } from './clock.server.ts';
import {
  databaseTime,
  db,
  inTransaction,
  isDisconnected,
  isShared,
  NODE_ID,
  outsideTransaction,
} from '../database/database.server.ts';
import { releaseJobsOf } from '../jobs/jobs.server.ts';
import { log } from '../monitoring/log.server.ts';

/*
 * The nodes that share a database. Each shows every second that it runs, and has connections to the database, which end
 * with the process. One that shows nothing and has none is gone: the others take over its jobs within five seconds. A
 * node that is only slow keeps them.
 */

const BEAT = SECOND;
/** After how long without a sign of life a node without a connection is gone. */
const SILENCE = 3 * SECOND;

let beating: NodeJS.Timeout | undefined;
let isMember = false;

/**
 * Joins the nodes. With the embedded database there is only one process: what an earlier one worked at is free again.
 */
export async function joinNodes(): Promise<void> {
  if (!isShared) {
    await releaseJobsOf();
    return;
  }
  await beat();
  isMember = true;
  outsideTransaction(scheduleBeat);
}

/** One at a time: while the database is away, they would take all connections. */
function scheduleBeat(): void {
  beating = setTimeout(() => {
    void beat()
      .catch(() => undefined) // tried again
      .then(() => isMember && scheduleBeat());
  }, BEAT).unref();
}

/** Leaves the nodes, after the last job. */
export async function leaveNodes(): Promise<void> {
  isMember = false;
  clearTimeout(beating);
  if (!isShared) return;
  await db()
    .deleteFrom('nodes')
    .where('node_id', '=', NODE_ID)
    .execute()
    .catch(() => undefined); // the others notice
}

/** Whether a node runs, as far as this one knows. */
export async function isRunning(nodeId: string): Promise<boolean> {
  if (nodeId === NODE_ID) return true;
  if (!isShared) return false;
  const row = await db()
    .selectFrom('nodes')
    .select('node_id')
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Shows that this node runs, and takes over from those that do not any more. */
export async function beat(): Promise<void> {
  await db()
    .insertInto('nodes')
    .values({ node_id: NODE_ID, started_at: databaseTime, seen_at: databaseTime })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ seen_at: databaseTime }))
    .execute();
  const silent = await db()
    .selectFrom('nodes')
    .select('node_id')
    .where('node_id', '<>', NODE_ID)
    .where((e) => e('seen_at', '<', e(databaseTime, '-', SILENCE)))
    .where(isDisconnected('nodes.node_id'))
    .execute();
  if (silent.length > 0) await takeOver(silent.map((row) => row.node_id));
}

async function takeOver(nodeIds: readonly string[]): Promise<void> {
  const released = await inTransaction(async () => {
    const gone = await db()
      .deleteFrom('nodes')
      .where('node_id', 'in', nodeIds)
      .returning('node_id')
      .execute();
    return gone.length === 0 ? undefined : releaseJobsOf(gone.map((row) => row.node_id));
  });
  if (released !== undefined) log.warn({ event: 'node.gone', jobs: released });
}
