import { iso31661, iso31662 } from 'iso-3166';
import { LANGUAGES, type Lang } from '../text/languages.ts';

/*
 * Countries and their states, provinces or other parts, from ISO 3166 (docs/decisions/0053). Countries are named in the
 * language of the page, parts as addresses are written in the country itself.
 */

export interface NamedPlace {
  /** ISO 3166-1 or 3166-2. */
  id: string;
  name: string;
}

const COUNTRY_CODES: readonly string[] = iso31661
  .filter(({ state }) => state === 'assigned')
  .map(({ alpha2 }) => alpha2);

/** The subdivisions that contain no others, by country: provinces rather than regions, as in addresses. */
const STATES: ReadonlyMap<string, readonly NamedPlace[]> = statesByCountry();

function statesByCountry(): Map<string, NamedPlace[]> {
  const parents = new Set(iso31662.map(({ parent }) => parent));
  const states = iso31662
    .filter(({ code }) => !parents.has(code))
    .map(({ code, name }) => ({ id: code, name }));
  return Map.groupBy(states, ({ id }) => id.slice(0, 2));
}

/** Canada writes its addresses in two languages. */
const FRENCH_NAMES: Readonly<Record<string, string>> = {
  'CA-BC': 'Colombie-Britannique',
  'CA-NB': 'Nouveau-Brunswick',
  'CA-NL': 'Terre-Neuve-et-Labrador',
  'CA-NS': 'Nouvelle-Écosse',
  'CA-NT': 'Territoires du Nord-Ouest',
  'CA-PE': 'Île-du-Prince-Édouard',
  'CA-QC': 'Québec',
};

const lists = new Map<string, readonly NamedPlace[]>();

/** Returns the list of the key, made once for each language. */
function cached(key: string, lang: Lang, make: () => readonly NamedPlace[]): readonly NamedPlace[] {
  const id = `${key}:${lang}`;
  const { compare } = new Intl.Collator(LANGUAGES[lang]);
  const list = lists.get(id) ?? make().toSorted((a, b) => compare(a.name, b.name));
  lists.set(id, list);
  return list;
}

/** Every country, sorted by name. */
export const countries = (lang: Lang): readonly NamedPlace[] =>
  cached('countries', lang, () => {
    const names = new Intl.DisplayNames(LANGUAGES[lang], { type: 'region' });
    return COUNTRY_CODES.map((id) => ({ id, name: names.of(id) ?? id }));
  });

/** The states or provinces of a country, sorted by name; none for a country that has none, or that is unknown. */
export function states(country: string, lang: Lang): readonly NamedPlace[] {
  const found = STATES.get(country);
  if (!found) return [];
  return cached(country, lang, () =>
    found.map(({ id, name }) => ({ id, name: (lang === 'fr' ? FRENCH_NAMES[id] : undefined) ?? name })),
  );
}

export const isCountry = (id: string): boolean => COUNTRY_CODES.includes(id);

/**
 * The id of a state that was given by its id, its short code or its name; the text itself where the country has no list,
 * and undefined where it is not in the list.
 */
export function stateId(country: string, text: string): string | undefined {
  const found = STATES.get(country);
  if (!found || text === '') return text;
  const wanted = text.toLowerCase();
  return found.find(({ id, name }) =>
    [id, id.slice(3), name, FRENCH_NAMES[id]].some((each) => each?.toLowerCase() === wanted),
  )?.id;
}
