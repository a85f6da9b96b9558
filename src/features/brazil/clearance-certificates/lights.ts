import { addDays } from '#features/base/work-calendars/days.ts';

/* What a certificate is worth on a day. Days are ISO 8601, those of the firm; a certificate is valid to the end of its last day. */

/** What a certificate says: no debts, debts that do not count (suspended or secured), or debts. */
export const RESULTS = ['negative', 'positiveWithEffect', 'positive'] as const;
export type Result = (typeof RESULTS)[number];

/** What is known of a client at an agency, the best first. */
export const LIGHTS = ['valid', 'expiring', 'missing', 'expired', 'positive'] as const;
export type Light = (typeof LIGHTS)[number];

/** Whether a certificate is valid today, even if not for long. */
export const isValidToday = (light: Light): boolean => light === 'valid' || light === 'expiring';

export const DEFAULT_RENEW_DAYS = 15;
export const MAX_RENEW_DAYS = 90;
/** Some days before the end, people are told once more. */
const LAST_CALL = 3;

export interface Current {
  /** Empty where there is no certificate. */
  result: Result | '';
  /** The last day; empty for one without. */
  validUntil: string;
  /** From this day on it should be renewed; empty where there is nothing to renew. */
  renewOn: string;
}

export function lightOf({ result, validUntil, renewOn }: Current, today: string): Light {
  if (result === '') return 'missing';
  if (result === 'positive') return 'positive';
  if (validUntil < today) return 'expired';
  return renewOn <= today ? 'expiring' : 'valid';
}

export const daysLeft = (validUntil: string, today: string): number =>
  Math.round((Date.parse(validUntil) - Date.parse(today)) / 86_400_000);

/** From when on a certificate should be renewed; empty for debts and without a last day. */
export const renewalOf = (
  { result, validUntil }: Omit<Current, 'renewOn'>,
  renewBeforeDays: number,
): string =>
  result === '' || result === 'positive' || validUntil === '' ? '' : addDays(validUntil, -renewBeforeDays);

/** When people are told: as it should be renewed, some days before the end, and when it has lapsed. */
export type Stage = 'soon' | 'last' | 'lapsed';

/** Which of the notices is due on a day; undefined before the first. */
export function stageOn({ validUntil, renewOn }: Current, today: string): Stage | undefined {
  if (renewOn === '') return undefined;
  if (validUntil < today) return 'lapsed';
  if (addDays(validUntil, -LAST_CALL) <= today) return 'last';
  return renewOn <= today ? 'soon' : undefined;
}

/** The day of the notice after one; empty after the last. Without one, the day of the first. */
export function nextNoticeOn({ validUntil, renewOn }: Current, stage?: Stage): string {
  if (renewOn === '' || stage === 'lapsed') return '';
  if (stage === 'last') return addDays(validUntil, 1);
  const last = addDays(validUntil, -LAST_CALL);
  return stage === 'soon' ? last : renewOn < last ? renewOn : last;
}
