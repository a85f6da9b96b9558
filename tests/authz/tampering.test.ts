import { describe, expect, test } from 'vitest';
import { db } from '#platform/database/database.server.ts';
import type { ApiRoute } from '#features/base/people/people.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { onPostgres, WHOLE } from '../support/whole.ts';
import { ask, difference, rowsWithout, sessionIdOf, type Answer } from './requests.ts';
import { addressOf, fixturesFor, ruleOf } from './features.ts';
import { expected, PERSONS, type Person, type Thing } from './policy.ts';
import { nameOf, type RequestFixture, type Sending } from './request-fixtures.ts';
import { undoChanges } from './undo-changes.ts';
import { strangersIn, wrongChanges } from './assertions.ts';
import { idsOf, makeWorld } from './world.ts';

/*
 * Tampered requests: another firm, client or role, and fields that nobody may set (threat-model.md T05, T08,
 * T09, T18).
 */

const world = await makeWorld();
const stranger = world.actors['a contact of the other firm'];
const theirs = world.clients['other firm'];
const [COMPANY, CONTACT, GUID, CLIENT] = [
  stranger?.companyId ?? '',
  stranger?.contactId ?? '',
  stranger?.prismGuid ?? '',
  theirs.id,
];

/** Tampering works, if at all, through the session, so one person of each kind is enough. */
const CALLERS: readonly Person[] = WHOLE
  ? PERSONS
  : onPostgres
    ? ['the own contact']
    : ['a visitor', 'the own contact', 'staff', 'a contact of both firms'];

/** Each call with ids visible to its caller, or those of the `own` contact. */
const CALLS = API_ROUTES.flatMap((route) =>
  fixturesFor(route).map((fixture) => [`${nameOf(route)} ${fixture.of ?? ''}`, route, fixture] as const),
);

function thingsFor(route: ApiRoute, fixture: RequestFixture, person: Person): Record<string, Thing> {
  const choices = Object.entries(fixture.ids).reduce<Record<string, Thing>[]>(
    (sofar, [name, kind]) =>
      sofar.flatMap((things) =>
        Object.values(world.things[kind]).map((thing) => ({ ...things, [name]: thing })),
      ),
    [{}],
  );
  const own = Object.fromEntries(
    Object.entries(fixture.ids).map(([name, kind]) => [
      name,
      Object.values(world.things[kind])[0] ?? { id: '', state: 'unknown' as const },
    ]),
  );
  return (
    choices.find(
      (things) =>
        succeeds(route, person, things) && Object.values(things).every(({ state }) => state === 'live'),
    ) ?? own
  );
}

function succeeds(route: ApiRoute, person: Person, things: Record<string, Thing>): boolean {
  const rule = ruleOf(nameOf(route));
  return expected(rule, person, things, false)[0] === (rule.succeeds ?? 200);
}

/** The first person whose call succeeds. */
const whoMaySend = (route: ApiRoute, fixture: RequestFixture): Person | undefined =>
  CALLERS.find((person) => succeeds(route, person, thingsFor(route, fixture, person)));

interface More {
  query?: Record<string, string>;
  cookie?: string;
  headers?: Record<string, string>;
}

/** Makes the regular call, then one with each of the additions. Returns the responses and the failures. */
async function withEach(route: ApiRoute, fixture: RequestFixture, person: Person, mores: readonly More[]) {
  const rule = ruleOf(nameOf(route));
  const things = idsOf(thingsFor(route, fixture, person));
  const answers: { answer: Answer; wrongs: string[] }[] = [];
  let cookie = await world.cookieOf(person);
  let before = await rowsWithout(sessionIdOf(cookie));
  for (const { query = {}, cookie: added = '', headers = {} } of [{}, ...mores] as More[]) {
    const sending = fixture.send?.(things) ?? {};
    const answer = await ask(
      route.method,
      addressOf(route, things, { ...query, ...sending.query }),
      [cookie, added].filter(Boolean).join('; '),
      sending,
      headers,
    );
    const after = await rowsWithout(sessionIdOf(cookie));
    answers.push({
      answer,
      wrongs: [
        ...wrongChanges(world, before, after, { method: route.method, person, rule }),
        ...strangersIn(answer, rule, person).map((mark) => `shows ${mark}`),
      ],
    });
    cookie = route.method === 'delete' ? await world.cookieOf(person) : cookie;
    if (rule.trashes) await undoChanges(difference(before, after));
    before = route.method === 'delete' || rule.trashes ? await rowsWithout(sessionIdOf(cookie)) : after;
  }
  return answers;
}

/**
 * A response without unique values: ids, times, digests, tokens, cursors, and the numbers of names, which a
 * second copy gets.
 */
const shape = ({ status, body }: Answer): [number, string] => [
  status,
  body
    .replace(/^%PDF-[\s\S]*/, 'a PDF')
    // when the entries of an archive were made, as in a workbook
    .replaceAll(/(PK(?:\x03\x04[^]{6}|\x01\x02[^]{8}))[^]{4}/g, '$1…')
    .replaceAll(/(?<="(?:next|previous)":")[^"]+|"formerName":"[^"]*",/g, '')
    .replaceAll(
      /[a-z]+_[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{64}\b|(?<=["/])[\w-]{43}(?=")|\b\d+\b/g,
      '…',
    )
    .replaceAll(' (…)', ''),
];

const HEADERS = {
  'x-company-id': COMPANY,
  'x-tenant-id': COMPANY,
  'x-client-id': CLIENT,
  'x-contact-id': CONTACT,
  'x-user-id': GUID,
  'x-forwarded-user': CONTACT,
  'x-emulate': GUID,
  'x-role': 'staff',
  authorization: `Bearer ${CONTACT}`,
};
const PROXY_HEADERS = {
  'x-http-method-override': 'DELETE',
  'x-original-url': '/api/docs',
  'x-rewrite-url': '/api/docs',
  forwarded: 'for=127.0.0.1',
  'x-forwarded-for': '127.0.0.1',
};
const COOKIE = `theme=${COMPANY}; client=${CLIENT}; companyId=${COMPANY}; contactId=${CONTACT}; EmulateePrismGuid=${GUID}; staff=1`;
const QUERY = {
  companyId: COMPANY,
  company_id: COMPANY,
  contactId: CONTACT,
  prismGuid: GUID,
  EmulateePrismGuid: GUID,
  tenant: COMPANY,
  staff: '1',
  role: 'staff',
};

describe.each(CALLS)('%s', (call, route, fixture) => {
  test(`${call} ignores another firm in a header, a cookie or the query`, async () => {
    const query = { ...QUERY, ...(Object.hasOwn(fixture.ids, 'clientId') ? {} : { clientId: CLIENT }) };
    for (const person of CALLERS) {
      await db().deleteFrom('limits').execute();
      const [plain, ...tampered] = await withEach(route, fixture, person, [
        { headers: HEADERS },
        { headers: PROXY_HEADERS, cookie: COOKIE },
        { query },
      ]);
      for (const { answer, wrongs } of tampered) {
        // An "unknown field" error of a list is as good as ignoring the field.
        const isRefused = answer === tampered.at(-1)?.answer && answer.status === 422;
        expect([person, isRefused ? 'refused' : shape(answer), wrongs]).toEqual([
          person,
          isRefused ? 'refused' : shape(plain?.answer ?? answer),
          [],
        ]);
      }
    }
  });
});

/** Bodies are validated before the database is used. */
const WRITES = onPostgres && !WHOLE ? [] : CALLS.filter(([, { method }]) => method !== 'get');
const isJson = ({ ids, send }: RequestFixture): boolean =>
  typeof send?.(Object.fromEntries(Object.keys(ids).map((name) => [name, 'x']))).json === 'object';

/**
 * Every column of every table, in both spellings, and common names for mass assignment and prototype
 * pollution.
 */
async function everyField(): Promise<Record<string, unknown>> {
  const tables = await db().introspection.getTables();
  const columns = tables.flatMap((table) => table.columns.map(({ name }) => name));
  const camel = columns.map((name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  const names = [
    ...new Set([
      ...columns,
      ...camel,
      'id',
      'permissions',
      'createdBy',
      'isReadByClientUser',
      'staff',
      'role',
      'parent',
      'type',
      '__proto__',
      'constructor',
      'prototype',
    ]),
  ];
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

function valueOf(name: string): unknown {
  if (/company/i.test(name)) return COMPANY;
  if (/client/i.test(name)) return CLIENT;
  if (/contact|created_?by|sender/i.test(name)) return CONTACT;
  if (/__proto__|constructor|prototype|permissions/.test(name))
    return { polluted: true, read: true, update: true, delete: true };
  return /_?at$|staff|locked|required|opens|tries|size/i.test(name) ? 1 : `CANARY-F2 ${name}`;
}

/** Adds the fields to each object of the body in turn. Names in `variables` are free. */
function* withFields(body: unknown, fields: Record<string, unknown>): Generator<unknown> {
  if (typeof body !== 'object' || body === null) return;
  if (Array.isArray(body)) {
    for (const [i, item] of body.entries())
      for (const changed of withFields(item, fields)) yield body.with(i, changed);
    return;
  }
  const added = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(body, name)));
  if (Object.keys(added).length > 0)
    yield Object.fromEntries([...Object.entries(body), ...Object.entries(added)]);
  for (const [name, item] of Object.entries(body))
    for (const changed of withFields(item, fields)) yield { ...body, [name]: changed };
}

describe.each(WRITES.filter(([, , fixture]) => isJson(fixture)))('%s', (call, route, fixture) => {
  test(`${call} refuses every field that its contract does not name, in every object of its body`, async () => {
    const fields = Object.fromEntries(
      Object.entries(await everyField()).filter(([name]) => !fixture.named?.includes(name)),
    );
    const whoMay = whoMaySend(route, fixture);
    for (const person of CALLERS) {
      const cookie = await world.cookieOf(person);
      const things = idsOf(thingsFor(route, fixture, person));
      const body = fixture.send?.(things).json;
      const before = await rowsWithout(sessionIdOf(cookie));
      const onceEach =
        fixture === fixturesFor(route)[0] && (WHOLE || person === whoMay)
          ? Object.entries(fields).map(([name, value]) => Object.fromEntries([[name, value]]))
          : [];
      const taken: string[] = [];
      for (const extra of [fields, ...onceEach]) {
        for (const json of withFields(body, extra)) {
          const { status } = await ask(route.method, addressOf(route, things), cookie, { json });
          if (status < 400) taken.push(`${Object.keys(extra).slice(0, 3).join()} is answered ${status}`);
        }
      }
      const changed = difference(before, await rowsWithout(sessionIdOf(cookie)));
      expect([person, taken.slice(0, 5), changed]).toEqual([person, [], []]);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test(`${call} refuses a body of the wrong type`, async () => {
    for (const person of CALLERS) {
      const cookie = await world.cookieOf(person);
      const things = idsOf(thingsFor(route, fixture, person));
      const before = await rowsWithout(sessionIdOf(cookie));
      for (const json of [
        null,
        1,
        'text',
        [{ companyId: COMPANY }],
        [[]],
        { companyId: COMPANY },
        Array.from({ length: 1001 }, () => 'x'),
      ])
        expect(
          (await ask(route.method, addressOf(route, things), cookie, { json })).status,
        ).toBeGreaterThanOrEqual(400);
      expect(difference(before, await rowsWithout(sessionIdOf(cookie)))).toEqual([]);
    }
  });
});

describe.each(WRITES.filter(([, , fixture]) => fixture.send?.({}).form !== undefined))(
  '%s',
  (call, route, fixture) => {
    test(`${call} ignores form fields other than its files and the named fields`, async () => {
      const fields = Object.entries(await everyField()).filter(([name]) => !fixture.named?.includes(name));
      const whoMay = whoMaySend(route, fixture);
      for (const person of CALLERS) {
        const cookie = await world.cookieOf(person);
        const things = idsOf(thingsFor(route, fixture, person));
        for (let from = 0; from < fields.length; from += 18) {
          const { form = new FormData() } = fixture.send?.(things) ?? {};
          const sent = new FormData();
          for (const [name, value] of fields.slice(from, from + 18)) sent.append(name, String(value));
          for (const [name, value] of form.entries()) sent.append(name, value);
          await db().deleteFrom('limits').execute(); // tests fields, not rate limits
          const before = await rowsWithout(sessionIdOf(cookie));
          const answer = await ask(route.method, addressOf(route, things), cookie, { form: sent });
          const after = await rowsWithout(sessionIdOf(cookie));
          const rule = ruleOf(nameOf(route));
          const texts = difference(before, after).filter(
            ({ row }) => /CANARY-F2/.test(row) && !person.includes('of the other firm'),
          );
          expect([
            person,
            expected(rule, person, thingsFor(route, fixture, person), false).includes(answer.status),
            wrongChanges(world, before, after, { method: route.method, person, rule }),
            texts,
          ]).toEqual([person, true, [], []]);
          if (answer.status >= 400) break; // refused before the form is parsed
          if (!WHOLE && person !== whoMay) break; // one permitted person shows that no field is read
        }
      }
    });
  },
);

test('values in the variables of a share are not trusted', async () => {
  const [route] = API_ROUTES.filter(({ path }) => path.endsWith('/sharing/share'));
  const fixture = route && fixturesFor(route)[0];
  if (!route || !fixture) throw new Error('There is no call to share: name the one that takes variables.');
  for (const person of ['the own contact', 'staff'] as const) {
    await db().deleteFrom('limits').execute();
    const cookie = await world.cookieOf(person);
    const things = idsOf(thingsFor(route, fixture, person));
    const before = await rowsWithout(sessionIdOf(cookie));
    const sending: Sending = fixture.send?.(things) ?? {};
    const variables = {
      senderEmail: 'zoe-CANARY-F2@two.example',
      companyId: COMPANY,
      contactId: CONTACT,
      recipient: 'zoe-CANARY-F2@two.example',
    };
    const answer = await ask(route.method, addressOf(route, things), cookie, {
      json: { ...(sending.json as object), variables },
    });
    const after = await rowsWithout(sessionIdOf(cookie));
    expect([
      answer.status,
      wrongChanges(world, before, after, { method: 'post', person, rule: ruleOf(nameOf(route)) }),
    ]).toEqual([200, []]);
    expect(difference(before, after).filter(({ row }) => row.includes('CANARY-F2'))).toEqual([]);
  }
});
