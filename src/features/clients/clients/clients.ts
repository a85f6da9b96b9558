import { z } from 'zod';

/** A company or person that the firm works for (spec 1, section 3). Dates are ISO 8601, UTC. */
const client = z.strictObject({
  id: z.string(),
  name: z.string(),
  doingBusinessAs: z.string().nullable(),
  /** The name that pages show: the trade name, if there is one. */
  displayAs: z.string(),
  code: z.string(),
  kind: z.enum(['business', 'individual']),
  initials: z.string(),
  /**
   * Null if there is none, if it was not requested, and if the firm does not show nicknames (access control
   * ShowClientNickname).
   */
  nickname: z.string().nullable(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
});
export type Client = z.infer<typeof client>;

const pendingClient = client.extend({
  /**
   * What waits at the client, at most 1,000: documents of the firm that this contact has not read yet, or for staff
   * rows of the firm's inbox.
   */
  pending: z.number().int(),
});
export type PendingClient = z.infer<typeof pendingClient>;

const fields = z.enum(['name', 'nickname', 'code']);
const searchTerm = z.string().max(200).default('');

/**
 * Query of the client list (spec 1 section 7). Search words match anywhere in the field, without regard to
 * case. Ordered by `pending`, those with something pending come first, the newest first, and then the others by name.
 * Without paging parameters a page has 1,000 clients. A `companyId` other than one's own finds nothing.
 */
export const clientQuery = z.strictObject({
  orderBy: z.enum([...fields.options, 'pending']).default('name'),
  orderDir: z.enum(['asc', 'desc']).default('asc'),
  pageNum: z.coerce.number().int().min(1).max(1_000_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(1000).default(25),
  searchBy: fields.default('name'),
  searchTerm,
  'show-nickname': z.enum(['true', 'false']).default('false'),
  companyId: z.string().max(60).optional(),
});
export type ClientQuery = z.infer<typeof clientQuery>;

/**
 * The list answers in both formats of the spec: numItems and numPages, and total, currentItemCount and
 * totalPages.
 */
export const clientPage = z.strictObject({
  clients: z.array(pendingClient),
  numItems: z.number().int(),
  numPages: z.number().int(),
  total: z.number().int(),
  currentItemCount: z.number().int(),
  totalPages: z.number().int(),
});
export type ClientPage = z.infer<typeof clientPage>;

/**
 * Body of the search that reads nicknames (spec 1 section 7, core clients/search). `pageIndex` counts from 0.
 */
export const nicknameSearch = z.strictObject({
  expand: z
    .union([z.literal('primaryContactExpanded'), z.array(z.literal('primaryContactExpanded')).max(1)])
    .optional(),
  pagingDataRequest: z
    .strictObject({
      pageIndex: z.number().int().min(0).max(999_999).default(0),
      itemsPerPage: z.number().int().min(1).max(1000).default(25),
    })
    .prefault({}),
  filterSearchSort: z
    .strictObject({ orderBy: fields.default('name'), searchBy: fields.default('name'), search: searchTerm })
    .prefault({}),
});
export type NicknameSearch = z.infer<typeof nicknameSearch>;

/**
 * `primaryContactExpanded` is present if requested; its nickname is null if there is none or the firm shows
 * none.
 */
export const nicknamePage = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      code: z.string(),
      primaryContactExpanded: z.strictObject({ nickname: z.string().nullable() }).optional(),
    }),
  ),
  pageIndex: z.number().int(),
  itemsPerPage: z.number().int(),
  totalItems: z.number().int(),
  totalPages: z.number().int(),
});
export type NicknamePage = z.infer<typeof nicknamePage>;
