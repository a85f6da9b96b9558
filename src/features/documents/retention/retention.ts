import { z } from 'zod';

/**
 * What a retention period applies to: electronic invoices (XML) wherever they are; otherwise by the top folder:
 * a project, the client's uploads, what the firm publishes, or another folder. None may be called `firm` or `client`,
 * which name the active firm and client in the address of every page.
 */
export const CATEGORIES = ['xml', 'projects', 'published', 'uploads', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

/** The periods to choose from, in years; 0 keeps documents until someone deletes them. */
export const PERIODS = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '10',
  '11',
  '12',
  '15',
  '20',
  '30',
] as const;

/**
 * Brazilian electronic invoices are kept for at least 132 months (Ajuste SINIEF 2/2025), so no shorter period can be
 * chosen for XML files.
 */
export const MIN_YEARS_OF_XML = 11;

const period = z.enum(PERIODS);
export const retentionRules = z.strictObject({
  xml: period.refine((years) => years === '0' || Number(years) >= MIN_YEARS_OF_XML),
  projects: period,
  published: period,
  uploads: period,
  other: period,
});
export type RetentionRules = z.infer<typeof retentionRules>;

export const KEEP_ALL: RetentionRules = { xml: '0', projects: '0', published: '0', uploads: '0', other: '0' };

/** The days from a change of the rules until they are applied. */
export const NOTICE_DAYS = 14;
