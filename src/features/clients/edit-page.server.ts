import type { z } from 'zod';
import type { Actor } from '#features/people/people.ts';
import type { Choice } from '#platform/forms.ts';
import { languageChoices } from '#platform/forms.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { taxIdChoices } from '#platform/inputs/schemas.server.ts';
import { LANGS, LANGUAGES, type Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ClientInput, ClientRecord } from './client-records.ts';
import { tagsIn, type clientForm } from './forms.server.ts';
import { staffChoices } from './list-choices.server.ts';

type FormValues = z.output<typeof clientForm.schema>;

/** The input of the verbs from what the form has in separate fields. */
export function inputOf({
  version: _,
  tags,
  yearEndMonth: month,
  yearEndDay: day,
  ...form
}: FormValues): ClientInput {
  const { country, address1, address2, city, state, zip, county, ...rest } = form;
  const lines = { address1, address2, city, state, zip, county };
  return {
    ...rest,
    tags: tagsIn(tags),
    yearEnd: month === '' && day === '' ? '' : `${month}-${day.padStart(2, '0')}`,
    address:
      country === '' && Object.values(lines).every((line) => line === '') ? null : { country, ...lines },
  };
}

/** The values of the form for a client. */
export function formValuesOf({ id: _, address, tags, taxIds, yearEnd, ...record }: ClientRecord) {
  const [yearEndMonth = '', yearEndDay = ''] = yearEnd.split('-');
  return {
    ...record,
    ...address,
    version: String(record.version),
    tags: tags.join(', '),
    taxIds: taxIds.map(({ kind, number }) => ({ kind, number: withMask(kind, number) })),
    yearEndMonth,
    yearEndDay,
  };
}

/** The choices of the form. */
export async function formChoices(actor: Actor, lang: Lang): Promise<Record<string, Choice[]>> {
  const t = translationsFor(lang, 'records');
  const months = new Intl.DateTimeFormat(LANGUAGES[lang], { month: 'long', timeZone: 'UTC' });
  return {
    'taxIds.kind': taxIdChoices(lang),
    responsible: await staffChoices(actor),
    language: [{ value: '', text: t('languageOfFirm') }, ...languageChoices(LANGS, (one) => one)],
    yearEndMonth: [
      { value: '', text: t('calendarYear') },
      ...Array.from({ length: 12 }, (_, month) => ({
        value: String(month + 1).padStart(2, '0'),
        text: months.format(Date.UTC(2024, month, 1)),
      })),
    ],
    country: [{ value: '', text: t('noCountry') }, ...countries(LANGUAGES[lang])],
  };
}

/** Regions that are no countries with addresses: groups of countries, and codes for tests. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** The countries of ISO 3166-1 by name. */
function countries(locale: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  return LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .flatMap((value): Choice[] => {
      const text = names.of(value);
      const isCurrent = Intl.getCanonicalLocales(`und-${value}`)[0] === `und-${value}`;
      return text === undefined || !isCurrent || NO_COUNTRIES.has(value) ? [] : [{ value, text }];
    })
    .toSorted((one, other) => one.text.localeCompare(other.text, locale));
}
