import { sql, type SqlBool } from 'kysely';
import { contributedByName } from '#platform/runtime/feature.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { AT_WORK } from './batches.ts';
import type { BatchKind } from './define.server.ts';
import { stopped } from './internal/rows.server.ts';

/** After so long without a part its job is lost, such as by a restore. */
const STALLS_AFTER = HOUR;

/** Stops batches whose job is lost, so that they can be continued, and removes old ones. */
export async function sweepBatches(): Promise<void> {
  await stopStalled();
  for (const kind of contributedByName('batches').values()) await inTransaction(() => removeOld(kind));
}

async function stopStalled(): Promise<void> {
  for (const state of AT_WORK)
    await db()
      .updateTable('batches')
      .set(stopped({ state }, 'LOST'))
      .where('state', '=', state)
      .where(sql<SqlBool>`state in ('checking', 'running', 'undoing')`) // as the index says it
      .where('moved_at', '<=', now() - STALLS_AFTER)
      .execute();
}

async function removeOld(kind: BatchKind): Promise<void> {
  if (!kind.lasts) return;
  const ofKind = db().selectFrom('batches').select('batch_id').where('kind', '=', kind.name);
  const unused = ofKind
    .where('state', 'in', ['draft', 'ready'])
    .where('created_at', '<=', now() - kind.lasts.unused);
  const old = ofKind.where('created_at', '<=', now() - kind.lasts.rows);
  if (kind.removeRows) await kind.removeRows(old);
  for (const batches of kind.removeRows ? [unused] : [unused, old]) {
    await kind.remove?.(batches);
    await db().deleteFrom('batches').where('batch_id', 'in', batches).execute();
  }
}
