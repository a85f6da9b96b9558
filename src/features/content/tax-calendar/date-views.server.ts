import type { Client } from '#features/clients/clients/clients.ts';
import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { ruleOf } from './obligations/all.ts';
import { dayText, languageOfName, monthText, periodText, shortDayText } from './sentences.server.ts';
import type { Mark, TaxDate } from './tax-calendar.ts';

/** A date as a list shows it. */
export interface DateView {
  id: string;
  dueOn: string;
  day: string;
  name: string;
  /** Of the name, where it is not that of the page (BCP 47). */
  nameLang: string | undefined;
  /** Empty where the reader has one company. */
  client: string;
  /** What is to be done, and for which period. */
  what: string;
  mark: Mark;
  isOver: boolean;
  isToday: boolean;
  /** What is said of it besides: moved, not confirmed, handled, to be checked. */
  notes: Note[];
  /** By which law, and where the rule was read. */
  law: string;
}

interface Note {
  text: string;
  icon: 'circle-alert' | 'circle-check' | 'calendar' | 'info';
  isProblem?: true;
}

/** Dates under their months. */
export interface MonthView {
  title: string;
  dates: DateView[];
}

interface Context {
  lang: Lang;
  today: string;
  /** Whether rows have to say of which client they are. */
  hasSeveralClients: boolean;
}

/** Dates by month, in the order in which they come. */
export async function monthsOf(
  actor: Actor,
  dates: readonly TaxDate[],
  context: Context,
): Promise<MonthView[]> {
  const clients = context.hasSeveralClients
    ? await clientsByIds(actor, [...new Set(dates.map(({ clientId }) => clientId))])
    : new Map<string, Client>();
  return [...Map.groupBy(dates, ({ dueOn }) => dueOn.slice(0, 7))].map(([month, own]) => ({
    title: monthText(context.lang, `${month}-01`),
    dates: own.map((date) => viewOf(date, clients.get(date.clientId)?.displayAs ?? '', context)),
  }));
}

function viewOf(date: TaxDate, client: string, { lang, today }: Context): DateView {
  const t = translationsFor(lang, 'tax-calendar');
  const rule = ruleOf(date.ruleKey);
  const period = periodText(lang, date);
  const isOver = date.dueOn < today;
  return {
    id: date.id,
    dueOn: date.dueOn,
    day: shortDayText(lang, date.dueOn),
    name: date.name,
    nameLang: languageOfName(date.ruleKey),
    client,
    what: [t(`kind_${date.kind}`), period].filter((part) => part !== '').join(' · '),
    mark: date.mark,
    isOver,
    isToday: date.dueOn === today,
    notes: notesOf(lang, date, isOver),
    law: rule ? [rule.law, rule.source].filter((part) => part !== '').join(' · ') : t('byFirm'),
  };
}

function notesOf(lang: Lang, date: TaxDate, isOver: boolean): DateView['notes'] {
  const t = translationsFor(lang, 'tax-calendar');
  const notes: DateView['notes'] = [];
  if (date.mark === 'done') notes.push({ text: t('markDone'), icon: 'circle-check' });
  if (date.mark === 'nothing') notes.push({ text: t('markNothing'), icon: 'circle-check' });
  if (date.mark === 'open' && isOver)
    notes.push({
      text: t('checkPast', { date: dayText(lang, date.dueOn) }),
      icon: 'circle-alert',
      isProblem: true,
    });
  if (date.movedFrom !== null)
    notes.push({
      text: t('movedFrom', { date: dayText(lang, date.movedFrom), reason: date.reason ?? '' }),
      icon: 'calendar',
    });
  if (!date.isConfirmed) notes.push({ text: t('notConfirmed'), icon: 'info' });
  return notes;
}
