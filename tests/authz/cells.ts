import { isDemo } from '#features/demo/demo/demo.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import { onPostgres, WHOLE } from '../support/whole.ts';
import { ask, difference, rowsWithout, sessionIdOf, type Answer } from './requests.ts';
import { addressOf, ruleOf } from './features.ts';
import { expected, PERSONS, type Person, type Thing } from './policy.ts';
import { nameOf, type RequestFixture, type Sending } from './request-fixtures.ts';
import { undoChanges } from './undo-changes.ts';
import { strangersIn, wrongChanges } from './assertions.ts';
import { idsOf, makeWorld } from './world.ts';

/* The cells of the matrix: a call by a person with ids, and what is wrong with its answer. */

export const world = await makeWorld();
/*
 * Permissions do not depend on the engine, though their effects may: on PostgreSQL, one person of each kind
 * calls, and refusals are sampled.
 */
export const IS_SAMPLE = onPostgres && !WHOLE;
export const ASKING: readonly Person[] = IS_SAMPLE
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
export function askedOf(route: ApiRoute, fixture: RequestFixture, person: Person): Cell[] {
  const rule = ruleOf(nameOf(route));
  const isStrange = ([name, thing]: [string, Thing]): boolean =>
    thing !== Object.values(world.things[fixture.ids[name] ?? 'client'])[0];
  return cellsOf(route, fixture, person).filter(({ things }, place) => {
    const isTelling = Object.entries(things).filter(isStrange).length <= MAX_FOREIGN;
    const succeeds = expected(rule, person, things, isDemo()).includes(rule.succeeds ?? 200);
    return succeeds ? isTelling || !IS_SAMPLE : isTelling && place % ONE_REFUSAL_IN === 0;
  });
}

export function cellsOf(route: ApiRoute, fixture: RequestFixture, person: Person): Cell[] {
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
export async function wrongsOf(route: ApiRoute, fixture: RequestFixture, person: Person): Promise<string[]> {
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
