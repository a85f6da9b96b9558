import { z } from 'zod';
import { hasArea, type Access } from '#features/base/people/people.ts';
import { LIGHTS, RESULTS } from './lights.ts';

/** The contract of the calls about clearance certificates (spec 2, section 7, cnd), and limits. */

/** The size of a certificate; those of the agencies have some hundred kilobytes. */
export const MAX_PDF = 5_000_000;
export const MAX_PDFS = 20;
export const MAX_NOTE = 500;
export const MAX_NUMBER = 60;
/** The agencies that are followed for a client. */
export const MAX_AGENCIES = 60;

/** What became of an attempt to get a certificate. */
const STATUSES = ['issued', 'debtsFound', 'needsData', 'unavailable', 'failed'] as const;
export type Status = (typeof STATUSES)[number];
/** Those that staff note by hand. */
export const NOTED = [
  'debtsFound',
  'needsData',
  'unavailable',
  'failed',
] as const satisfies readonly Status[];

/** How an attempt came here: with a certificate, or as a note of what an agency answered. */
export type Source = 'upload' | 'note';

const PAGE = 30;
const MAX_PAGE = 100;
const NO_CLIENT = 'Client id can not be undefined';
const NO_AGENCY = 'Agency id and client id can not be undefined';
const MAX_ID = 60;

/** The filter of the spec: `{"groups":[{"items":[{"by":"clientId","op":"EQ","value":"…"}]}]}`. */
const filterShape = z.object({
  groups: z
    .array(
      z.object({
        useOr: z.boolean().optional(),
        items: z
          .array(z.object({ by: z.string().max(40), op: z.string().max(10), value: z.string().max(MAX_ID) }))
          .max(10),
      }),
    )
    .max(10),
});

/** Reads the values of a filter in which each name is asked for once; anything else is invalid. */
const filterOf = <const Name extends string>(names: readonly Name[], missing: string) =>
  z
    .string({ error: missing })
    .max(2000)
    .transform((text, context): Record<Name, string> => {
      const items = itemsIn(text);
      const values = Object.fromEntries(
        names.map((name) => [name, items.find(({ by, op }) => by === name && op === 'EQ')?.value ?? '']),
      ) as Record<Name, string>;
      if (items.length === names.length && names.every((name) => values[name] !== '')) return values;
      context.addIssue({ code: 'custom', message: missing });
      return z.NEVER;
    });

function itemsIn(text: string): { by: string; op: string; value: string }[] {
  try {
    return filterShape.parse(JSON.parse(text)).groups.flatMap(({ items }) => items);
  } catch {
    return []; // which names no client
  }
}

const paging = {
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
};

export const clientAgencyQuery = z.strictObject({ filter: filterOf(['clientId'], NO_CLIENT), ...paging });

export const historyQuery = z.strictObject({
  filter: filterOf(['agencyId', 'clientId'], NO_AGENCY),
  expand: z.enum(['clientAgencyExpanded']).optional(),
  ...paging,
});

const clientAgency = z.strictObject({
  id: z.string(),
  agencyId: z.string(),
  clientId: z.string(),
  /** The name of the agency, in the language of the profile. */
  agency: z.string(),
  light: z.enum(LIGHTS),
  /** The newest certificate. */
  certificate: z
    .strictObject({
      id: z.string(),
      result: z.enum(RESULTS),
      /** The last day of its validity, ISO 8601; empty for one with debts. */
      validUntil: z.string(),
    })
    .nullable(),
  renewBeforeDays: z.int(),
});
export type ClientAgency = z.infer<typeof clientAgency>;

export const clientAgencyPage = z.strictObject({ items: z.array(clientAgency), totalItems: z.int() });

const attempt = z.strictObject({
  id: z.string(),
  agencyId: z.string(),
  clientId: z.string(),
  status: z.enum(STATUSES),
  source: z.enum(['upload', 'note']),
  /** Empty without a certificate. */
  result: z.enum(['', ...RESULTS]),
  number: z.string(),
  controlCode: z.string(),
  /** The CNPJ in it, without punctuation; empty for that of a person, and where it could not be read. */
  cnpj: z.string(),
  issuedOn: z.string(),
  validUntil: z.string(),
  note: z.string(),
  createdDate: z.iso.datetime(),
  /** Whether its PDF can be opened. */
  hasDocument: z.boolean(),
});

/** An attempt, with what is asked for by `expand`. */
const expandedAttempt = attempt.extend({ clientAgencyExpanded: clientAgency.optional() });

export const attemptPage = z.strictObject({ items: z.array(expandedAttempt), totalItems: z.int() });

export const documentAnswer = z.strictObject({
  /** An address of this portal, for the same session. */
  downloadUrl: z.string(),
});

export type Attempt = z.infer<typeof attempt>;

/** Firms with another part of the portal for Brazil: there is no flag for this one. */
export const isInBrazil = ({ access }: { access: Access }): boolean =>
  hasArea(access, 'service-request') || hasArea(access, 'box-e');

/** What became of each file that was sent; `outcome` says why one was refused. */
export const filedAnswer = z.strictObject({
  items: z.array(z.strictObject({ name: z.string(), status: z.number(), outcome: z.string() })),
});
