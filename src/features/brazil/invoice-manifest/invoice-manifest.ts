import { z } from 'zod';
import { gridFilter } from '#features/base/grids/grids.ts';
import { EVENTS, PROBLEMS } from './rules.ts';

/** The contract of the calls about invoices that others issued to a client (spec 2, section 7, manifesto). */

/** The state of an invoice. `expired` is one that nobody can decide about any more. */
export const STATUSES = [
  'pending',
  'aware',
  'confirmed',
  'unknown',
  'notDone',
  'expired',
  'cancelled',
] as const;
export type Status = (typeof STATUSES)[number];

/** What somebody wants to be told to the authority, and how far that is. */
export const INTENTS = ['none', 'marked', 'accepted', 'sent', 'failed'] as const;
export type Intent = (typeof INTENTS)[number];

const PAGE = 30;
const MAX_PAGE = 100;
/** As many are accepted or refused at once. */
export const MAX_AT_ONCE = 200;
export const MAX_REASON = 500;
/** The authority's numbers of protocols. */
export const PROTOCOL = /^\d{15}$/;

const id = z.string().min(1).max(60);
const paging = {
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
};
const day = z.iso.date().optional();

/** A filter of the spec as JSON: `{"groups":[{"items":[{"by":"total","op":"GE","value":1000}]}]}`. */
const filter = z
  .string()
  .max(8000)
  .transform((text, context) => {
    try {
      return gridFilter.parse(JSON.parse(text));
    } catch {
      context.addIssue({ code: 'custom', message: 'invalid filter' });
      return z.NEVER;
    }
  })
  .optional();

export const documentQuery = z.strictObject({
  /** Required of contacts with several clients. */
  clientId: id.optional(),
  status: z.enum(STATUSES).optional(),
  intent: z.enum(INTENTS).optional(),
  /** The first and the last day of issue. */
  from: day,
  to: day,
  /** The CNPJ of the issuer, or part of its name. */
  issuer: z.string().trim().min(1).max(100).optional(),
  key: z
    .string()
    .transform((text) => text.replaceAll(/\s/g, '').toUpperCase())
    .pipe(z.string().regex(/^[\dA-Z]{44}$/))
    .optional(),
  /** In reais. */
  minValue: z.coerce.number().min(0).max(1e12).optional(),
  filter,
  orderBy: z
    .enum(['lastDay', '-lastDay', 'issuedAt', '-issuedAt', 'total', '-total', 'issuer', '-issuer'])
    .default('lastDay'),
  ...paging,
});
export type DocumentQuery = z.infer<typeof documentQuery>;

export const clientQuery = z.strictObject({
  searchTerm: z
    .string()
    .max(200)
    .regex(/^[^\0]*$/)
    .default(''),
  ...paging,
});

const registeredEvent = z.strictObject({
  event: z.enum(EVENTS),
  sequence: z.int(),
  /** Empty if only the file of the event says so. */
  protocol: z.string(),
  registeredAt: z.iso.datetime(),
});

const invoice = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  key: z.string(),
  number: z.int().nullable(),
  series: z.string(),
  /** The CNPJ without punctuation; empty for people. */
  issuer: z.strictObject({ id: z.string(), name: z.string() }),
  issuedAt: z.iso.datetime(),
  authorisedAt: z.iso.datetime(),
  /** In reais. */
  total: z.number(),
  hasXml: z.boolean(),
  status: z.enum(STATUSES),
  intent: z.enum(INTENTS),
  /** By which the intent is accepted or refused. */
  intentId: z.string().nullable(),
  lastDay: z.iso.date(),
  daysLeft: z.int(),
  events: z.array(registeredEvent),
  version: z.int(),
});
export type Invoice = z.infer<typeof invoice>;

export const documentPage = z.strictObject({ items: z.array(invoice), totalItems: z.int() });
export const documentAnswer = invoice;

const clientOfManifest = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Without punctuation; empty for a client without one. */
  cnpj: z.string(),
  /** Invoices that nobody has decided about, of which the first has to be by the last day. */
  pending: z.int(),
  lastDay: z.string().nullable(),
  /** The digital certificate; null without one. */
  certificate: z.strictObject({ validTo: z.string(), ok: z.boolean() }).nullable(),
  /** When the authority was last asked for invoices of the client; null if never. */
  lastQueryAt: z.iso.datetime().nullable(),
});
export type ClientOfManifest = z.infer<typeof clientOfManifest>;
export const clientPage = z.strictObject({ items: z.array(clientOfManifest), totalItems: z.int() });

export const intentInput = z.strictObject({
  event: z.enum(EVENTS),
  justification: z.string().max(2000).default(''),
  /** The version that the caller has seen. */
  version: z.int(),
});
export const withdrawQuery = z.strictObject({ version: z.coerce.number().int().optional() });

const ids = z.array(id).min(1).max(MAX_AT_ONCE);
export const acceptInput = z.strictObject({ ids });
export const refuseInput = z.strictObject({ ids, reason: z.string().trim().min(1).max(MAX_REASON) });

/** What became of each intent. */
export const decidedAnswer = z.strictObject({
  done: z.array(z.string()),
  refused: z.array(
    z.strictObject({
      id: z.string(),
      code: z.string(),
      problem: z.enum(PROBLEMS).optional(),
    }),
  ),
});
export type Decided = z.infer<typeof decidedAnswer>;
