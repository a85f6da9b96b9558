import { z } from 'zod';
import { containerType } from '#features/documents/folders/folders.ts';

const id = z.string().min(1).max(60);

/**
 * Documents that the caller has just uploaded, to one container or below the same client; the mail links to
 * the container.
 */
export const uploadNotice = z.strictObject({
  containerType,
  containerId: id,
  documentIds: z.array(id).min(1).max(1000),
});
export type UploadNotice = z.infer<typeof uploadNotice>;

/**
 * The number of documents that will be announced; the others were announced before, or are not the caller's
 * own of the last day.
 */
export const uploadNoticeAnswer = z.strictObject({ documents: z.number().int() });
