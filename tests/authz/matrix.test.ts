import { describe, expect, test } from 'vitest';
import { fillDemoWorld, isDemo } from '#features/demo/demo/demo.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { onPostgres, WHOLE } from '../support/whole.ts';
import { ask, difference, rowsWithout, sessionIdOf, type Answer } from './requests.ts';
import { addressOf, fixturesFor, ruleOf, unusedEntries } from './features.ts';
import { expected, PERSONS, type Person, type Thing } from './policy.ts';
import { nameOf, type RequestFixture, type Sending } from './request-fixtures.ts';
import { undoChanges } from './undo-changes.ts';
import { strangersIn, wrongChanges } from './assertions.ts';
import { idsOf, makeWorld } from './world.ts';

/*
 * Every call × every person × every id, checked against the policy (threat-model.md T01, T02, T03, T07). A
 * refusal must be identical to the response for an unknown id, and must not change any row.
 */

const world = await makeWorld();
const MIN_CELLS = 25_000;
/*
 * Permissions do not depend on the engine, though their effects may: on PostgreSQL, one person of each kind
 * calls, and refusals are sampled.
 */
const IS_SAMPLE = onPostgres && !WHOLE;
const ASKING: readonly Person[] = IS_SAMPLE
  ? ['the own contact', 'a sibling contact', 'staff', 'a contact of the other firm']
  : PERSONS;
const ONE_REFUSAL_IN = IS_SAMPLE ? 40 : 1;

/*
 * With two foreign ids, either check may refuse; with one, only its own. Combinations are tested in the full
 * run.
 */
const MAX_FOREIGN = WHOLE ? Infinity : 1;

interface Cell {
  method: string;
  person: Person;
  choice: string;
  things: Record<string, Thing>;
  address: string;
  sending: Sending;
}

/** Every combination of values for the ids of a call. */
function choicesOf({ ids }: RequestFixture): { choice: string; things: Record<string, Thing> }[] {
  return Object.entries(ids).reduce<{ choice: string; things: Record<string, Thing> }[]>(
    (sofar, [name, kind]) =>
      sofar.flatMap(({ choice, things }) =>
        Object.entries(world.things[kind]).map(([label, thing]) => ({
          choice: `${choice} ${name}: ${label};`,
          things: { ...things, [name]: thing },
        })),
      ),
    [{ choice: '', things: {} }],
  );
}

/** The cells to test for a person: all that should succeed, and the most informative of the others. */
function askedOf(route: ApiRoute, fixture: RequestFixture, person: Person): Cell[] {
  const rule = ruleOf(nameOf(route));
  const isStrange = ([name, thing]: [string, Thing]): boolean =>
    thing !== Object.values(world.things[fixture.ids[name] ?? 'client'])[0];
  return cellsOf(route, fixture, person).filter(({ things }, place) => {
    const isTelling = Object.entries(things).filter(isStrange).length <= MAX_FOREIGN;
    const succeeds = expected(rule, person, things, isDemo()).includes(rule.succeeds ?? 200);
    return succeeds ? isTelling || !IS_SAMPLE : isTelling && place % ONE_REFUSAL_IN === 0;
  });
}

function cellsOf(route: ApiRoute, fixture: RequestFixture, person: Person): Cell[] {
  const methods = route.method === 'get' ? ['get', 'head'] : [route.method];
  return choicesOf(fixture).flatMap(({ choice, things }) =>
    methods.map((method) => {
      const sending = fixture.send?.(idsOf(things)) ?? {};
      return {
        method,
        person,
        choice,
        things,
        sending,
        address: addressOf(route, idsOf(things), sending.query),
      };
    }),
  );
}

/** The failures in the cells of one call and one person. */
async function wrongsOf(route: ApiRoute, fixture: RequestFixture, person: Person): Promise<string[]> {
  const rule = ruleOf(nameOf(route));
  const wrongs: string[] = [];
  await db().deleteFrom('limits').execute(); // tests permissions, not rate limits
  let cookie = await world.cookieOf(person);
  let before = await rowsWithout(sessionIdOf(cookie));
  const refusals = new Map<string, { choice: string; answer: Answer }>();
  for (const cell of askedOf(route, fixture, person)) {
    const wrong = (what: string): void => void wrongs.push(`${person}, ${cell.method}${cell.choice} ${what}`);
    const statuses = expected(rule, person, cell.things, isDemo());
    const answer = await ask(cell.method, cell.address, cookie, cell.sending);
    if (!statuses.includes(answer.status))
      wrong(`answers ${answer.status}, should be ${statuses.join(' or ')}`);
    for (const mark of strangersIn(answer, rule, person)) wrong(`shows ${mark}`);
    if (answer.status === 404) {
      const first = refusals.get(cell.method) ?? { choice: cell.choice, answer };
      refusals.set(cell.method, first);
      if (JSON.stringify(answer) !== JSON.stringify(first.answer))
        wrong(
          `is refused in other words than${first.choice} ${JSON.stringify(answer)} and not ${JSON.stringify(first.answer)}`,
        );
    }
    if (answer.status < 300) {
      const after = await rowsWithout(sessionIdOf(cookie));
      for (const change of wrongChanges(world, before, after, { ...cell, rule })) wrong(change);
      if (rule.trashes || rule.locks) await undoChanges(difference(before, after));
      else before = after;
      if (route.method === 'delete') {
        cookie = await world.cookieOf(person);
        before = await rowsWithout(sessionIdOf(cookie));
      }
    }
  }
  const changed = difference(before, await rowsWithout(sessionIdOf(cookie))).filter(
    ({ table }) => !(rule.answers && rule.changes?.includes(table)),
  );
  if (changed.length > 0)
    wrongs.push(`${person}: a refused call changed rows ${JSON.stringify(changed.slice(0, 3))}`);
  return wrongs;
}

const firstOf = (wrongs: readonly string[]): string[] => wrongs.slice(0, 12);

describe.each(API_ROUTES.map((route) => [nameOf(route), route] as const))('%s', (call, route) => {
  test.each(ASKING)(`${call} answers %s as the policy says`, async (person) => {
    for (const fixture of fixturesFor(route))
      expect(firstOf(await wrongsOf(route, fixture, person))).toEqual([]);
  });
});

describe.each(
  API_ROUTES.filter((route) => fixturesFor(route).some(({ batch }) => batch)).map(
    (route) => [nameOf(route), route] as const,
  ),
)('%s with a list of ids', (call, route) => {
  const batches = fixturesFor(route).flatMap(({ ids, batch }) =>
    batch ? [{ batch, things: world.things[ids[batch.id] ?? 'client'] }] : [],
  );

  test.each(ASKING)(
    `${call} accepts all ids of a list or none, with a foreign id at any position, for %s`,
    async (person) => {
      const wrongs: string[] = [];
      const cookie = await world.cookieOf(person);
      const before = await rowsWithout(sessionIdOf(cookie));
      for (const { batch, things } of batches) {
        const seen = Object.values(things).filter((thing) =>
          expected(ruleOf(nameOf(route)), person, { [batch.id]: thing }, false).includes(200),
        );
        const mine = [...seen, ...seen].slice(0, 2).map(({ id }) => id);
        let unknown: Answer | undefined;
        for (const [label, thing] of Object.entries(things)
          .filter(([, one]) => !seen.includes(one) && one.id.length <= 60)
          .toSorted(([a], [b]) => Number(b === 'unknown') - Number(a === 'unknown'))) {
          for (const place of [0, 1, 2]) {
            const sending = batch.send(mine.toSpliced(place, 0, thing.id));
            const answer = await ask(route.method, addressOf(route, {}, sending.query), cookie, sending);
            unknown ??= answer;
            if (answer.status < 400) wrongs.push(`${label} at place ${place} answers ${answer.status}`);
            if (JSON.stringify(answer) !== JSON.stringify(unknown))
              wrongs.push(`${label} at place ${place} is refused in other words than an unknown id`);
          }
        }
      }
      if (difference(before, await rowsWithout(sessionIdOf(cookie))).length > 0)
        wrongs.push('a refused call changed rows');
      expect(firstOf(wrongs)).toEqual([]);
    },
  );
});

describe('the calls of the demo', () => {
  const routes = API_ROUTES.filter(({ who }) => who === 'demo');
  test.each(routes.map((route) => [nameOf(route), route] as const))(
    '%s is open to everybody in a demo',
    async (_, route) => {
      await db().insertInto('settings').values({ name: 'demo', value: '1' }).execute();
      await fillDemoWorld();
      expect(isDemo()).toBe(true);
      for (const person of PERSONS)
        for (const fixture of fixturesFor(route))
          expect(firstOf(await wrongsOf(route, fixture, person))).toEqual([]);
    },
  );
});

describe('the matrix', () => {
  test('the matrix has a fixture and a rule for every call of the route table, and no others', () => {
    for (const route of API_ROUTES)
      expect([fixturesFor(route).length > 0, ruleOf(nameOf(route)).who]).toEqual([true, expect.any(String)]);
    expect(unusedEntries()).toEqual([]);
  });

  test('a call without a fixture fails with what to add', () => {
    expect(() => fixturesFor({ method: 'post', path: '/api/tasks/v1/tasks', who: 'signed-in' })).toThrow(
      /post \/api\/tasks\/v1\/tasks is declared.*tests\/features\/<feature>\/access\.ts/,
    );
  });

  test(`the matrix has at least ${MIN_CELLS} cells, on one engine`, () => {
    const count = (cells: typeof cellsOf): number =>
      API_ROUTES.flatMap((route) =>
        fixturesFor(route).flatMap((fixture) => ASKING.flatMap((person) => cells(route, fixture, person))),
      ).length;
    const [all, asked] = [count(cellsOf), count(askedOf)];
    expect(asked).toBeGreaterThanOrEqual(IS_SAMPLE ? 1 : MIN_CELLS);
    console.info(`authorization matrix: ${asked} of ${all} cells`);
  });
});
