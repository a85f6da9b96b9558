import fs from 'node:fs';
import path from 'node:path';
import { fold } from '#platform/database/database.server.ts';
import { ROOT } from '#platform/runtime/root.server.ts';

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

/**
 * The cities that somebody may mean: by the code, or by the name with or without the state, such as `Campinas/SP` or
 * `campinas`.
 */
export function findCities(typed: string): readonly string[] {
  const text = typed.trim();
  if (isCity(text)) return [text];
  const [, name = text, state] = /^(.*\S)\s*[-–/,(\s]\s*([a-z]{2})\)?$/iu.exec(text) ?? [];
  const { byName } = cities();
  const inState = (byName.get(nameKey(name)) ?? []).filter(
    (code) => state !== undefined && stateOf(code) === state.toUpperCase(),
  );
  return inState.length > 0 ? inState : (byName.get(nameKey(text)) ?? []);
}
