import { z } from 'zod';
import { containerType } from '#features/documents/folders/folders.ts';

const role = z.enum(['Owner', 'Contributor']);

/** A Read lock of level Master: its item, who set it, and when (ISO 8601 in UTC). */
const lock = z.strictObject({ itemId: z.string(), name: z.string(), by: z.string(), at: z.iso.datetime() });

/**
 * The permissions on an item (spec 1 section 6). `given` is the source of a contact's role: this container,
 * an ancestor (`givenIn`), or the default. `lock` is the item's own, `lockAbove` the nearest ancestor's,
 * which applies to it too.
 */
export const rights = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.enum([...containerType.options, 'Document']),
  clientId: z.string(),
  /** Its parent container; null for a client's own. */
  parentId: z.string().nullable(),
  people: z.array(
    z.strictObject({
      contactId: z.string(),
      fullName: z.string(),
      role,
      given: z.enum(['here', 'above', 'usual']),
      givenIn: z.string().nullable(),
    }),
  ),
  lock: lock.nullable(),
  lockAbove: lock.nullable(),
});
export type Rights = z.infer<typeof rights>;

export const newRole = z.strictObject({ role });
export const newLock = z.strictObject({ locked: z.boolean() });
