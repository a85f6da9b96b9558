import { z } from 'zod';

/** Maximum number of keys of a document. */
export const MAX_KEYS = 20;
const MAX_ITEMS = 500;
/** Maximum number of keys in a search. */
const MAX_SOUGHT = 5;

const id = z.string().min(1).max(60);
/** `clientId` is not a key: the custom field of that name is the client. */
const key = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,49}$/)
  .refine((name) => name !== 'clientId', { message: 'names the client' });
const value = z.string().max(500);
/** zod ignores this one key of a record; here it is refused like any other invalid one. */
const asTyped = (typed: unknown): unknown =>
  typeof typed === 'object' && typed !== null && Object.hasOwn(typed, '__proto__') ? undefined : typed;
const upTo = (most: number, least = 0) =>
  z.preprocess(
    asTyped,
    z
      .record(key, value)
      .refine((data) => Object.keys(data).length >= least && Object.keys(data).length <= most, {
        message: `${least} to ${most} keys`,
      }),
  );

/**
 * Metadata that programs set on documents (spec 1 section 7, with its field names): the named keys are set,
 * the others stay.
 */
export const metadataToSet = z
  .array(z.strictObject({ Id: id, ContainerId: id, CustomItemMetaData: upTo(MAX_KEYS) }))
  .min(1)
  .max(MAX_ITEMS);
export type MetadataToSet = z.infer<typeof metadataToSet>;

/** Without `Keys` all metadata is removed. */
export const metadataToRemove = z
  .array(z.strictObject({ Id: id, ContainerId: id, Keys: z.array(key).max(MAX_KEYS).optional() }))
  .min(1)
  .max(MAX_ITEMS);
export type MetadataToRemove = z.infer<typeof metadataToRemove>;

/** The result for each item, in their order. `TOO_MANY`: it would have more than 20 keys. */
export const metadataAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      result: z.enum(['SET', 'REMOVED', 'FORBIDDEN', 'TOO_MANY', 'NOT_FOUND']),
    }),
  ),
});
export type MetadataOutcome = z.infer<typeof metadataAnswer>['items'][number];

export const metadataFilter = z.strictObject({ ClientId: id, CustomItemMetaData: upTo(MAX_SOUGHT, 1) });
export type MetadataFilter = z.infer<typeof metadataFilter>;

/** Metadata items (spec 1 section 3). */
export const metadataItems = z.array(
  z.strictObject({ docId: z.string(), containerId: z.string(), data: z.record(z.string(), z.string()) }),
);
export type MetadataItems = z.infer<typeof metadataItems>;

/** The task that an upload belongs to (spec 1 section 3); stored as metadata of the documents. */
export const taskMetaData = z.object({
  ccTaskLabel: value.optional(),
  ccGroupType: value.optional(),
  ccStep: value.optional(),
});
