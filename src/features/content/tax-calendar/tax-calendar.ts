import { z } from 'zod';
import { KINDS } from './rules.ts';

/* The tax dates of clients: the contract of their calls, and limits. */

/** What became of a date: nothing yet, it was handled, or there is nothing to send or pay this time. */
export const MARKS = ['open', 'done', 'nothing'] as const;
export type Mark = (typeof MARKS)[number];

export const REPEATS = ['once', 'monthly', 'quarterly', 'yearly'] as const;
export type Repeat = (typeof REPEATS)[number];

/** On how many days before a date people can be reminded. */
export const DAYS_BEFORE = [0, 1, 3, 7, 14] as const;

export const MAX_NAME = 120;
export const MAX_REASON = 300;
/** The most dates that a firm adds, for all clients and for each. */
export const MAX_OWN_DATES = 300;
/** For how many months dates are computed. */
export const MONTHS_AHEAD = 14;

const PAGE = 30;
const MAX_PAGE = 200;
const day = z.iso.date();

export const datesQuery = z.strictObject({
  clientId: z.string().max(60).optional(),
  from: day.optional(),
  until: day.optional(),
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

export const taxDate = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  /** Of the rule; of a date that the firm added, its id. */
  ruleKey: z.string(),
  /** As it is called in its country, or by the firm. */
  name: z.string(),
  kind: z.enum(KINDS),
  /** The last day of the period that it is for. */
  period: day,
  dueOn: day,
  /** The day by the rule, if the firm moved it. */
  movedFrom: day.nullable(),
  reason: z.string().nullable(),
  /** Whether somebody compared the dates of its year with the official ones. */
  isConfirmed: z.boolean(),
  mark: z.enum(MARKS),
});
export type TaxDate = z.infer<typeof taxDate>;

export const taxDatePage = z.strictObject({ items: z.array(taxDate), totalItems: z.int() });

export const markInput = z.strictObject({ mark: z.enum(MARKS) });
