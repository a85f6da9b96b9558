import { pathToFileURL } from 'node:url';
import type { ApiRoute } from '#features/base/people/people.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { FEATURES } from '../../src/features/dependencies.mjs';
import { ACCESS_FILES } from './access-files.ts';
import type { FeatureAccess } from './feature-access.ts';
import { nameOf, type RequestFixture } from './request-fixtures.ts';
import type { Rule } from './policy.ts';
import { access as portal } from './portal-access.ts';

/* The access policy and the fixtures of all features, each in tests/features/<feature>/access.ts. */

const load = async ([feature, file]: [string, string]): Promise<readonly [string, FeatureAccess]> => {
  const { href } = pathToFileURL(file);
  const { access } = (await import(/* @vite-ignore */ href)) as { access: FeatureAccess };
  return [feature, access];
};
const placeOf = (feature: string): number =>
  FEATURES.includes(feature) ? FEATURES.indexOf(feature) : Infinity;

/** By feature, in the order of src/features/dependencies.mjs. */
export const ACCESS: Readonly<Record<string, FeatureAccess>> = Object.fromEntries([
  ['portal', portal],
  ...(await Promise.all(
    Object.entries(ACCESS_FILES)
      .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
      .map(load),
  )),
]);

type Tables = 'rules' | 'requests' | 'pages' | 'ids' | 'placeholders' | 'keys';

/** One table of all features. Throws if two of them say the same thing. */
export function joined<Name extends Tables>(
  table: Name,
  features: Readonly<Record<string, FeatureAccess>> = ACCESS,
): NonNullable<FeatureAccess[Name]> {
  const all = new Map<string, unknown>();
  for (const [feature, access] of Object.entries(features))
    for (const [name, value] of Object.entries(access[table] ?? {})) {
      if (all.has(name))
        throw new Error(
          `${name} is in \`${table}\` of two features: take it out of tests/features/${feature}/access.ts.`,
        );
      all.set(name, value);
    }
  return Object.fromEntries(all) as NonNullable<FeatureAccess[Name]>;
}

const listed = (list: 'postedByReaders' | 'inMissingSections'): ReadonlySet<string> =>
  new Set(Object.values(ACCESS).flatMap((access) => access[list] ?? []));

export const RULES = joined('rules');
export const PAGE_RULES = joined('pages');
export const ID_RULES = joined('ids');
export const PLACEHOLDERS = joined('placeholders');
export const KEYS = joined('keys');
export const POSTED_BY_READERS = listed('postedByReaders');
export const IN_MISSING_SECTIONS = listed('inMissingSections');
const FIXTURES = joined('requests');

const FILE = 'tests/features/<feature>/access.ts';

/** The rule of a call, by method and path. Throws, and says what to add, when there is none. */
export function ruleOf(call: string): Rule {
  const rule = RULES[call];
  if (!rule)
    throw new Error(
      `${call} has no rule: add to \`rules\` in ${FILE} who may call it, which ids they must see and which tables it changes.`,
    );
  return { ...rule, isWrite: !call.startsWith('get ') };
}

/** The fixtures of a call. Throws, and says what to add, when there are none. */
export function fixturesFor(route: ApiRoute): readonly RequestFixture[] {
  const fixtures = FIXTURES[nameOf(route)];
  if (!fixtures)
    throw new Error(
      `${nameOf(route)} is declared, but nothing says how to call it. Add to ${FILE} its fixture in \`requests\` (its ids and what is sent), its rule in \`rules\` (who may, what it changes), and, for ids of a new kind, what they name in \`things\`.`,
    );
  return fixtures;
}

/** The URL of a call with these ids. */
export function addressOf(
  route: ApiRoute,
  id: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): string {
  const others = FIXTURES[nameOf(route)]?.find(({ path: named }) => named)?.path ?? {};
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(id[name] ?? others[name] ?? '1'),
  );
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** What is said of calls that are not in the route table. */
export const unusedEntries = (): string[] => {
  const calls = new Set(API_ROUTES.map(nameOf));
  return [...Object.keys(RULES), ...Object.keys(FIXTURES)].filter((call) => !calls.has(call));
};
