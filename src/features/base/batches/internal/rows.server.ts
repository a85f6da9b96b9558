import type { Selectable } from 'kysely';
import { contributedByName } from '#platform/runtime/feature.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import type { Batch, StopReason } from '../batches.ts';
import type { BatchEvent, BatchKind, BatchOf } from '../define.server.ts';

/** Reads a batch of any firm, for its job. */
export async function batchById(batchId: string): Promise<Batch | undefined> {
  const row = await db().selectFrom('batches').selectAll().where('batch_id', '=', batchId).executeTakeFirst();
  return row && present(row);
}

export const present = (row: Selectable<Tables['batches']>): Batch => ({
  id: row.batch_id,
  companyId: row.company_id,
  kind: row.kind,
  state: row.state,
  stoppedBy: row.stopped_by,
  createdBy: row.created_by,
  runsAs: row.runs_as,
  total: row.total,
  position: row.position,
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
});

/** The kind of a batch. */
export function kindOf({ kind: name }: Batch): BatchKind {
  const kind = contributedByName('batches').get(name);
  if (!kind) throw new Error(`no kind of batches ${name}`);
  return kind;
}

/** Changes a batch that is still at the same row of the same step; false if it has moved on. */
export async function change(
  { id, state, position }: Batch,
  changes: Partial<Selectable<Tables['batches']>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('batches')
    .set(changes)
    .where('batch_id', '=', id)
    .where('state', '=', state)
    .where('position', '=', position)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What stops a batch at work: a check begins again, rows that wait can follow later. */
export const stopped = (
  { state }: Pick<Batch, 'state'>,
  by: StopReason,
): Partial<Selectable<Tables['batches']>> =>
  state === 'checking'
    ? { state: 'draft' }
    : {
        state: 'stopped',
        stopped_by: by,
        finished_at: now(),
        // an undo has passed rows from the end
        ...(state === 'undoing' && { position: 0 }),
      };

/** Records an event of a batch in the audit log, if its kind does. */
export async function auditEvent<Input>(
  kind: BatchKind<Input>,
  batch: BatchOf<Input>,
  event: BatchEvent,
  by: string = batch.runsAs,
): Promise<void> {
  const entry = await kind.auditOf?.(event, batch);
  if (entry) await audit({ companyId: batch.companyId, actor: by, target: batch.id, ...entry });
}
