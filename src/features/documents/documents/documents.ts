import { z } from 'zod';
import { containerType, paging, permissions, yesOrNo } from '#features/documents/folders/folders.ts';

/** The result of the virus scan of a document; `unscanned` if it is too large. */
const scanState = z.enum(['pending', 'clean', 'infected', 'unscanned']);
export type ScanState = z.infer<typeof scanState>;

/**
 * A document (spec 1, section 3). Sizes are bytes, dates ISO 8601 in UTC, sha256 64 hexadecimal digits of
 * exactly the uploaded bytes.
 */
export const document = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.literal('Document'),
  documentType: z.string(),
  mimeType: z.string(),
  originalItemSize: z.number().int(),
  sha256: z.string(),
  /** Whether the viewer can show it in the page. */
  isViewable: z.boolean(),
  parent: z.strictObject({
    id: z.string(),
    containerType,
    name: z.string(),
    productType: z.string().nullable(),
  }),
  isReadByClientUser: z.boolean(),
  commentsCount: z.number().int(),
  /** Its metadata (`itemmetadata`), and the same with its client: lists can be filtered by each of these. */
  customItemMetaData: z.record(z.string(), z.string()),
  customFields: z.record(z.string(), z.string()),
  permissions,
  /** Whether it is locked by a Read lock of level Master, its own or an ancestor's. */
  isLocked: z.boolean(),
  /** Absent without a virus scanner. Infected documents are given to nobody. */
  scan: scanState.optional(),
  /** Present if the stored file was found damaged, and cannot be read before it is restored. */
  isDamaged: z.literal(true).optional(),
  /** The URL where DELETE moves it to the trash; absent if the caller may not delete it. */
  deleteEndPoint: z.string().optional(),
  /** Present while it belongs to an answer that is not submitted: the firm does not see it. */
  isNotSubmitted: z.literal(true).optional(),
  createdBy: z.string(),
  /** The contact who had asked for it, if somebody without an account sent it; `createdBy` is that person then. */
  askedBy: z.string().optional(),
  /** Which side added it, and whether it was the caller. */
  addedBy: z.enum(['firm', 'client']),
  isOwn: z.boolean(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
});
export type Document = z.infer<typeof document>;

/** The page and order of a list of documents. */
export const documentOrder = paging.extend({
  orderBy: z.enum(['createdDate', 'name', 'originalItemSize']).default('createdDate'),
  orderDir: z.enum(['asc', 'desc']).default('desc'),
});
/**
 * The filters of a list of documents: search words (each a prefix of a word in the name), read or unread by
 * the contact, the side that added them, and the calendar year of the firm in which they were added. `after` is
 * the `next` of the previous page; `loadPermission` has no effect, since permissions are always sent.
 */
export const narrowing = documentOrder.extend({
  name: z.string().max(200).optional(),
  readByClientUser: yesOrNo.optional(),
  uploadedBy: z.enum(['firm', 'client']).optional(),
  year: z.coerce.number().int().min(1970).max(9999).optional(),
  loadPermission: yesOrNo.optional(),
  after: z.string().max(2000).optional(),
});
export const documentQuery = narrowing.extend({
  clientId: z.string().max(60).optional(),
  /** Container ids, separated by commas; by default every container of the client. */
  parentIds: z.string().max(4000).optional(),
  /** Names the client as `clientId:<id>` (spec 1 section 7), or filters by metadata: `<key>:<value>`. */
  customFields: z
    .string()
    .max(560)
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,49}:[\s\S]{0,500}$/)
    .refine((field) => !field.startsWith('clientId:') || /^clientId:[\w-]{1,60}$/.test(field), {
      message: 'clientId:<id> names a client',
    })
    .optional(),
});
export type DocumentQuery = z.infer<typeof documentQuery>;

/**
 * A page and the total; a filtered list ends at about the newest 1,000, so 1,000 means that or more. `next`
 * continues after the last row.
 */
export const documentPage = z.strictObject({
  items: z.array(document),
  pageIndex: z.number().int(),
  totalPages: z.number().int(),
  total: z.number().int(),
  next: z.string().nullable(),
});
export type DocumentPage = z.infer<typeof documentPage>;

export const constraintsAnswer = z.strictObject({
  convertedTypes: z.array(z.string()),
  unconvertedTypes: z.array(z.string()),
});

const chosenId = z.string().min(1).max(60);

/** Documents that a contact marks as read or unread. */
export const readingInput = z.strictObject({
  documentIds: z.array(chosenId).min(1).max(500),
  isRead: z.boolean(),
});
export type ReadingInput = z.infer<typeof readingInput>;

/** The result for each document, in their order. */
export const readingAnswer = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), result: z.enum(['MARKED', 'NOT_FOUND']) })),
});
export type Marked = z.infer<typeof readingAnswer>['items'][number];
