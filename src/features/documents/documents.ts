import { z } from 'zod';

/** Containers in an address are plural, in a body singular with a capital (spec 1, sections 3 and 7). */
export const containerTypes = ['clients', 'projects', 'folders'] as const;
export const containerType = z.enum(['Client', 'Project', 'Folder']);
export type ContainerType = z.infer<typeof containerType>;

/**
 * The folders that a client has for uploads without another place: of its contacts, and of its firm. Each is
 * made with the first of them.
 */
export const uploadFolder = z.enum(['uploads', 'firm']);
export type UploadFolder = z.infer<typeof uploadFolder>;

/** Their product types: pages name them by these, in the reader's language. */
export const UPLOAD_FOLDERS = {
  uploads: 'ClientContactFolder',
  firm: 'FirmFolder',
} as const satisfies Record<UploadFolder, string>;

/** How they are called where they are stored. */
export const CONTAINER_TYPES = {
  client: 'Client',
  project: 'Project',
  folder: 'Folder',
} as const satisfies Record<string, ContainerType>;

/** What the actor may do with an item; always sent, never to be guessed. */
const permissions = z.strictObject({
  addContents: z.boolean(),
  read: z.boolean(),
  update: z.boolean(),
  delete: z.boolean(),
});

/** What the virus scanner said of a document; `unscanned` is too large for it. */
const scanState = z.enum(['pending', 'clean', 'infected', 'unscanned']);
export type ScanState = z.infer<typeof scanState>;

/**
 * A document (spec 1, section 3). Sizes are bytes, dates ISO 8601 in UTC, sha256 64 hexadecimal digits of
 * exactly the bytes handed in.
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
  /**
   * What programs noted about it (`itemmetadata`), and the same with its client: by each of these a list can
   * be narrowed.
   */
  customItemMetaData: z.record(z.string(), z.string()),
  customFields: z.record(z.string(), z.string()),
  permissions,
  /** Whether a Read lock of level Master freezes it, its own or that of a container above. */
  isLocked: z.boolean(),
  /** Absent where nothing scans. What is infected is given to nobody. */
  scan: scanState.optional(),
  /** Where a DELETE puts it into the trash; absent where the caller may not delete it. */
  deleteEndPoint: z.string().optional(),
  createdBy: z.string(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
});
export type Document = z.infer<typeof document>;

/**
 * A client, project or folder that holds documents (spec 1, section 3). `processingYear` is absent where it
 * has none (1900 in the old data). `isShared` says that contacts see it, as they see all that this portal
 * shows.
 */
export const container = z.strictObject({
  id: z.string(),
  name: z.string(),
  containerType,
  parentId: z.string().nullable(),
  clientId: z.string(),
  documentCount: z.number().int(),
  hasChildren: z.boolean(),
  hasFolders: z.boolean(),
  hasFiles: z.boolean(),
  isShared: z.boolean(),
  productType: z.string().nullable(),
  processingYear: z.number().int().nullable(),
  permissions,
  history: z.strictObject({
    createdBy: z.string(),
    createdDate: z.iso.datetime(),
    modifiedBy: z.string(),
    modifiedDate: z.iso.datetime(),
  }),
  /** How deep it stands, where a tree is given: the client is 0. */
  depth: z.number().int().optional(),
  /** Whether a Read lock of level Master freezes it, where locks were asked for. */
  isLocked: z.boolean().optional(),
  /** Whose it is, where associations were asked for. */
  association: z.strictObject({ type: z.literal('Client'), id: z.string() }).optional(),
});
export type Container = z.infer<typeof container>;

/** How a list is cut: `from` counts from 0, `pageSize` is 100 unless asked for less (spec 1, section 9). */
const paging = z.strictObject({
  from: z.coerce.number().int().min(0).max(10_000_000).default(0),
  pageSize: z.coerce.number().int().min(1).max(100).default(100),
});

/** How a list of documents is cut and sorted. */
export const documentOrder = paging.extend({
  orderBy: z.enum(['createdDate', 'name', 'originalItemSize']).default('createdDate'),
  orderDir: z.enum(['asc', 'desc']).default('desc'),
});
const yesOrNo = z.enum(['true', 'false']).transform((value) => value === 'true');
/**
 * What narrows a list of documents: words of the name (each is the beginning of one), read or not read by the
 * contact. `after` is the `next` of the page before; `loadPermission` changes nothing, for permissions are
 * always sent.
 */
export const narrowing = documentOrder.extend({
  name: z.string().max(200).optional(),
  readByClientUser: yesOrNo.optional(),
  loadPermission: yesOrNo.optional(),
  after: z.string().max(2000).optional(),
});
export const documentQuery = narrowing.extend({
  clientId: z.string().max(60).optional(),
  /** Container ids, separated by commas; without them every container of the client. */
  parentIds: z.string().max(4000).optional(),
  /**
   * Names the client as well: `clientId:<id>` (spec 1 section 7); or narrows to what has this metadata:
   * `<key>:<value>`.
   */
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
 * A page and how many there are in all; a list that is narrowed ends at the newest 1,000 or so, and 1,000
 * means that or more. `next` goes on after the last one.
 */
export const documentPage = z.strictObject({
  items: z.array(document),
  pageIndex: z.number().int(),
  totalPages: z.number().int(),
  total: z.number().int(),
  next: z.string().nullable(),
});
export type DocumentPage = z.infer<typeof documentPage>;

/** `true` where it is asked for. */
const asked = yesOrNo.default(false);
/** `countDocuments` changes nothing: the counts are kept, so they are always sent. */
export const treeQuery = z.strictObject({
  clientId: z.string().max(60),
  includeOrphans: asked,
  countDocuments: asked,
  calculateLocks: asked,
});
export type TreeQuery = z.infer<typeof treeQuery>;

/** Roots of one client, or of all that one acts for; a hundred a page. */
export const rootsQuery = z.strictObject({
  clientId: z.string().max(60).optional(),
  includeAssociationFields: asked,
  ...paging.shape,
});
export type RootsQuery = z.infer<typeof rootsQuery>;

export const projectsQuery = z.strictObject({
  primaryAssociationId: z.string().max(60),
  primaryAssociationType: z.literal('Client').default('Client'),
  productType: z.string().max(100).optional(),
});
export type ProjectsQuery = z.infer<typeof projectsQuery>;

export const newFolder = z.strictObject({
  name: z.string().min(1).max(255),
  parentId: z.string().max(60),
  parentType: containerType,
  /** For a client: in its folder of uploads. */ into: uploadFolder.optional(),
});
export type NewFolder = z.infer<typeof newFolder>;

export const constraintsAnswer = z.strictObject({
  convertedTypes: z.array(z.string()),
  unconvertedTypes: z.array(z.string()),
});

const chosenId = z.string().min(1).max(60);

/** Documents that a contact marks as read, or as not read. */
export const readingInput = z.strictObject({
  documentIds: z.array(chosenId).min(1).max(500),
  isRead: z.boolean(),
});
export type ReadingInput = z.infer<typeof readingInput>;

/** What became of each, in their order. */
export const readingAnswer = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), result: z.enum(['MARKED', 'NOT_FOUND']) })),
});
export type Marked = z.infer<typeof readingAnswer>['items'][number];
