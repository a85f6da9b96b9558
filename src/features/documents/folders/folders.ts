import { z } from 'zod';

/** Container types are plural in a URL, and singular with a capital in a body (spec 1, sections 3 and 7). */
export const containerTypes = ['clients', 'projects', 'folders'] as const;
export const containerType = z.enum(['Client', 'Project', 'Folder']);
export type ContainerType = z.infer<typeof containerType>;

/**
 * A client's folders for uploads without another target: of its contacts, and of its firm. Each is created
 * with its first upload.
 */
export const uploadFolder = z.enum(['uploads', 'firm']);
export type UploadFolder = z.infer<typeof uploadFolder>;

/** Their product types, by which pages choose a name in the reader's language. */
export const UPLOAD_FOLDERS = {
  uploads: 'ClientContactFolder',
  firm: 'FirmFolder',
} as const satisfies Record<UploadFolder, string>;

/** Their stored names. */
export const CONTAINER_TYPES = {
  client: 'Client',
  project: 'Project',
  folder: 'Folder',
} as const satisfies Record<string, ContainerType>;

/** The actor's permissions on an item; always sent, and never to be guessed. */
export const permissions = z.strictObject({
  addContents: z.boolean(),
  read: z.boolean(),
  update: z.boolean(),
  delete: z.boolean(),
});

/**
 * A client, project or folder that contains documents (spec 1, section 3). `processingYear` is absent if
 * there is none (1900 in old data). `isShared` means that contacts see it, as they see everything in this
 * portal.
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
  /** Its depth in a tree: the client is 0. */
  depth: z.number().int().optional(),
  /** Whether it is locked by a Read lock of level Master, if locks were requested. */
  isLocked: z.boolean().optional(),
  /** Its client, if associations were requested. */
  association: z.strictObject({ type: z.literal('Client'), id: z.string() }).optional(),
});
export type Container = z.infer<typeof container>;

/** The page of a list: `from` counts from 0, `pageSize` is 100 by default and at most (spec 1, section 9). */
export const paging = z.strictObject({
  from: z.coerce.number().int().min(0).max(10_000_000).default(0),
  pageSize: z.coerce.number().int().min(1).max(100).default(100),
});
export const yesOrNo = z.enum(['true', 'false']).transform((value) => value === 'true');

/** `true` if requested. */
const flag = yesOrNo.default(false);
/** `countDocuments` has no effect: counts are stored, so they are always sent. */
export const treeQuery = z.strictObject({
  clientId: z.string().max(60),
  includeOrphans: flag,
  countDocuments: flag,
  calculateLocks: flag,
});
export type TreeQuery = z.infer<typeof treeQuery>;

/** Root containers of one client, or of all clients of the actor; a hundred per page. */
export const rootsQuery = z.strictObject({
  clientId: z.string().max(60).optional(),
  includeAssociationFields: flag,
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
  /** For a client: in its upload folder. */ into: uploadFolder.optional(),
});
export type NewFolder = z.infer<typeof newFolder>;

/** The product types of projects that staff create. */
export const PRODUCT_TYPES = [
  'TaxReturn',
  'Bookkeeping',
  'Payroll',
  'FinancialStatements',
  'Audit',
  'Advisory',
] as const;

export const newProject = z.strictObject({
  clientId: z.string().max(60),
  name: z.string().min(1).max(255),
  productType: z.enum(PRODUCT_TYPES).optional(),
  processingYear: z.number().int().min(1900).max(2099).optional(),
});
/** A project to create; code may use other product types, too. */
export type NewProject = Omit<z.infer<typeof newProject>, 'productType'> & {
  productType?: string | undefined;
};
