import type { Address, ClientInput } from '#features/clients/clients/client-records.ts';
import { fold } from '#platform/database/database.server.ts';
import { readEmailAddresses } from '#platform/inputs/email-addresses.ts';
import { namedDay } from '#platform/inputs/typed-dates.ts';
import { TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import { LANGS, LANGUAGES, languageOf, type Lang } from '#platform/text/languages.ts';
import type { RowValues } from './record-kind.ts';

/*
 * What people write into a table about a client, as the portal stores it. What is not understood stays as it
 * was written, and is refused by the schema of clients.
 */

const BUSINESS = [
  'business',
  'company',
  'empresa',
  'entreprise',
  'pj',
  'juridica',
  'organization',
  'b',
  'pessoa juridica',
  'persona juridica',
  'societe',
];
const INDIVIDUAL = [
  'individual',
  'person',
  'pessoa',
  'persona',
  'particulier',
  'pf',
  'fisica',
  'i',
  'pessoa fisica',
  'persona fisica',
  'persona humana',
  'individu',
];

/** Text without case and accents. */
const plain = (text: string): string => fold(text).normalize('NFD').replaceAll(/\p{M}/gu, '').trim();

function kindOf(text: string): string {
  const word = plain(text);
  return BUSINESS.includes(word) ? 'business' : INDIVIDUAL.includes(word) ? 'individual' : text;
}

/** A language by its code or its name in any language of the portal. */
export const langOf = (text: string): string => languageOf(text) ?? languageNames().get(plain(text)) ?? text;

let languages: ReadonlyMap<string, string> | undefined;

/** Made on first use, like that of the countries, which every command and every test paid for at its start. */
const languageNames = (): ReadonlyMap<string, string> =>
  (languages ??= new Map(
    LANGS.flatMap((reader) => {
      const names = new Intl.DisplayNames(LANGUAGES[reader], { type: 'language' });
      return LANGS.flatMap((lang) =>
        [LANGUAGES[lang], LANGUAGES[lang].slice(0, 2)].map(
          (tag) => [plain(names.of(tag) ?? tag), languageOf(tag) ?? lang] as const,
        ),
      );
    }),
  ));

/** A country by its code or its name in any language of the portal. */
const countryOf = (text: string): string =>
  /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : (countryCodes().get(plain(text)) ?? text);

let countries: ReadonlyMap<string, string> | undefined;

const countryCodes = (): ReadonlyMap<string, string> =>
  (countries ??= new Map(
    LANGS.flatMap((reader) => {
      const names = new Intl.DisplayNames(LANGUAGES[reader], { type: 'region', fallback: 'none' });
      return codes().flatMap((code) => {
        const name = names.of(code);
        return name === undefined ? [] : [[plain(name), code] as const];
      });
    }),
  ));

function codes(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters.flatMap((first) => letters.map((second) => first + second));
}

/**
 * A day of the year as `MM-DD`, also by the name of its month; of two small numbers the month is first only where
 * Americans read.
 */
function dayOfYear(text: string, lang: Lang): string {
  const named = namedDay(text);
  if (named !== undefined) return named;
  const [first, second, third] = text.split(/[-/.\s]+/).filter((part) => /^\d+$/.test(part));
  const [a, b] = third !== undefined && first?.length === 4 ? [second, third] : [first, second];
  if (a === undefined || b === undefined) return text;
  const isIso = /^\d\d-\d\d$/.test(text) || first?.length === 4;
  const isMonthFirst = Number(b) > 12 || (Number(a) <= 12 && (isIso || lang === 'en-us'));
  const [month, day] = isMonthFirst ? [a, b] : [b, a];
  return `${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const listOf = (text: string): string[] =>
  text
    .split(/[,;|\n]/)
    .map((part) => part.trim())
    .filter(Boolean);

export const ADDRESS_FIELDS = ['address1', 'address2', 'city', 'state', 'zip', 'county', 'country'] as const;

/** The contact ids of staff by their addresses, empty where there is nobody. */
function staffIn(text: string, staff: Context['staff']): string[] {
  const { addresses, wrong } = readEmailAddresses(text.replaceAll('|', ','));
  return [...addresses, ...wrong].map((email) => staff.get(fold(email)) ?? '');
}

interface Context {
  /** The language of whoever imports, for days. */
  lang: Lang;
  /** Of an address without one (ISO 3166-1). */
  country: string;
  /** The address so far, whose fields stay where the row has none. */
  address: Address | null;
  /** The contact ids of staff by their folded e-mail addresses. */
  staff: ReadonlyMap<string, string>;
}

/** The fields of a client for which the row has values; those not understood as they are written. */
export function clientInputOf(values: RowValues, context: Context): Record<string, unknown> {
  const given = (name: string, read: (text: string) => unknown = (text) => text) => {
    const value = values[name];
    return value === undefined ? {} : { [name]: read(value) };
  };
  const taxIds = TAX_ID_KINDS.flatMap((kind) => {
    const number = values[kind];
    return number === undefined ? [] : [{ kind, number }];
  });
  const hasAddress = ADDRESS_FIELDS.some((field) => values[field] !== undefined);
  return {
    ...given('code'),
    ...given('name'),
    ...given('kind', kindOf),
    ...given('doingBusinessAs'),
    ...given('tags', listOf),
    ...given('responsible', (text) => staffIn(text, context.staff)),
    ...given('language', langOf),
    ...given('yearEnd', (text) => dayOfYear(text, context.lang)),
    ...(taxIds.length > 0 && { taxIds }),
    ...(hasAddress && { address: addressOf(values, context) }),
  };
}

const EMPTY: Omit<Address, 'country'> = {
  address1: '',
  address2: '',
  city: '',
  state: '',
  zip: '',
  county: '',
};

function addressOf(values: RowValues, { address, country }: Context): Record<string, string> {
  const given = ADDRESS_FIELDS.flatMap((field) => {
    const value = values[field];
    return value === undefined ? [] : [[field, field === 'country' ? countryOf(value) : value] as const];
  });
  return { ...EMPTY, country, ...address, ...Object.fromEntries(given) };
}

/** The value of `input` as fields of a row, in which an address and the tax ids are several. */
export const rowField = (path: string, input: Readonly<Record<string, unknown>>): string => {
  const [name = '', second = ''] = path.split('.');
  if (name === 'address') return ADDRESS_FIELDS.find((field) => field === second) ?? 'address1';
  if (name !== 'taxIds') return name;
  const { taxIds } = input as Partial<Pick<ClientInput, 'taxIds'>>;
  return taxIds?.[Number(second)]?.kind ?? 'ein';
};
