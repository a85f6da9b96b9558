import { z } from 'zod';

/** The limits of one archive (threat-model.md T65). */
export const MAX_FILES = 2000;
export const MAX_BYTES = 4 * 1024 ** 3;

export const exportRequest = z.strictObject({ fileIDs: z.array(z.string().max(60)).min(1).max(MAX_FILES) });

/**
 * A job that prepares documents for one archive (spec 1 sections 4 and 7). SUCCESS has all of them;
 * PARTIAL_SUCCESS lacks those in `missing`, and its result is the rest; ERROR has none. `size` counts the
 * bytes of the documents checked and available. While queued the job is PENDING with its `place` in the
 * queue, from 1; 0 means that it is running.
 */
export const exportJob = z.strictObject({
  jobId: z.string(),
  jobStatus: z.enum(['PENDING', 'SUCCESS', 'PARTIAL_SUCCESS', 'ERROR', 'CANCELLED']),
  place: z.number().int(),
  progress: z.strictObject({ checked: z.number().int(), total: z.number().int() }),
  size: z.number().int(),
  missing: z.array(z.string()),
});
export type ExportJob = z.infer<typeof exportJob>;
