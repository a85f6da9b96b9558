import { z } from 'zod';
import { containerType } from '#features/folders/folders.ts';

const role = z.enum(['Owner', 'Contributor']);

/** A Read lock of level Master: on which item, who set it, and when (ISO 8601 in UTC). */
const lock = z.strictObject({ itemId: z.string(), name: z.string(), by: z.string(), at: z.iso.datetime() });

/**
 * Who may do what with an item (spec 1 section 6). `given` says where a contact's role comes from: from this
 * container, from one above it (`givenIn`), or from nowhere, as usual. `lock` is the item's own, `lockAbove`
 * the nearest of those above, which hold for it too.
 */
export const rights = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.enum([...containerType.options, 'Document']),
  clientId: z.string(),
  /** The container that it stands in; null for a client's own. */
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
