import { z } from 'zod';

/** Containers in an address are plural, in a body singular with a capital (spec 1, sections 3 and 7). */
export const containerTypes = ['clients', 'projects', 'folders'] as const;
export const containerType = z.enum(['Client', 'Project', 'Folder']);
export type ContainerType = z.infer<typeof containerType>;

/** What the actor may do with an item; always sent, never to be guessed (security.md, section 2). */
const permissions = z.strictObject({ addContents: z.boolean(), read: z.boolean(), update: z.boolean(), delete: z.boolean() });

/** A document (spec 1, section 3). Sizes are bytes, dates ISO 8601 in UTC, sha256 64 hexadecimal digits of exactly the bytes handed in. */
export const document = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.literal('Document'),
  documentType: z.string(),
  mimeType: z.string(),
  originalItemSize: z.number().int(),
  sha256: z.string(),
  parent: z.strictObject({ id: z.string(), containerType, name: z.string() }),
  isReadByClientUser: z.boolean(),
  permissions,
  /** Where a DELETE puts it into the trash; absent where the caller may not delete it. */
  deleteEndPoint: z.string().optional(),
  createdBy: z.string(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
});
export type Document = z.infer<typeof document>;

/** A client, project or folder that holds documents. `processingYear` is absent where it has none (1900 in the old data). */
export const container = z.strictObject({
  id: z.string(),
  name: z.string(),
  containerType,
  parentId: z.string().nullable(),
  clientId: z.string(),
  documentCount: z.number().int(),
  productType: z.string().nullable(),
  processingYear: z.number().int().nullable(),
  permissions,
});
export type Container = z.infer<typeof container>;

/** How a list is cut and sorted: `from` counts documents from 0, `pageSize` is 100 unless asked for less (spec 1, section 9). */
export const documentOrder = z.strictObject({
  from: z.coerce.number().int().min(0).max(10_000_000).default(0),
  pageSize: z.coerce.number().int().min(1).max(100).default(100),
  orderBy: z.enum(['createdDate', 'name', 'originalItemSize']).default('createdDate'),
  orderDir: z.enum(['asc', 'desc']).default('desc'),
});
export const documentQuery = documentOrder.extend({
  clientId: z.string().max(60).optional(),
  /** Container ids, separated by commas; without them every container of the client. */
  parentIds: z.string().max(4000).optional(),
});
export type DocumentQuery = z.infer<typeof documentQuery>;

export const documentPage = z.strictObject({ items: z.array(document), pageIndex: z.number().int(), totalPages: z.number().int(), total: z.number().int() });
export type DocumentPage = z.infer<typeof documentPage>;

export const newFolder = z.strictObject({ name: z.string().min(1).max(255), parentId: z.string().max(60), parentType: containerType });
export type NewFolder = z.infer<typeof newFolder>;

export const constraintsAnswer = z.strictObject({ convertedTypes: z.array(z.string()), unconvertedTypes: z.array(z.string()) });
