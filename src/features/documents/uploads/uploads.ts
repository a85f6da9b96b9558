import { z } from 'zod';
import { containerType, uploadFolder } from '#features/documents/folders/folders.ts';

/** The largest part of an upload, in bytes. */
export const MAX_PART = 8 * 1024 * 1024;

/**
 * The description of a file by a tus client in `Upload-Metadata`; other keys are ignored. `lastModified` in
 * epoch ms.
 */
export const uploadMetadata = z.object({
  filename: z.string().max(1000),
  containerType,
  containerId: z.string().max(60),
  /** For a client: into its upload folder. */
  into: uploadFolder.optional(),
  onConflict: z.enum(['fail', 'rename']).default('fail'),
  lastModified: z.coerce.number().int().min(0).max(8.64e15).optional(),
});
export type UploadMetadata = z.infer<typeof uploadMetadata>;

/** An upload that can be resumed: `offset` of `size` bytes are stored, until `expiresAt`. */
export const openUpload = z.strictObject({
  uploadId: z.string(),
  name: z.string(),
  size: z.number().int(),
  offset: z.number().int(),
  lastModified: z.number().int().nullable(),
  containerType,
  containerId: z.string(),
  intoUploads: z.boolean(),
  expiresAt: z.iso.datetime(),
});
export type OpenUpload = z.infer<typeof openUpload>;
