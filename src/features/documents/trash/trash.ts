import { z } from 'zod';
import { containerType } from '#features/documents/folders/folders.ts';

/** Maximum number of documents in one call that names several. */
const MOST = 1000;

const id = z.string().min(1).max(60);

/** One document in its container, as in the trash route (spec 1 section 7). */
export const placedDocument = z.strictObject({ Id: id, ContainerId: id, ContainerType: containerType });
export type PlacedDocument = z.infer<typeof placedDocument>;

/** A deletion, and until when it can be undone (ISO 8601 in UTC). */
export const trashedDocument = z.strictObject({ id: z.string(), restorableUntil: z.iso.datetime() });
export type TrashedDocument = z.infer<typeof trashedDocument>;

/**
 * Several documents to delete: `docs` are deleted; `staffUploads` are those that the caller knows they may
 * not delete, which are only reported.
 */
export const batchDelete = z
  .strictObject({
    docs: z.array(placedDocument).max(MOST).default([]),
    staffUploads: z.array(placedDocument).max(MOST).default([]),
  })
  .refine(
    ({ docs, staffUploads }) =>
      docs.length + staffUploads.length >= 1 && docs.length + staffUploads.length <= MOST,
    { message: `name 1 to ${MOST} documents` },
  );
export type BatchDelete = z.infer<typeof batchDelete>;

export const chosenDocuments = z.strictObject({ ids: z.array(id).min(1).max(MOST) });

/** The result for each document, in their order. `name` is absent if the caller may not see the document. */
const outcomes = <const Done extends string>(done: Done) =>
  z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string().optional(),
        result: z.enum([done, 'FORBIDDEN', 'LOCKED', 'NOT_FOUND']),
      }),
    ),
  });

export const deletedAnswer = outcomes('DELETED');
export const purgedAnswer = outcomes('PURGED');
export type Deleted = z.infer<typeof deletedAnswer>['items'][number];
export type Purged = z.infer<typeof purgedAnswer>['items'][number];

/**
 * `name` is the document's current name: different from before (`formerName`) if that was taken meanwhile.
 * `moved` is true if its folder is gone.
 */
export const restoredAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string().optional(),
      formerName: z.string().optional(),
      parent: z.strictObject({ id: z.string(), containerType, name: z.string() }).optional(),
      moved: z.boolean().optional(),
      result: z.enum(['RESTORED', 'FORBIDDEN', 'NOT_FOUND']),
    }),
  ),
});
export type Restored = z.infer<typeof restoredAnswer>['items'][number];

export const trashQuery = z.strictObject({
  clientId: id,
  from: z.coerce.number().int().min(0).max(10_000_000).default(0),
});

/**
 * One page of a client's trash, the last deleted first. `parent` is null if the folder is gone, `deletedBy`
 * empty if unknown.
 */
export const trashPage = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      originalItemSize: z.number().int(),
      parent: z
        .strictObject({ id: z.string(), containerType, name: z.string(), productType: z.string().nullable() })
        .nullable(),
      deletedBy: z.string(),
      deletedDate: z.iso.datetime(),
      restorableUntil: z.iso.datetime(),
      permissions: z.strictObject({ restore: z.boolean(), purge: z.boolean() }),
    }),
  ),
  pageIndex: z.number().int(),
  totalPages: z.number().int(),
  total: z.number().int(),
});
export type TrashPage = z.infer<typeof trashPage>;

/** A deleted folder, which is one thing in the trash with all that was deleted with it. Dates are ISO 8601 in UTC. */
export const deletedFolder = z.strictObject({
  id: z.string(),
  name: z.string(),
  documentCount: z.number().int(),
  deletedBy: z.string(),
  deletedDate: z.iso.datetime(),
  restorableUntil: z.iso.datetime(),
});
export type DeletedFolder = z.infer<typeof deletedFolder>;
