import { z } from 'zod';
import { enqueue } from '#platform/jobs.server.ts';
import { BATCH_STATES } from './task-batches.ts';

/** A part of a batch. It is done once: when the batch has moved on, the job has nothing to do. */
export const step = z.strictObject({
  batchId: z.string(),
  state: z.enum(BATCH_STATES),
  position: z.number().int(),
  /** As whom it runs. */
  by: z.string(),
});
export type Step = z.infer<typeof step>;

/** Enqueues the next part of a batch, in the transaction that stored the one before. */
export const enqueueStep = (companyId: string, next: Step): Promise<void> =>
  enqueue('task-batch', next, null, companyId);
