import { z } from 'zod';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { BATCH_STATES, type Batch } from './batches.ts';

/** A part of a batch. It is done once: when the batch has moved on, the job has nothing to do. */
export const part = z.strictObject({
  batchId: z.string(),
  state: z.enum(BATCH_STATES),
  position: z.number().int(),
});
export type Part = z.infer<typeof part>;

/** The part that a batch is at. */
export const partOf = ({ id, state, position }: Batch): Part => ({ batchId: id, state, position });

/** Enqueues the part that a batch is at, in the transaction that stored the one before. */
export const enqueuePart = (batch: Batch, runAt = now()): Promise<void> =>
  enqueue('batch', partOf(batch), null, batch.companyId, runAt);
