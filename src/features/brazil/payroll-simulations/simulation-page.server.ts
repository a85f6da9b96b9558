import type { Firm } from '#features/base/firms/firms.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Day } from '#features/base/work-calendars/days.ts';

/** The firm's day, on which an estimate is made. */
export const todayOf = (firm: Firm | undefined): Day => dayOf(now(), firm?.timeZone ?? 'UTC');

/** Whether the PDF of an estimate is requested, instead of its page. */
export const wantsPdf = ({ url }: Request): boolean => new URL(url).searchParams.get('as') === 'pdf';

const OF_THE_PORTAL = ['request-key'];

/** What was typed, for the form that requests the PDF of the same estimate. */
export async function postedFields(request: Request): Promise<[name: string, value: string][]> {
  if (request.method !== 'POST') return [];
  return [...(await formOf(request))].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && !OF_THE_PORTAL.includes(name) ? [[name, value]] : [],
  );
}

/** The months as choices, after one for who does not know. */
export function monthChoices(lang: Lang): Choice[] {
  const names = new Intl.DateTimeFormat(LANGUAGES[lang], { month: 'long', timeZone: 'UTC' });
  const months = Array.from({ length: 12 }, (_, at) => ({
    value: String(at + 1),
    text: names.format(Date.UTC(2026, at, 1)),
  }));
  return [{ value: '', text: translationsFor(lang, 'payroll-simulations')('unknown') }, ...months];
}
