import { describe, expect, test } from 'vitest';
import { fillDemoWorld, isDemo } from '#features/demo/demo.server.ts';
import { db } from '#platform/database.server.ts';
import { API_ROUTES, type ApiRoute } from '../../src/routes.ts';
import { onPostgres, WHOLE } from '../kit/whole.ts';
import { ask, difference, rowsWithout, sessionIdOf, type Answer } from './asking.ts';
import { expected, PERSONS, RULES, ruleOf, type Person, type Thing } from './policy.ts';
import { addressOf, nameOf, recipesFor, strayRecipes, type Recipe, type Sending } from './recipes.ts';
import { takeBack } from './take-back.ts';
import { strangersIn, wrongChanges } from './verdicts.ts';
import { idsOf, makeWorld } from './world.ts';

/*
 * Every call × every person × every id, against the policy (security.md section 5; T01, T02, T03, T07). A refusal must be the very
 * answer of an id that does not exist, and must change no row.
 */

const world = await makeWorld();
const LEAST_CELLS = 25_000;
/* Who may do what does not hang on the engine, what then happens may: on PostgreSQL one of each kind asks (and whoever sent what staff may end), and of the refusals a sample. */
const IS_SAMPLE = onPostgres && !WHOLE;
const ASKING: readonly Person[] = IS_SAMPLE ? ['the own contact', 'a sibling contact', 'staff', 'a contact of the other firm'] : PERSONS;
const ONE_REFUSAL_IN = IS_SAMPLE ? 40 : 1;

/* Of a call with two strange ids the check of either refuses; with one, only that of this one: the others are asked in the large form. */
const MOST_STRANGE = WHOLE ? Infinity : 1;

interface Cell {
  method: string;
  person: Person;
  choice: string;
  things: Record<string, Thing>;
  address: string;
  sending: Sending;
}

/** Every combination of what the ids of a call may name. */
function choicesOf({ ids }: Recipe): { choice: string; things: Record<string, Thing> }[] {
  return Object.entries(ids).reduce<{ choice: string; things: Record<string, Thing> }[]>(
    (sofar, [name, kind]) => sofar.flatMap(({ choice, things }) => Object.entries(world.things[kind]).map(([label, thing]) => ({ choice: `${choice} ${name}: ${label};`, things: { ...things, [name]: thing } }))),
    [{ choice: '', things: {} }],
  );
}

/** Which cells of a call one person asks: all that should succeed, and of the others those that tell most. */
function askedOf(route: ApiRoute, recipe: Recipe, person: Person): Cell[] {
  const rule = ruleOf(nameOf(route));
  const isStrange = ([name, thing]: [string, Thing]): boolean => thing !== Object.values(world.things[recipe.ids[name] ?? 'client'])[0];
  return cellsOf(route, recipe, person).filter(({ things }, place) => {
    const isTelling = Object.entries(things).filter(isStrange).length <= MOST_STRANGE;
    const succeeds = expected(rule, person, things, isDemo()).includes(rule.succeeds ?? 200);
    return succeeds ? isTelling || !IS_SAMPLE : isTelling && place % ONE_REFUSAL_IN === 0;
  });
}

function cellsOf(route: ApiRoute, recipe: Recipe, person: Person): Cell[] {
  const methods = route.method === 'get' ? ['get', 'head'] : [route.method];
  return choicesOf(recipe).flatMap(({ choice, things }) =>
    methods.map((method) => {
      const sending = recipe.send?.(idsOf(things)) ?? {};
      return { method, person, choice, things, sending, address: addressOf(route, idsOf(things), sending.query) };
    }),
  );
}

/** What is wrong with the cells of one call and one person; nothing, when all is well. */
async function wrongsOf(route: ApiRoute, recipe: Recipe, person: Person): Promise<string[]> {
  const rule = ruleOf(nameOf(route));
  const wrongs: string[] = [];
  await db().deleteFrom('limits').execute(); // this is about rights, not about how often
  let cookie = await world.cookieOf(person);
  let before = await rowsWithout(sessionIdOf(cookie));
  const refusals = new Map<string, { choice: string; answer: Answer }>();
  for (const cell of askedOf(route, recipe, person)) {
    const wrong = (what: string): void => void wrongs.push(`${person}, ${cell.method}${cell.choice} ${what}`);
    const statuses = expected(rule, person, cell.things, isDemo());
    const answer = await ask(cell.method, cell.address, cookie, cell.sending);
    if (!statuses.includes(answer.status)) wrong(`answers ${answer.status}, should be ${statuses.join(' or ')}`);
    for (const mark of strangersIn(answer, rule, person)) wrong(`shows ${mark}`);
    if (answer.status === 404) {
      const first = refusals.get(cell.method) ?? { choice: cell.choice, answer };
      refusals.set(cell.method, first);
      if (JSON.stringify(answer) !== JSON.stringify(first.answer)) wrong(`is refused in other words than${first.choice} ${JSON.stringify(answer)} and not ${JSON.stringify(first.answer)}`);
    }
    if (answer.status < 300) {
      const after = await rowsWithout(sessionIdOf(cookie));
      for (const change of wrongChanges(world, before, after, { ...cell, rule })) wrong(change);
      if (rule.trashes) await takeBack(difference(before, after));
      else before = after;
      if (route.method === 'delete') {
        cookie = await world.cookieOf(person);
        before = await rowsWithout(sessionIdOf(cookie));
      }
    }
  }
  const changed = difference(before, await rowsWithout(sessionIdOf(cookie))).filter(({ table }) => !(rule.answers && rule.changes?.includes(table)));
  if (changed.length > 0) wrongs.push(`${person}: a refused call changed rows ${JSON.stringify(changed.slice(0, 3))}`);
  return wrongs;
}

const firstOf = (wrongs: readonly string[]): string[] => wrongs.slice(0, 12);

describe.each(API_ROUTES.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  test.each(ASKING)('for %s', async (person) => {
    for (const recipe of recipesFor(route)) expect(firstOf(await wrongsOf(route, recipe, person))).toEqual([]);
  });
});

describe.each(API_ROUTES.filter((route) => recipesFor(route).some(({ batch }) => batch)).map((route) => [nameOf(route), route] as const))('%s with a list of ids', (_, route) => {
  const batches = recipesFor(route).flatMap(({ ids, batch }) => (batch ? [{ batch, things: world.things[ids[batch.id] ?? 'client'] }] : []));

  test.each(ASKING)('takes all of it or nothing, wherever the strange id stands, for %s', async (person) => {
    const wrongs: string[] = [];
    const cookie = await world.cookieOf(person);
    const before = await rowsWithout(sessionIdOf(cookie));
    for (const { batch, things } of batches) {
      const seen = Object.values(things).filter((thing) => expected(ruleOf(nameOf(route)), person, { [batch.id]: thing }, false).includes(200));
      const mine = [...seen, ...seen].slice(0, 2).map(({ id }) => id);
      let unknown: Answer | undefined;
      for (const [label, thing] of Object.entries(things).filter(([, one]) => !seen.includes(one) && one.id.length <= 60).toSorted(([a], [b]) => Number(b === 'unknown') - Number(a === 'unknown'))) {
        for (const place of [0, 1, 2]) {
          const sending = batch.send(mine.toSpliced(place, 0, thing.id));
          const answer = await ask(route.method, addressOf(route, {}, sending.query), cookie, sending);
          unknown ??= answer;
          if (answer.status < 400) wrongs.push(`${label} at place ${place} answers ${answer.status}`);
          if (JSON.stringify(answer) !== JSON.stringify(unknown)) wrongs.push(`${label} at place ${place} is refused in other words than an unknown id`);
        }
      }
    }
    if (difference(before, await rowsWithout(sessionIdOf(cookie))).length > 0) wrongs.push('a refused call changed rows');
    expect(firstOf(wrongs)).toEqual([]);
  });
});

describe('in a demo', () => {
  const routes = API_ROUTES.filter(({ who }) => who === 'demo');
  test.each(routes.map((route) => [nameOf(route), route] as const))('%s is open to everybody', async (_, route) => {
    await db().insertInto('settings').values({ name: 'demo', value: '1' }).execute();
    await fillDemoWorld();
    expect(isDemo()).toBe(true);
    for (const person of PERSONS) for (const recipe of recipesFor(route)) expect(firstOf(await wrongsOf(route, recipe, person))).toEqual([]);
  });
});

describe('the matrix', () => {
  test('has a recipe and a rule for every call of the table, and none for others', () => {
    for (const route of API_ROUTES) expect([recipesFor(route).length > 0, ruleOf(nameOf(route)).who]).toEqual([true, expect.any(String)]);
    expect([strayRecipes(), Object.keys(RULES).filter((name) => !API_ROUTES.some((route) => nameOf(route) === name))]).toEqual([[], []]);
  });

  test('says of a call without a recipe what to add', () => {
    expect(() => recipesFor({ method: 'post', path: '/api/tasks/v1/tasks', who: 'signed-in' })).toThrow(/post \/api\/tasks\/v1\/tasks stands in src\/routes\.ts.*tests\/authz\/recipes\.ts/);
  });

  test(`has at least ${LEAST_CELLS} cells, asked on one engine`, () => {
    const count = (cells: typeof cellsOf): number => API_ROUTES.flatMap((route) => recipesFor(route).flatMap((recipe) => ASKING.flatMap((person) => cells(route, recipe, person)))).length;
    const [all, asked] = [count(cellsOf), count(askedOf)];
    expect(asked).toBeGreaterThanOrEqual(IS_SAMPLE ? 1 : LEAST_CELLS);
    console.info(`authorization matrix: ${asked} of ${all} cells`);
  });
});
