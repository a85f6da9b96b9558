import { clientsByIds } from '#features/clients/clients/clients.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { addDays, dayOfParts, partsOfDay } from '#features/base/work-calendars/days.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { listDates } from './dates.server.ts';
import {
  addDate,
  addedDates,
  confirmRule,
  countriesOf,
  muteRule,
  removeDate,
  ruleChoices,
} from './firm-rules.server.ts';
import { ownDateForm } from './forms.server.ts';
import { keepsFirmCalendar } from './internal/scope.server.ts';
import { firmDateList, ruleList } from './lists.server.ts';
import { RULES } from './obligations/all.ts';
import { COUNTRIES } from './profile.ts';
import { monthText } from './sentences.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'session' | 'pathTo'>;
}

const A_PAGE = 50;

const say = (key: KeysOf<'tax-calendar'>, vars: Record<string, string> = {}) =>
  ({ type: 'success', namespace: 'tax-calendar', key, vars }) as const;

/** The tax dates of a month of all clients that somebody of the firm acts for. */
export async function firmCalendarPage(page: Page) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const list = useList(page, firmDateList);
  const { month: asked, mark, kind, from } = list.query;
  const today = dayOf(now(), (await firmOf(actor.companyId)).timeZone);
  const month = asked === '' ? today.slice(0, 7) : asked;
  const { year, month: number } = partsOfDay(`${month}-01`);
  const { items, totalItems } = await listDates(actor, {
    from: `${month}-01`,
    until: addDays(dayOfParts(year, number + 1, 1), -1),
    mark: mark === '' ? undefined : mark,
    kind: kind === '' ? undefined : kind,
    start: from,
    limit: A_PAGE,
  });
  const clients = await clientsByIds(actor, [...new Set(items.map(({ clientId }) => clientId))]);
  const monthAway = (months: number): string => dayOfParts(year, number + months, 1).slice(0, 7);
  return {
    rows: items.map((date) => ({ ...date, client: clients.get(date.clientId)?.name ?? '' })),
    today,
    mark,
    urlFor: list.urlFor,
    monthTitle: monthText(lang, `${month}-01`),
    previous: list.urlFor({ month: monthAway(-1) }),
    next: list.urlFor({ month: monthAway(1) }),
    pager: list.pager(totalItems, A_PAGE),
  };
}

/** The rules of a country, and the dates that the firm added for all its clients. */
export async function firmRulesPage(page: Page) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'tax-calendar');
  const here = pathTo('staff/tax-calendar/rules');
  const list = useList(page, ruleList);
  const own = await countriesOf(actor);
  const country = list.query.country === '' ? (own[0] ?? 'us') : list.query.country;
  const back = pathTo('staff/tax-calendar/rules', { country });
  const year = partsOfDay(dayOf(now(), (await firmOf(actor.companyId)).timeZone)).year;
  const done = await useActions(page, {
    mute: async (key) => {
      await muteRule(actor, key, true);
      return { to: back, flash: say('ruleMuted') };
    },
    unmute: async (key) => {
      await muteRule(actor, key, false);
      return { to: back, flash: say('ruleShown') };
    },
    confirm: async (key) => {
      await confirmRule(actor, key, year + 1);
      return { to: back, flash: say('ruleConfirmed') };
    },
    unconfirm: async (key) => {
      await confirmRule(actor, key, 0);
      return { to: back, flash: say('ruleUnconfirmed') };
    },
    remove: async (id) => {
      await removeDate(actor, id);
      return { to: here, flash: say('removed') };
    },
  });
  if (done) return done;
  const adding = await useForm(page, ownDateForm, {
    values: { kind: 'file', repeats: 'once', roll: 'none' },
    submit: async (input) => {
      await addDate(actor, undefined, input);
      return { to: here, flash: say('addedForAll', { name: input.name }) };
    },
  });
  if (adding instanceof Response) return adding;
  const choices = await ruleChoices(actor);
  return {
    mayChange: keepsFirmCalendar(actor),
    year,
    country,
    countries: (own.length > 0 ? own : COUNTRIES).map((each) => ({
      text: t(`country_${each}`),
      href: list.urlFor({ country: each }),
      isCurrent: each === country,
    })),
    rules: RULES[country].map((rule) => {
      const { isMuted = false, confirmedUntil = 0 } = choices.get(rule.key) ?? {};
      const isConfirmed = confirmedUntil >= year + 1 || rule.confirmed.includes(year + 1);
      return { ...rule, isMuted, isConfirmed, isConfirmedByFirm: confirmedUntil >= year + 1 };
    }),
    added: await addedDates(actor),
    adding,
  };
}
