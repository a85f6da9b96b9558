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
export const permissions = z.strictObject({
  addContents: z.boolean(),
  read: z.boolean(),
  update: z.boolean(),
  delete: z.boolean(),
});

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
export const paging = z.strictObject({
  from: z.coerce.number().int().min(0).max(10_000_000).default(0),
  pageSize: z.coerce.number().int().min(1).max(100).default(100),
});
export const yesOrNo = z.enum(['true', 'false']).transform((value) => value === 'true');

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
