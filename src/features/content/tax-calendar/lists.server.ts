import { z } from 'zod';
import { defineList } from '#platform/forms/lists.server.ts';
import { COUNTRIES } from './profile.ts';
import { KINDS } from './rules.ts';
import { MARKS } from './tax-calendar.ts';

const from = z.coerce.number().int().min(0).max(100_000).default(0);
const kind = z.enum(['', ...KINDS]).default('');

/** The tax dates of a contact’s companies: the coming ones, or those that are over. */
export const ownDateList = defineList('tax-calendar', {
  schema: z.strictObject({
    show: z.enum(['', 'past']).default(''),
    company: z.string().max(60).default(''),
    kind,
    from,
  }),
  position: 'from',
});

/** The tax dates of the firm’s clients. */
export const firmDateList = defineList('tax-calendar', {
  schema: z.strictObject({
    month: z
      .string()
      .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/)
      .or(z.literal(''))
      .default(''),
    mark: z.enum(['', ...MARKS]).default(''),
    kind,
    from,
  }),
  position: 'from',
});

/** The rules of a country. */
export const ruleList = defineList('tax-calendar', {
  schema: z.strictObject({ country: z.enum(['', ...COUNTRIES]).default(''), from }),
  position: 'from',
});
