import { z } from 'zod';
import { containerType } from '#features/folders/folders.ts';

const id = z.string().min(1).max(60);

/**
 * Documents that the caller has just handed in, into one container or below the same client; the mail leads
 * to the container.
 */
export const uploadNotice = z.strictObject({
  containerType,
  containerId: id,
  documentIds: z.array(id).min(1).max(1000),
});
export type UploadNotice = z.infer<typeof uploadNotice>;

/**
 * Of how many documents the other side will be told now; of the others it was told before, or they are not
 * the caller's own of the last day.
 */
export const uploadNoticeAnswer = z.strictObject({ documents: z.number().int() });
