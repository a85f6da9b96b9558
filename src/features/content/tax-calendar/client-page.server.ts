import type { ClientRecord } from '#features/clients/clients/client-records.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addDays, laterOf } from '#features/base/work-calendars/days.ts';
import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { monthsOf } from './date-views.server.ts';
import { listDates, taxDateOf } from './dates.server.ts';
import { addDate, addedDates, removeDate, ruleChoices } from './firm-rules.server.ts';
import { moveForm, ownDateForm, profileForm } from './forms.server.ts';
import { keepsCalendar } from './internal/scope.server.ts';
import { moveDate } from './keeping.server.ts';
import { markActions } from './contact-page.server.ts';
import { ownDateList } from './lists.server.ts';
import { ALL_FACTS, COUNTRIES, valuesOf, type Country, type Facts } from './profile.ts';
import { chooseRule, profileOf, rulesOfClient, saveProfile, type TaxProfile } from './profiles.server.ts';
import type { TaxDate } from './tax-calendar.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'session' | 'pathTo'>;
}

const A_PAGE = 15;

const say = (key: KeysOf<'tax-calendar'>, vars: Record<string, string> = {}) =>
  ({ type: 'success', namespace: 'tax-calendar', key, vars }) as const;

/** The tax calendar of a client for its staff: its dates, what they depend on, and the rules of its country. */
export async function clientCalendarPage(page: Page, clientId: string) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const client = await clientRecord(actor, clientId);
  const profile = await profileOf(actor, client.id);
  const here = pathTo(`staff/clients/${client.id}/tax-calendar`);
  const done = await useActions(page, actionsOf(page, client.id, here));
  if (done) return done;
  const country = countryIn(page.url) ?? profile?.country ?? guessedCountry(client);
  const profileView = await profileFormOf(page, { client, profile, country, here });
  if (profileView instanceof Response) return profileView;
  const adding = await addingForm(page, client.id, here);
  if (adding instanceof Response) return adding;
  const moved = await movedDate(page, client.id);
  const moving = moved && (await movingForm(page, moved, here));
  if (moving instanceof Response) return moving;
  return {
    client,
    profile,
    country,
    mayChange: keepsCalendar(actor),
    profileForm: profileView,
    adding,
    moved,
    moving,
    rules: profile ? rulesOfClient(profile) : [],
    firmChoices: await ruleChoices(actor),
    added: await addedDates(actor, client.id),
    ...(await datesOfClient(page, client.id)),
  };
}

function actionsOf(page: Page, clientId: string, here: string) {
  const { actor } = page.locals.session;
  const choose = (choice: 'on' | 'off' | 'auto') => async (key: string) => {
    await chooseRule(actor, clientId, key, choice);
    return { to: `${here}#rules`, flash: say('ruleChosen') };
  };
  return {
    ...markActions(actor, page.url.pathname + page.url.search, ''),
    moveBack: async (id: string) => {
      const { name } = await moveDate(actor, id, undefined);
      return { to: here, flash: say('movedBack', { name }) };
    },
    include: choose('on'),
    leaveOut: choose('off'),
    byFacts: choose('auto'),
    remove: async (id: string) => {
      await removeDate(actor, id);
      return { to: here, flash: say('removed') };
    },
  };
}

function countryIn({ searchParams }: URL): Country | undefined {
  const named = searchParams.get('country');
  return COUNTRIES.find((country) => country === named);
}

const COUNTRY_OF_TAX_ID = {
  ein: 'us',
  ssn: 'us',
  cnpj: 'br',
  cpf: 'br',
  utr: 'gb',
  nino: 'gb',
  bn: 'ca',
  sin: 'ca',
  abn: 'au',
  tfn: 'au',
  cuit: 'ar',
} as const satisfies Record<TaxIdKind, Country>;

/** By the first tax id; without one, the firm says it. */
const guessedCountry = ({ taxIds: [first] }: ClientRecord): Country | undefined =>
  first && COUNTRY_OF_TAX_ID[first.kind];

/** What is known before anybody filled in the profile. */
const guessedFacts = ({ kind }: ClientRecord, country: Country): Facts => {
  const known = valuesOf(country, 'entity');
  const entity = known.find((value) => value === (kind === 'individual' ? 'person' : 'company'));
  return entity === undefined ? {} : { entity };
};

interface Shown {
  client: ClientRecord;
  profile: TaxProfile | undefined;
  country: Country | undefined;
  here: string;
}

async function profileFormOf(page: Page, { client, profile, country, here }: Shown) {
  const { lang, session } = page.locals;
  const t = translationsFor(lang, 'tax-calendar');
  if (!country) return undefined;
  const asked = ALL_FACTS.filter((fact) => valuesOf(country, fact).length > 0);
  const known = profile?.country === country ? profile.facts : guessedFacts(client, country);
  const form = await useForm(page, profileForm, {
    values: { version: String(profile?.version ?? 0), country, ...known },
    choices: Object.fromEntries(
      asked.map((fact) => [
        fact,
        [
          { value: '', text: t('unknown') },
          ...valuesOf(country, fact).map((value) => ({ value, text: t(`value_${value}`) })),
        ],
      ]),
    ),
    submit: async ({ version, country: chosen, ...given }) => {
      await saveProfile(session.actor, client.id, { country: chosen, facts: given, version });
      return { to: here, flash: say('profileSaved') };
    },
  });
  if (form instanceof Response) return form;
  const names = new Set<string>([...asked, 'version', 'country']);
  return { ...form, fields: form.fields.filter(({ name }) => names.has(name)) };
}

const addingForm = (page: Page, clientId: string, here: string) =>
  useForm(page, ownDateForm, {
    values: { kind: 'file', repeats: 'once', roll: 'none' },
    submit: async (input) => {
      await addDate(page.locals.session.actor, clientId, input);
      return { to: here, flash: say('added', { name: input.name }) };
    },
  });

/** The date that the address asks to move. */
async function movedDate(page: Page, clientId: string): Promise<TaxDate | undefined> {
  const id = page.url.searchParams.get('move');
  if (id === null) return undefined;
  const date = await taxDateOf(page.locals.session.actor, id);
  if (date.clientId !== clientId) throw notFound();
  return date;
}

/** A date that is over begins with today, since nothing is moved into the past. */
async function movingForm(page: Page, date: TaxDate, here: string) {
  const { actor } = page.locals.session;
  return useForm(page, moveForm, {
    values: { day: laterOf(await todayOf(actor), date.dueOn), reason: date.reason ?? '' },
    submit: async (to) => {
      await moveDate(actor, date.id, to);
      return { to: here, flash: say('moved', { name: date.name }) };
    },
  });
}

const todayOf = async ({ companyId }: Actor): Promise<string> =>
  dayOf(now(), (await firmOf(companyId)).timeZone);

async function datesOfClient(page: Page, clientId: string) {
  const { lang, session } = page.locals;
  const list = useList(page, ownDateList);
  const today = await todayOf(session.actor);
  const isPast = list.query.show === 'past';
  const { items, totalItems } = await listDates(session.actor, {
    clientId,
    ...(isPast ? { until: addDays(today, -1), isReversed: true } : { from: addDays(today, -7) }),
    start: list.query.from,
    limit: A_PAGE,
  });
  return {
    months: await monthsOf(session.actor, items, { lang, today, hasSeveralClients: false }),
    isPast,
    urlFor: list.urlFor,
    pager: list.pager(totalItems, A_PAGE),
    movedIds: new Set(items.filter(({ movedFrom }) => movedFrom !== null).map(({ id }) => id)),
  };
}
