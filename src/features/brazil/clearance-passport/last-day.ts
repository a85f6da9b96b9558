import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';

/** The last day of a passport, which ends with it: the moment of its end belongs to the day after. */
export const lastDayText = (lang: Lang, expiresAt: number, timeZone: string): string =>
  formatDate(LANGUAGES[lang], expiresAt - 1, timeZone);
