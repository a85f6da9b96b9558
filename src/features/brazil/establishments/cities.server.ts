import fs from 'node:fs';
import path from 'node:path';
import { fold } from '#platform/database/database.server.ts';
import { ROOT } from '#platform/runtime/root.server.ts';
import { distance } from '#platform/text/distance.ts';

/*
 * The cities of Brazil by their IBGE codes (cities.txt, of December 2025, from IBGE by way of the project
 * municipios-brasileiros). The first two digits of a code are those of the state. The last one is a check digit, but nine
 * cities have a wrong one, so that codes are looked up.
 */

const STATES: Readonly<Record<string, string>> = {
  11: 'RO',
  12: 'AC',
  13: 'AM',
  14: 'RR',
  15: 'PA',
  16: 'AP',
  17: 'TO',
  21: 'MA',
  22: 'PI',
  23: 'CE',
  24: 'RN',
  25: 'PB',
  26: 'PE',
  27: 'AL',
  28: 'SE',
  29: 'BA',
  31: 'MG',
  32: 'ES',
  33: 'RJ',
  35: 'SP',
  41: 'PR',
  42: 'SC',
  43: 'RS',
  50: 'MS',
  51: 'MT',
  52: 'GO',
  53: 'DF',
};

/** The states: `SP`. */
export const STATE_CODES: readonly string[] = Object.values(STATES);

let known: { names: ReadonlyMap<string, string>; byName: ReadonlyMap<string, readonly string[]> } | undefined;

/** The cities, read when one is first asked for. */
function cities() {
  if (known) return known;
  const lines = fs
    .readFileSync(path.join(ROOT, 'src/features/brazil/establishments/cities.txt'), 'utf8')
    .trimEnd()
    .split('\n');
  const names = new Map(lines.map((line) => [line.slice(0, 7), line.slice(8)]));
  const byName = Map.groupBy(names.keys(), (code) => nameKey(names.get(code) ?? ''));
  known = { names, byName };
  return known;
}

/** A name without case, accents and punctuation: `Olho-d'Água` is also written `olho d agua`. */
const nameKey = (name: string): string =>
  fold(name)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

export const isCity = (code: string): boolean => cities().names.has(code);

/** The state of a city: `SP`. */
const stateOf = (code: string): string => STATES[code.slice(0, 2)] ?? '';

/** A city as people write it: `Campinas/SP`; empty for a code that no city has. */
export function cityName(code: string): string {
  const name = cities().names.get(code);
  return name === undefined ? '' : `${name}/${stateOf(code)}`;
}

/** What may be the name of a city with its state behind it. */
function withState(text: string): { name: string; state: string | undefined } {
  const [, name = text, state] = /^(.*\S)\s*[-–/,(\s]\s*([a-z]{2})\)?$/iu.exec(text) ?? [];
  return { name, state };
}

/**
 * The cities that somebody may mean: by the code, or by the name with or without the state, such as `Campinas/SP` or
 * `campinas`.
 */
export function findCities(typed: string): readonly string[] {
  const text = typed.trim();
  if (isCity(text)) return [text];
  const { name, state } = withState(text);
  const { byName } = cities();
  const inState = (byName.get(nameKey(name)) ?? []).filter(
    (code) => state !== undefined && stateOf(code) === state.toUpperCase(),
  );
  return inState.length > 0 ? inState : (byName.get(nameKey(text)) ?? []);
}

/** The most cities that are suggested. */
const MAX_SUGGESTED = 8;

/**
 * The cities of which somebody has typed a part: first those whose names begin so, then those with another word that does.
 * Without any, those that are written alike.
 */
export function suggestCities(typed: string): readonly string[] {
  const text = typed.trim();
  const { name, state } = withState(text);
  const suggested = [...suggestedFor(name, state?.toUpperCase()), ...suggestedFor(text, undefined)];
  return [...new Set(suggested)].slice(0, MAX_SUGGESTED);
}

function suggestedFor(name: string, state: string | undefined): string[] {
  const key = nameKey(name);
  if (key === '') return [];
  const known = [...cities().byName].filter(([, codes]) => codes.some((code) => isIn(state, code)));
  const first = known.filter(([other]) => other.startsWith(key));
  const later = known.filter(([other]) => other.includes(` ${key}`));
  const alike = first.length + later.length > 0 ? [] : writtenAlike(key, known);
  return [...byLength(first), ...byLength(later), ...alike].flatMap(([, codes]) =>
    codes.filter((code) => isIn(state, code)),
  );
}

type Named = [name: string, codes: readonly string[]];

const isIn = (state: string | undefined, code: string): boolean =>
  state === undefined || stateOf(code) === state;

/** The shortest first, so that whatever was typed whole comes before what goes on. */
const byLength = (names: readonly Named[]): Named[] =>
  names.toSorted(([one], [other]) => one.length - other.length || (one < other ? -1 : 1));

/** A letter of four may be wrong, at most two. */
function writtenAlike(key: string, names: readonly Named[]): Named[] {
  const most = Math.min(2, Math.floor(key.length / 4));
  return names
    .filter(([name]) => Math.abs(name.length - key.length) <= most)
    .map((named) => ({ named, apart: distance(named[0], key) }))
    .filter(({ apart }) => apart <= most)
    .toSorted((one, other) => one.apart - other.apart)
    .map(({ named }) => named);
}

/** The only city that somebody can mean, or why there is none, with those that come near. */
export function resolveCity(
  typed: string,
):
  | { city: string }
  | { city?: undefined; problem: 'cityUnknown' | 'citySeveral' | 'cityAlike'; cities: string } {
  const found = findCities(typed);
  const [city] = found;
  if (city !== undefined && found.length === 1) return { city };
  const near = found.length > 1 ? found : suggestCities(typed);
  const problem = found.length > 1 ? 'citySeveral' : near.length > 0 ? 'cityAlike' : 'cityUnknown';
  return { problem, cities: near.slice(0, MAX_SUGGESTED).map(cityName).join(', ') };
}

/** The address that suggests cities for what is typed. */
export const CITIES = '/api/br-payroll/v1/cities';
