import { afterAll, afterEach, expect, test } from 'vitest';
import type { ApiRoute } from '#features/base/people/people.ts';
import { WHOLE } from '../support/whole.ts';
import { askPostgres } from '../support/services.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import type { Answer, Rows } from './requests.ts';
import type { RequestFixture } from './request-fixtures.ts';
import type { Person, Thing } from './policy.ts';

/*
 * Every call that writes, while connections to PostgreSQL break: what it does is done once, and the answer says so.
 * The database is reached through a proxy, so modules are imported when its address is known.
 */
const direct = String(process.env['DATABASE_URL']);
const proxy = await startPostgresProxy(direct);
process.env['DATABASE_URL'] = proxy.url;
const { isDemo } = await import('#features/demo/demo/demo.server.ts');
const { closeDatabase } = await import('#platform/database/database.server.ts');
const { API_ROUTES } = await import('../../src/api.server.ts');
const { ask, difference, rowsWithout, sessionIdOf } = await import('./requests.ts');
const { expected, PERSONS } = await import('./policy.ts');
const { addressOf, fixturesFor, ruleOf } = await import('./features.ts');
const { nameOf } = await import('./request-fixtures.ts');
const { idsOf, makeWorld } = await import('./world.ts');

const world = await makeWorld();
for (const person of PERSONS) await world.cookieOf(person);
await rowsWithout('');

/** The database as it is now, which every act begins with. */
const own = new URL(direct).pathname.slice(1);
const seed = `${own}_seed`;
const administer = (statement: string) => askPostgres(String(process.env['TEST_DATABASE_URL']), statement);
await closeDatabase();
await administer(`create database ${seed} template ${own}`);

async function resetDatabase(): Promise<void> {
  await closeDatabase();
  await administer(`drop database ${own} with (force)`);
  await administer(`create database ${own} template ${seed}`);
}

afterEach(() => void (proxy.decide = () => 'pass'));
afterAll(async () => {
  await closeDatabase();
  await proxy.close();
});

const COMMIT = /commit$/;
/** Bookkeeping, which says nothing about what was done. */
const NOT_COUNTED = new Set(['sessions', 'ended_sessions', 'limits', 'request_keys', 'nodes', 'settings']);

interface Act {
  route: ApiRoute;
  fixture: RequestFixture;
  person: Person;
  things: Record<string, Thing>;
}

/** A write that succeeds, for each fixture of a call. */
function actsOf(route: ApiRoute): Act[] {
  if (route.method === 'get') return [];
  return fixturesFor(route).flatMap((fixture) => {
    const things = Object.fromEntries(
      Object.entries(fixture.ids).map(([name, kind]) => [
        name,
        Object.values(world.things[kind])[0] as Thing,
      ]),
    );
    const rule = ruleOf(nameOf(route));
    const person = PERSONS.find((one) =>
      expected(rule, one, things, isDemo()).every((status) => status < 300),
    );
    return person === undefined ? [] : [{ route, fixture, person, things }];
  });
}

interface Outcome {
  answer: Answer;
  /** How many rows came and went, by table. */
  changes: Record<string, number>;
  statements: string[];
}

/** Carries out an act, in the same world each time, and notes what it changed. */
async function carryOut(
  { route, fixture, person, things }: Act,
  decide: typeof proxy.decide = () => 'pass',
  { key, tries = 1 }: { key?: string; tries?: number } = {},
): Promise<Outcome> {
  await resetDatabase();
  const cookie = await world.cookieOf(person);
  const before = await rowsWithout(sessionIdOf(cookie));
  const sending = fixture.send?.(idsOf(things)) ?? {};
  const statements: string[] = [];
  proxy.decide = (statement) => {
    statements.push(statement);
    return decide(statement);
  };
  const send = () =>
    ask(
      route.method,
      addressOf(route, idsOf(things), sending.query),
      cookie,
      sending,
      key === undefined ? {} : { 'idempotency-key': key },
    );
  let answer = await send();
  proxy.decide = () => 'pass';
  for (let attempt = 1; attempt < tries && answer.status >= 500; attempt += 1) answer = await send();
  const after = await rowsWithout(sessionIdOf(cookie));
  const changes = counted(before, after);
  return { answer, changes, statements };
}

function counted(before: Rows, after: Rows): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { table, came } of difference(before, after)) {
    if (NOT_COUNTED.has(table)) continue;
    const name = `${table} ${came ? '+' : '-'}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Lets the statement with this number among those that match meet a fate. */
function at(number: number, fate: 'cut before' | 'cut after', pattern = /./): typeof proxy.decide {
  let seen = 0;
  return (statement) => (pattern.test(statement) && (seen += 1) === number ? fate : 'pass');
}

/** Calls that create, send, pay or sign: the others are tried in the full run. */
const TOLD: readonly string[] = [
  'post /api/storage/v1/folders',
  'post /api/storage/v1/clients/{id}/documents',
  'post /api/storage/v2/sharing/share',
  'post /api/notes/v1/comments/',
  'post /api/client-center/v3/tasks',
  'post /api/client-center/v3/tasks/{taskId}/messages',
  'post /api/client-center/v3/signing/clients/{clientId}/documents',
  'post /api/security/v1/invitations',
  'post /api/staff/v1/clients',
];
const named = API_ROUTES.map((route) => [nameOf(route), route] as const);
const writes = named.filter(([, { method }]) => method !== 'get');
const told = named.filter(([name]) => TOLD.includes(name));

test('the calls of the sample exist', () => {
  expect(told.map(([name]) => name).toSorted()).toEqual(TOLD.toSorted());
});

test.each(WHOLE ? writes : told)(
  '%s is done once and reported as done when the answer to a commit is lost',
  async (_, route) => {
    for (const act of actsOf(route)) {
      const usual = await carryOut(act);
      const commits = usual.statements.filter((statement) => COMMIT.test(statement)).length;
      for (let commit = 1; commit <= commits; commit += 1) {
        const cut = await carryOut(act, at(commit, 'cut after', COMMIT));
        expect({ status: cut.answer.status, changes: cut.changes }, `commit ${commit}`).toEqual({
          status: usual.answer.status,
          changes: usual.changes,
        });
      }
    }
  },
);

/** At how many statements of an act the connection breaks. */
const BREAKS = WHOLE ? Infinity : 3;

test.each(told)(
  '%s is done once when its connection breaks at any statement and it is sent again with its key',
  async (_, route) => {
    for (const act of actsOf(route).slice(0, WHOLE ? undefined : 1)) {
      const usual = await carryOut(act, undefined, { key: 'usual' });
      const { length } = usual.statements;
      const step = Math.max(1, Math.floor(length / BREAKS));
      for (let number = Math.ceil(step / 2); number <= length; number += step)
        for (const fate of ['cut before', 'cut after'] as const) {
          const key = `${number}-${fate.replace(' ', '-')}`;
          const cut = await carryOut(act, at(number, fate), { key, tries: 3 });
          expect(
            { status: cut.answer.status, changes: cut.changes },
            `${fate} statement ${number}: ${usual.statements[number - 1] ?? ''}`,
          ).toEqual({ status: usual.answer.status, changes: usual.changes });
        }
    }
  },
);
