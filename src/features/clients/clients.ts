import { z } from 'zod';

/** A company or person that the firm works for (spec 1, section 3). Dates are ISO 8601, UTC. */
const client = z.strictObject({
  id: z.string(),
  name: z.string(),
  displayAs: z.string(),
  code: z.string(),
  kind: z.enum(['business', 'individual']),
  initials: z.string(),
  createdDate: z.iso.datetime(),
});
export type Client = z.infer<typeof client>;

/** Query of the client list (spec 1 section 7). Search words match anywhere in the name, without regard to case. */
export const clientQuery = z.strictObject({
  orderBy: z.enum(['name', 'code']).default('name'),
  orderDir: z.enum(['asc', 'desc']).default('asc'),
  pageNum: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(1000).default(25),
  searchBy: z.enum(['name']).default('name'),
  searchTerm: z.string().max(200).default(''),
});
export type ClientQuery = z.infer<typeof clientQuery>;

/** The list answers in both shapes that the spec shows: numItems and numPages, and total, currentItemCount and totalPages. */
export const clientPage = z.strictObject({
  clients: z.array(client),
  numItems: z.number().int(),
  numPages: z.number().int(),
  total: z.number().int(),
  currentItemCount: z.number().int(),
  totalPages: z.number().int(),
});
export type ClientPage = z.infer<typeof clientPage>;
