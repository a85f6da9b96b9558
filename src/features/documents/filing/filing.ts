import { z } from 'zod';
import { containerType } from '#features/documents/folders/folders.ts';

/*
 * Filing: documents and folders get another name or place, or a copy elsewhere.
 */

const id = z.string().min(1).max(60);
const MAX_DOCUMENTS = 1000;
const MAX_FOLDERS = 100;

export const newName = z.strictObject({
  name: z.string().min(1).max(255),
  /** For staff: the extension may change, too, if it fits the content. Otherwise the old one is appended. */
  changeExtension: z.boolean().default(false),
});
export type NewName = z.infer<typeof newName>;

export const newFolderName = newName.pick({ name: true });

/** Documents and folders, and the container they are moved or copied to. */
export const chosenItems = z
  .strictObject({
    documentIds: z.array(id).max(MAX_DOCUMENTS).default([]),
    folderIds: z.array(id).max(MAX_FOLDERS).default([]),
    containerId: id,
    containerType,
  })
  .refine(({ documentIds, folderIds }) => documentIds.length + folderIds.length > 0, {
    message: 'name a document or a folder',
  });
export type ChosenItems = z.infer<typeof chosenItems>;

/** Why an item stayed where it is. */
export const REASONS = [
  'NOT_FOUND',
  'FORBIDDEN',
  'LOCKED',
  'INFECTED',
  'CYCLE',
  'OTHER_CLIENT',
  'TOO_DEEP',
  'TOO_MANY_FOLDERS',
  'TOO_MANY',
  'QUOTA',
] as const;

/**
 * The result for each item, in their order: documents first. `name` is its name there, different from before
 * (`formerName`) if that was taken; `newId` the id of a copy. A folder with many documents is STARTED: its documents are
 * copied in the background.
 */
export const filedAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      newId: z.string().optional(),
      name: z.string().optional(),
      formerName: z.string().optional(),
      result: z.enum(['MOVED', 'COPIED', 'STARTED', ...REASONS]),
    }),
  ),
});
export type Filed = z.infer<typeof filedAnswer>['items'][number];
