import { addMonths } from '#features/base/work-calendars/days.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { eventRows } from './dates.server.ts';
import { titleOf } from './sentences.server.ts';

const MONTHS = 12;

/** The tax dates of the next twelve months in the calendar of a contact: title and company, and nothing else. */
export const calendarEvents: Contributions['calendarEvents'] = async (
  reader,
  { lang, host, limit, link },
) => {
  const today = dayOf(now(), (await firmOf(reader.companyId)).timeZone);
  const t = translationsFor(lang, 'tax-calendar');
  const dates = await eventRows(reader, { from: today, until: addMonths(today, MONTHS), limit });
  return dates.map(({ date, client, version, changedAt }) => ({
    uid: `${date.ruleKey}.${date.period}.${date.clientId}@${host}`,
    sequence: version,
    changedAt,
    on: date.dueOn,
    title: `${titleOf(lang, date)} – ${client}${date.isConfirmed ? '' : ` (${t('notConfirmed')})`}`,
    url: link('tax-calendar', date.clientId),
  }));
};
