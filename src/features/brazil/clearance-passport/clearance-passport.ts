import { z } from 'zod';
import { MAX_AGENCIES } from '#features/brazil/clearance-certificates/clearance-certificates.ts';
import { line } from '#platform/inputs/line-schemas.ts';

/** The contract of the calls about passports, links to the certificates of a client, and limits. */

/** How many days a passport can be opened. */
export const MAX_DAYS = 90;
export const DEFAULT_DAYS = 30;
export const MAX_RECIPIENT = 100;

const PAGE = 30;
const MAX_PAGE = 100;
const id = z.string().max(60);

const PASSPORT_STATES = ['open', 'expired', 'revoked'] as const;

export const passportQuery = z.strictObject({
  clientId: id,
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

export const passportRequest = z.strictObject({
  clientId: id,
  /** Whom it is for, such as a bank. The page shows the name. */
  recipient: line(MAX_RECIPIENT).min(1),
  agencyIds: z.array(z.string().max(20)).min(1).max(MAX_AGENCIES),
  /** The last day on which it can be opened, at most 90 days from today, ISO 8601. */
  endsOn: z.iso.date(),
});
export type PassportRequest = z.infer<typeof passportRequest>;

const passport = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  recipient: z.string(),
  agencyIds: z.array(z.string()),
  state: z.enum(PASSPORT_STATES),
  createdDate: z.iso.datetime(),
  /** The name of the person who made it. */
  createdBy: z.string(),
  /** When it stops to work. */
  expirationDate: z.iso.datetime(),
  openings: z.int(),
  lastOpenedDate: z.iso.datetime().nullable(),
});
export type Passport = z.infer<typeof passport>;

export const passportPage = z.strictObject({ items: z.array(passport), totalItems: z.int() });

export const madePassport = z.strictObject({
  id: z.string(),
  /** The address of the page. It is returned only here: the portal keeps nothing by which it could be found again. */
  url: z.string(),
});
