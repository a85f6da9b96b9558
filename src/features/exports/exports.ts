import { z } from 'zod';

/** What one archive may hold at most (threat-model.md T65). */
export const MAX_FILES = 2000;
export const MAX_BYTES = 4 * 1024 ** 3;

export const exportRequest = z.strictObject({ fileIDs: z.array(z.string().max(60)).min(1).max(MAX_FILES) });

/**
 * Documents on their way into one archive (spec 1 sections 4 and 7). SUCCESS has them all; PARTIAL_SUCCESS
 * lacks those that `missing` names, and its result is the rest; ERROR has none. `size` counts the bytes of
 * the documents that were checked and can be had. While others come first it is PENDING and `place` says
 * where it stands among those that wait, the next one at 1; 0 is it once it is its turn.
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
