import { z } from 'zod';
import { line } from '#platform/inputs/line-schemas.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId, TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import { LANGS } from '#platform/text/languages.ts';

/*
 * The data that the firm keeps about a client: one schema for the form, the API and imports.
 */

export const MAX_NAME = 200;
export const MAX_CODE = 60;
export const MAX_TAG = 40;
export const MAX_TAGS = 20;
/** Maximum number of staff who are responsible for a client. */
const MAX_RESPONSIBLE = 10;
const MAX_ADDRESS_LINE = 200;

/** The last day of a tax year, `MM-DD`; a year that ends in February may end on its 28th or 29th. */
const isDayOfYear = (text: string): boolean => {
  const [month = 0, day = 0] = text.split('-').map(Number);
  return (
    /^(?:0[1-9]|1[0-2])-\d\d$/.test(text) &&
    day >= 1 &&
    day <= new Date(Date.UTC(2024, month, 0)).getUTCDate()
  );
};

const taxId = z
  .strictObject({ kind: z.enum(TAX_ID_KINDS), number: z.string().max(40) })
  .overwrite(({ kind, number }) => ({ kind, number: withoutMask(kind, number) }))
  .refine(({ kind, number }) => isTaxId(kind, number), { path: ['number'] });
export type TaxId = z.infer<typeof taxId>;

/** A postal address. `country` is ISO 3166-1; which of the other fields exist depends on it. */
export const address = z.strictObject({
  country: z.string().regex(/^[A-Z]{2}$/),
  address1: line(MAX_ADDRESS_LINE),
  address2: line(MAX_ADDRESS_LINE),
  city: line(MAX_ADDRESS_LINE),
  state: line(MAX_ADDRESS_LINE),
  zip: line(20),
  county: line(MAX_ADDRESS_LINE),
});
export type Address = z.infer<typeof address>;

/** As `fold` of the database, which does not exist in the browser. */
/** By which tags are compared. */
export const keyOfTag = (tag: string): string => tag.normalize('NFKC').toLowerCase().normalize('NFKC');

const isUnique = <Item>(items: readonly Item[], keyOf: (item: Item) => string): boolean =>
  new Set(items.map(keyOf)).size === items.length;

const fields = {
  name: line(MAX_NAME).min(1),
  /** The client's number in the firm: unique without regard to case; empty if it has none. */
  code: line(MAX_CODE),
  kind: z.enum(['business', 'individual']),
  /** The trade name; empty if it has none. */
  doingBusinessAs: line(MAX_NAME),
  /** Empty for the language of the firm. */
  language: z.enum(['', ...LANGS]),
  /** The last day of the tax year as `MM-DD`; empty for the calendar year. */
  yearEnd: z.string().refine((text) => text === '' || isDayOfYear(text)),
  /** Equal tags, without regard to case, count once. */
  tags: z
    .array(line(MAX_TAG).min(1))
    .overwrite((tags) => [...new Map(tags.map((tag) => [keyOfTag(tag), tag])).values()])
    .max(MAX_TAGS),
  /** At most one of each kind. */
  taxIds: z
    .array(taxId)
    .max(TAX_ID_KINDS.length)
    .refine((ids) => isUnique(ids, ({ kind }) => kind)),
  address: address.nullable(),
  /** The staff who are responsible for the client: their contact ids, or their invitation ids until they accept. */
  responsible: z.array(z.string().max(60)).max(MAX_RESPONSIBLE),
};

/** The fields of a new client; what is missing is empty. */
export const clientInput = z.strictObject({
  ...fields,
  code: fields.code.default(''),
  kind: fields.kind.default('business'),
  doingBusinessAs: fields.doingBusinessAs.default(''),
  language: fields.language.default(''),
  yearEnd: fields.yearEnd.default(''),
  tags: fields.tags.default([]),
  taxIds: fields.taxIds.default([]),
  address: fields.address.default(null),
  responsible: fields.responsible.default([]),
});
/** A new client of a call, which may be one that exists. */
export const newClientCall = clientInput.extend({ allowDuplicate: z.boolean().default(false) });
/** The input of a new client, of which only the name is required. */
export type ClientInput = z.input<typeof clientInput>;
export type NewClient = z.output<typeof clientInput>;

/** The fields of a client to change; what is missing stays. */
export const clientChange = z.strictObject(fields).partial();
export type ClientChange = z.output<typeof clientChange>;

/** A change of a client: EDIT_CONFLICT if `version` is not the current one. */
export const clientUpdate = clientChange.extend({
  version: z.number().int(),
  allowDuplicate: z.boolean().default(false),
});

/** All that the firm keeps about a client, for its staff. */
export const clientRecord = z.strictObject({
  ...fields,
  id: z.string(),
  /** Changes with every update: see `version` of an update. */
  version: z.number().int(),
  /** ISO 8601, UTC. */
  createdDate: z.string(),
  modifiedDate: z.string(),
  /** When the client was archived; null for a current client. */
  archivedDate: z.string().nullable(),
  /** The id of the client that this one was merged into. */
  mergedInto: z.string().nullable(),
});
export type ClientRecord = z.infer<typeof clientRecord>;

/** Why fields of an input are refused; `field` is a path such as `name` or `taxIds.0.number`. */
export const fieldProblemList = z.array(
  z.strictObject({ field: z.string(), problem: z.enum(['missing', 'too-long', 'wrong']) }),
);
export type FieldProblem = z.infer<typeof fieldProblemList>[number];

/** The problems that the schema found, by field. */
export const fieldProblems = (error: z.ZodError): FieldProblem[] =>
  error.issues.map(({ code, path }) => ({
    field: path.join('.'),
    problem: code === 'too_big' ? 'too-long' : code === 'too_small' ? 'missing' : 'wrong',
  }));
