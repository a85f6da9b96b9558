import { z } from 'zod';
import { enqueue } from '#platform/jobs.server.ts';
import { IMPORT_STATES } from './imports.ts';

/** A batch of an import. It is done once: when the import has moved on, the job has nothing to do. */
export const step = z.strictObject({
  importId: z.string(),
  state: z.enum(IMPORT_STATES),
  position: z.number().int(),
  /** As whom it runs: the contact who began this step. */
  by: z.string(),
});
export type Step = z.infer<typeof step>;

/** Enqueues the next batch of an import, in the transaction that stored the one before. */
export const enqueueStep = (companyId: string, next: Step): Promise<void> =>
  enqueue('import', next, null, companyId);
