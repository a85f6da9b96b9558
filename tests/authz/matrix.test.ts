import { describe, expect, test } from 'vitest';
import { fillDemoWorld, isDemo } from '#features/demo/demo/demo.server.ts';
import { db } from '#platform/database/database.server.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { ask, difference, rowsWithout, sessionIdOf, type Answer } from './requests.ts';
import { askedOf, ASKING, cellsOf, IS_SAMPLE, world, wrongsOf } from './cells.ts';
import { addressOf, fixturesFor, ruleOf, unusedEntries } from './features.ts';
import { expected, PERSONS } from './policy.ts';
import { nameOf } from './request-fixtures.ts';

/*
 * Every call × every person × every id, checked against the policy (threat-model.md T01, T02, T03, T07). A
 * refusal must be identical to the response for an unknown id, and must not change any row.
 */

const MIN_CELLS = 25_000;

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
