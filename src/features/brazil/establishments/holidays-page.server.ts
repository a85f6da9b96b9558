import { z } from 'zod';
import type { Actor } from '#features/base/people/people.ts';
import { holidaysOf } from '#features/base/work-calendars/holidays.ts';
import {
  addHoliday,
  decideHoliday,
  firmHolidays,
  removeHoliday,
  ruleKey,
  type FirmHolidays,
} from '#features/base/work-calendars/firm-holidays.server.ts';
import { LOCAL_HOLIDAYS } from '#features/base/work-calendars/local-holidays.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { db } from '#platform/database/database.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { defineForm, useForm, type Page } from '#platform/forms/forms.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { CITIES, cityName, resolveCity, STATE_CODES } from './cities.server.ts';

/* The holidays that count for clients: national ones by rule, those of states and cities as the firm decides about them. */

interface StaffPage extends Page {
  url: URL;
  locals: Page['locals'] & { session: { actor: Actor }; pathTo: PathTo };
}

/** A state (`SP`) as somebody types it, or nothing for the whole country; undefined for what can be a city. */
function stateIn(typed: string): string | undefined {
  const state = typed.trim().toUpperCase().replace(/^BR-/, '');
  if (state === '') return 'BR';
  return STATE_CODES.includes(state) ? `BR-${state}` : undefined;
}

const placeText = (place: string): string => (place.startsWith('BR-') ? place.slice(3) : cityName(place));

const holidayForm = defineForm('work-calendars', (message) => ({
  id: 'holiday',
  title: 'addTitle',
  problemTitle: 'notAdded',
  submit: 'add',
  schema: z.object({
    name: z.string().trim().min(1).max(80),
    place: z
      .string()
      .max(80)
      .transform((typed, context): string => {
        const state = stateIn(typed);
        if (state !== undefined) return state;
        const found = resolveCity(typed);
        if (found.city !== undefined) return found.city;
        context.addIssue({
          code: 'custom',
          message: message(found.cities === '' ? 'placeUnknown' : 'placeAlike').error,
          params: { vars: { cities: found.cities } },
        });
        return z.NEVER;
      }),
    date: z.iso.date(),
    isYearly: z.boolean(),
  }),
  fields: {
    name: { kind: 'text', label: 'name', missing: 'nameMissing', maxlength: 80, autocomplete: 'off' },
    place: {
      kind: 'text',
      label: 'place',
      hint: 'placeHint',
      wrong: 'placeUnknown',
      optional: true,
      maxlength: 80,
      autocomplete: 'off',
      lookup: CITIES,
    },
    date: { kind: 'date', label: 'date', missing: 'dateMissing', wrong: 'dateMissing' },
    isYearly: { kind: 'checkbox', label: 'isYearly' },
  },
  refusals: {
    NAME_CONFLICT: { field: 'date', text: 'taken' },
    TOO_MANY: { text: 'tooMany', vars: ({ most }) => ({ most: Number(most) }) },
  },
}));

const HERE = 'staff/holidays';

/** The holidays of the places of a firm's clients, with what the firm has decided, and the form for another one. */
export async function holidaysPage(page: StaffPage) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const to = pathTo(HERE);
  const say = (key: 'confirmedOne' | 'mutedOne' | 'undecidedOne' | 'added' | 'removed') => ({
    to,
    flash: { type: 'success', namespace: 'work-calendars', key } as const,
  });
  const ruleIn = (value: string) => {
    const [place = '', monthDay = ''] = value.split(' ');
    return { place, monthDay };
  };
  const done = await useActions(page, {
    confirm: async (value) => {
      await decideHoliday(actor, ruleIn(value), 'confirmed');
      return say('confirmedOne');
    },
    mute: async (value) => {
      await decideHoliday(actor, ruleIn(value), 'muted');
      return say('mutedOne');
    },
    undecide: async (value) => {
      await decideHoliday(actor, ruleIn(value), undefined);
      return say('undecidedOne');
    },
    remove: async (id) => {
      await removeHoliday(actor, id);
      return say('removed');
    },
  });
  if (done) return done;
  const form = await useForm(page, holidayForm, {
    values: { isYearly: true },
    submit: async ({ name, place, date, isYearly }) => {
      const year = isYearly ? 0 : Number(date.slice(0, 4));
      await addHoliday(actor, { name, place, monthDay: date.slice(5), year });
      return say('added');
    },
  });
  if (form instanceof Response) return form;
  const decided = await firmHolidays(actor.companyId);
  const cities = await citiesOfClients(actor);
  const known = [...LOCAL_HOLIDAYS.map(([place]) => place), ...decided.added.map(({ place }) => place)];
  const year = Number(dayOf(now(), (await firmOf(actor.companyId)).timeZone).slice(0, 4));
  return {
    form,
    year,
    national: holidaysOf(year)
      .filter(({ kind }) => kind === 'holiday')
      .map(({ key, day }) => ({
        name: translationsFor(lang, 'work-calendars')(`national_${key}`),
        day: dayText(lang, day),
      })),
    places: placesOf(cities).map((place) => ({
      name: placeText(place),
      rules: rulesOf(place, decided, lang),
    })),
    added: decided.added.map(({ id, place, monthDay, year: only, name }) => ({
      id,
      name,
      place: place === 'BR' ? '' : placeText(place),
      day: only === 0 ? monthDayText(lang, monthDay) : dayText(lang, `${only}-${monthDay}`),
    })),
    /** Cities of clients of which no holiday is known. */
    missing: cities.filter((city) => !known.includes(city)).map(cityName),
  };
}

const dayText = (lang: Lang, day: string): string => formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC');
const monthDayText = (lang: Lang, monthDay: string): string =>
  new Intl.DateTimeFormat(LANGUAGES[lang], { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`2024-${monthDay}T00:00:00Z`),
  );

/** The states of these cities, and the cities that have a holiday. */
function placesOf(cities: readonly string[]): string[] {
  const states = [...new Set(cities.map((city) => `BR-${cityName(city).split('/').at(-1) ?? ''}`))];
  const hasRule = (place: string): boolean => LOCAL_HOLIDAYS.some(([where]) => where === place);
  return [...states.toSorted(), ...cities].filter(hasRule);
}

const rulesOf = (place: string, { decisions }: FirmHolidays, lang: Lang) =>
  LOCAL_HOLIDAYS.filter(([where]) => where === place).map(([, monthDay, name]) => ({
    key: ruleKey(place, monthDay),
    name,
    day: monthDayText(lang, monthDay),
    decision: decisions.get(ruleKey(place, monthDay)),
  }));

/** The cities of the establishments of a firm's clients, by name. */
async function citiesOfClients({ companyId }: Actor): Promise<string[]> {
  const rows = await db()
    .selectFrom('establishments')
    .innerJoin('clients', 'clients.client_id', 'establishments.client_id')
    .select('establishments.city')
    .distinct()
    .where('clients.company_id', '=', companyId)
    .where('clients.archived_at', 'is', null)
    .where('establishments.removed_at', 'is', null)
    .where('establishments.city', '<>', '')
    .execute();
  return rows.map(({ city }) => city).toSorted((one, other) => (cityName(one) < cityName(other) ? -1 : 1));
}
