import { addDays } from '#features/base/work-calendars/days.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { listClients } from '#features/clients/clients/clients.server.ts';
import { clientQuery, type Client } from '#features/clients/clients/clients.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { monthsOf } from './date-views.server.ts';
import { listDates } from './dates.server.ts';
import { beforeChoice, reminderForm } from './forms.server.ts';
import { markDate } from './keeping.server.ts';
import { ownDateList } from './lists.server.ts';
import { KINDS } from './rules.ts';
import { chooseReminders, remindedBefore } from './reminders.server.ts';
import { DAYS_BEFORE, type Mark } from './tax-calendar.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'session' | 'pathTo'>;
}

const A_PAGE = 25;
/** Links to one company each; of more, there is one to the company of the page. */
const MAX_COMPANIES = 6;

const MESSAGES = {
  done: 'saidDone',
  nothing: 'saidNothing',
  open: 'saidOpen',
} as const satisfies Record<Mark, KeysOf<'tax-calendar'>>;

interface Whose {
  firm: Pick<Firm, 'timeZone' | 'name'> | undefined;
  /** The active client. */
  client: Client | undefined;
}

/** The tax dates of a contact; staff are led to those of all clients. */
export async function ownCalendarPage(page: Page, { firm, client }: Whose) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  if (actor.staff) return redirectTo(pathTo('staff/tax-calendar'));
  const here = page.url.pathname + page.url.search;
  const done = await useActions(page, markActions(actor, here, firm?.name ?? ''));
  if (done) return done;
  const reminders = await remindersOf(page);
  if (reminders instanceof Response) return reminders;
  return { ...(await datesShown(page, { firm, client })), reminders };
}

/** The buttons of a list of dates. */
export const markActions = (actor: Actor, to: string, firm: string) =>
  Object.fromEntries(
    (['done', 'nothing', 'open'] as const).map((mark) => [
      mark,
      async (id: string) => {
        const { name } = await markDate(actor, id, mark);
        return {
          to,
          flash: {
            type: 'success',
            namespace: 'tax-calendar',
            key: MESSAGES[mark],
            vars: { name, firm },
          } as const,
        };
      },
    ]),
  );

async function datesShown(page: Page, { firm, client }: Whose) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'tax-calendar');
  const list = useList(page, ownDateList);
  const { show, company, kind, from } = list.query;
  const today = dayOf(now(), firm?.timeZone ?? 'UTC');
  const isPast = show === 'past';
  const { clients } = await listClients(actor, clientQuery.parse({}), MAX_COMPANIES + 1);
  const hasSeveralClients = clients.length > 1;
  const offered: readonly Client[] = clients.length <= MAX_COMPANIES ? clients : client ? [client] : [];
  const { items, totalItems } = await listDates(actor, {
    clientId: company === '' ? undefined : company,
    kind: kind === '' ? undefined : kind,
    // what was due this week and nobody marked stays in sight
    ...(isPast ? { until: addDays(today, -1), isReversed: true } : { from: addDays(today, -7) }),
    start: from,
    limit: A_PAGE,
  });
  return {
    months: await monthsOf(actor, items, {
      lang,
      today,
      hasSeveralClients: hasSeveralClients && company === '',
    }),
    shown: [
      { text: t('showNext'), href: list.urlFor({ show: '', kind: '' }), isCurrent: !isPast && kind === '' },
      ...KINDS.map((each) => ({
        text: t(`kind_${each}`),
        href: list.urlFor({ show: '', kind: each }),
        isCurrent: !isPast && kind === each,
      })),
      { text: t('showPast'), href: list.urlFor({ show: 'past', kind: '' }), isCurrent: isPast },
    ],
    isPast,
    everyCompany: list.urlFor({ company: '' }),
    pager: list.pager(totalItems, A_PAGE),
    companies: (hasSeveralClients ? offered : []).map(({ id, displayAs }) => ({
      text: displayAs,
      href: list.urlFor({ company: id }),
      isCurrent: company === id,
    })),
    isOfOneCompany: company !== '',
  };
}

async function remindersOf(page: Page) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'tax-calendar');
  return useForm(page, reminderForm, {
    values: { before: beforeChoice(await remindedBefore(actor)) },
    choices: {
      before: [
        { value: beforeChoice(undefined), text: t('remindNever') },
        ...DAYS_BEFORE.map((days) => ({
          value: String(days),
          text: days === 0 ? t('remindSameDay') : t('remindDays', { count: days }),
        })),
      ],
    },
    submit: async ({ before }) => {
      await chooseReminders(actor, before);
      return {
        to: pathTo('tax-calendar'),
        flash: {
          type: 'success',
          namespace: 'tax-calendar',
          key: before === undefined ? 'remindersOff' : 'remindersOn',
        },
      };
    },
  });
}
