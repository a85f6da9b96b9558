import { mkdtempSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { FRONT_DOOR, PAGES } from '../src/routes.ts';
import type * as features from '../tests/authz/features.ts';
import { LINK_PAGES, type Answered } from '../tests/authz/page-policy.ts';
import {
  actsElsewhere,
  actsFor,
  firmsOf,
  isReader,
  isSignedIn,
  mayMeet,
  PERSONS,
  type LinkKey,
  type Person,
  type Thing,
} from '../tests/authz/policy.ts';
import type { World } from '../tests/authz/world.ts';
import { ownPart } from '../tests/support/services.ts';
import { allRows, freePort, startPortal, type Portal } from './support/portal.ts';
import { expect, test } from './support/test.ts';

/*
 * Sends plain requests to the pages and the front door as every kind of person (threat-model.md): who may
 * open which page, foreign ids in addresses and forms, data of others in responses, and whether reading
 * changes a row. tests/authz/ does the same for the API.
 */

const START = '/clientcenter/en-us/';
const MAX_PAGES = 120;

test.use({ baseURL: '' }); // starts its own portal

/** Loaded after the settings of this portal, since the files of the features read them. */
let access: typeof features;
let world: World;
let portal: Portal;
let folder: string;
let cookies: Record<Person, string>;
let viewing: string;
let companies: Record<'own' | 'other' | 'locked', string>;

test.beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'portal-authz-'));
  const before = { ...process.env };
  Object.assign(process.env, {
    DATA_DIR: path.join(folder, 'data'),
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
    DEMO: '0',
    ...(await ownPart(folder)),
  });
  access = await import('../tests/authz/features.ts');
  const { makeWorld } = await import('../tests/authz/world.ts');
  const { closeDatabase } = await import('../src/platform/database/database.server.ts');
  world = await makeWorld();
  cookies = Object.fromEntries(
    await Promise.all(PERSONS.map(async (person) => [person, await world.cookieOf(person)] as const)),
  ) as Record<Person, string>;
  viewing = await world.viewingCookie();
  const firm = (person: Person): string => world.actors[person]?.companyId ?? '';
  companies = {
    own: firm('the own contact'),
    other: firm('a contact of the other firm'),
    locked: firm('a contact of a locked firm'),
  };
  await closeDatabase();
  for (const name of ['DATA_DIR', 'PORT', 'LOG_LEVEL', 'DEMO', 'DATABASE_URL', 'BLOB_URL'])
    if (before[name] === undefined) delete process.env[name];
  Object.assign(process.env, before);
  portal = await startPortal({ DEMO: '0', LOG_LEVEL: 'debug' }, folder);
  // People of a locked firm see that page once: the request ends the session, and later ones come from a
  // visitor.
  expect(
    problemsOf(await send(START, cookies['a contact of a locked firm']), {
      status: 303,
      to: 'auth/firm-locked',
    }),
  ).toEqual([]);
  // The first sweep removes expired rows; after it, rows change only because of a request.
  await expect
    .poll(async () =>
      [...(await rows())]
        .filter(([table]) => ['share_visits', 'limits'].includes(table))
        .flatMap(([, all]) => [...all])
        .filter((row) => Number(/"(?:expires|resets)_at":(\d+)/.exec(row)?.[1]) < Date.now() - 60_000),
    )
    .toEqual([]);
});

test.afterAll(() => portal.stop());

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends a request; `form` is posted from the portal's own origin unless headers say otherwise. */
async function send(
  address: string,
  cookie: string,
  { form, headers = {} }: { form?: [string, string][]; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString();
  const posted: Record<string, string> =
    body === undefined
      ? {}
      : {
          origin: portal.origin,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(body)),
        };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(
      portal.origin + address,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...(cookie !== '' && { cookie }), ...posted, ...headers },
      },
      resolve,
    );
    request.on('error', reject).end(body);
  });
  response.setEncoding('latin1');
  const {
    date: _,
    'x-request-id': __,
    'keep-alive': ___,
    ...rest
  } = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  // each page has another key for its forms
  const page = (await text(response)).replaceAll(/name="request-key" value="[^"]*"/g, '');
  return { status: response.statusCode ?? 0, headers: rest, body: page };
}

const canariesIn = (answer: Answer): Set<string> =>
  new Set(
    `${decodeURI(JSON.stringify(answer.headers).replaceAll('%', '%25'))} ${answer.body}`
      .match(/CANARY-(?:[FC]\d|GONE)/gi)
      ?.map((mark) => mark.toUpperCase()),
  );
const foreignCanaries = (answer: Answer, person: Person): string[] =>
  // the header names every firm of the person
  [...canariesIn(answer)].filter((mark) => !mayMeet(person).has(mark) && !firmsOf(person).has(mark));
const fill = (pattern: string, ids: Record<string, string>): string =>
  pattern
    .replace('[base]', 'clientcenter')
    .replace('[lang]', 'en-us')
    .replaceAll(/\[(\w+)\]/g, (_, name: string) => ids[name] ?? '');

/** Compares a response with the expected one; returns one sentence per difference. */
function problemsOf(answer: Answer, { status, to }: Answered): string[] {
  const location = answer.headers['location'] ?? '';
  const isThere = to === undefined || (to === '' ? location === START : location.startsWith(START + to));
  return answer.status === status && isThere
    ? []
    : [`answers ${answer.status} ${location}, should be ${status} ${to ?? ''}`];
}

/**
 * The response without the requested id, which its links repeat, and without the time at which the session
 * ends.
 */
const withoutId = ({ status, headers, body }: Answer, id: string): string =>
  `${status} ${JSON.stringify(headers)} ${body}`
    .replaceAll(id, 'ID')
    .replaceAll(/SessionExpiresDateTime[^Z]*Z/g, '');

/** The response without the secret under which a form of an expired session is stored. */
const withoutDraftSecret = (answer: Answer): string =>
  JSON.stringify(answer).replace(/kept=[\w-]{43}/, 'kept=SECRET');

function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((letter, i) => letter !== other[i]);
  return `…${one.slice(Math.max(0, at - 60), at + 60)}… is not …${other.slice(Math.max(0, at - 60), at + 60)}…`;
}

type Rows = Map<string, Set<string>>;
const rows = async (): Promise<Rows> =>
  new Map([...(await allRows(portal))].map(([table, all]) => [table, new Set(all)]));
const changedRows = (before: Rows, after: Rows): string[] =>
  [...after].flatMap(([table, now]) =>
    [...now.symmetricDifference(before.get(table) ?? new Set())].map((row) => `${table}: ${row}`),
  );

/** Rows that reading a page may change, and why (threat-model.md T26). */
const CHANGED_BY_READING: readonly (readonly [RegExp, string])[] = [
  [/^sessions: /, 'the last request is noted, and a session that is over is removed'],
  [/^audit(_heads)?: /, 'what is opened is noted'],
  [/^kept_forms: /, 'what is sent after a session ended is kept for its person'],
  [/^ended_sessions: /, 'whose session is over is remembered for a while'],
  [/^receipts: /, 'what is downloaded leaves a receipt'],
  [/^share_recipients: /, 'a download of a link is counted'],
  [
    /^limits: .*"(?:fetched-(?:files|bytes)|(?:link-)?download|link-view):/,
    'what is downloaded or looked at is counted',
  ],
  [/^(document_reads|unread): /, 'a contact who downloads a document has read it'],
  [/^article_reads: /, 'a contact who opens an article has seen it'],
  [/^inbox_(items|targets): /, 'what staff have opened leaves their inbox'],
  [/^notification(s|_targets): /, 'a contact who has opened something was told of it'],
  [/^attention: /, 'the open pages of whoever was told, or sees the inbox, are told so'],
  [/^share_openings: /, 'an opening of a link that was announced or looked at is no longer new'],
  [/^task_reads: /, 'messages on a task that was opened are no longer new'],
  [/^client_message_reads: /, 'messages that were opened are no longer new'],
  [/^mail(s|_targets): /, 'a mail whose link was followed is marked as opened'],
];
const unexpected = (changed: readonly string[]): string[] =>
  changed.filter((row) => !CHANGED_BY_READING.some(([pattern]) => pattern.test(row)));

/**
 * Pages that still name a deleted document of the person's own client, and to whom: the trash to its uploader
 * and to staff, receipts to everybody who sees the client.
 */
const NAMES_DELETED: Readonly<Record<string, (person: Person) => boolean>> = {
  '/[base]/[lang]/documents/trash': (person) =>
    access.RULES['get /api/storage/v1/documents/trash']?.showsDeleted?.includes(person) ?? false,
  '/[base]/[lang]/receipts': (person) => actsFor(person).includes('own'),
};

/** The same by address: each receipt has a page of its own. */
const mayNameDeleted = (address: string, person: Person): boolean =>
  NAMES_DELETED[
    `/[base]/[lang]/${/documents\/trash/.test(address) ? 'documents/trash' : /\/(receipts)\b/.exec(address)?.[1]}`
  ]?.(person) ?? false;

async function expectPages(isDemo: boolean): Promise<void> {
  const ids = {
    ...access.PLACEHOLDERS,
    token: world.links.good,
    id: world.things.mail['own']?.id ?? '',
    documentId: 'doc_0',
    companyId: 'client_0',
    clientId: 'client_0',
    taskId: 'task_0',
    number: '999999',
  };
  const problems: string[] = [];
  for (const [pattern, { who }] of Object.entries(PAGES)) {
    const rule = access.PAGE_RULES[pattern];
    if (!rule)
      throw new Error(
        `${pattern} is in PAGES of src/routes.ts, but no rule says who may open it. Add its rule to \`pages\` in tests/features/<feature>/access.ts, and its ids, if any, to \`ids\`.`,
      );
    for (const person of PERSONS) {
      const answer = await send(fill(pattern, ids), cookies[person]);
      const foreign =
        who === 'demo' || pattern.includes('/share/')
          ? []
          : foreignCanaries(answer, person)
              .filter((mark) => !(mark === 'CANARY-GONE' && NAMES_DELETED[pattern]?.(person)))
              .map((mark) => `shows ${mark}`);
      problems.push(
        ...[...problemsOf(answer, rule(person, isDemo)), ...foreign].map(
          (what) => `${pattern} for ${person} ${what}`,
        ),
      );
    }
  }
  expect(problems).toEqual([]);
  expect(Object.keys(access.PAGE_RULES).filter((pattern) => !Object.hasOwn(PAGES, pattern))).toEqual([]);
}

test('every page opens for permitted people and turns others away', () => expectPages(false));

test("an id in a page's address opens what the person may see, and otherwise answers exactly as an unknown id does", async () => {
  test.setTimeout(180_000);
  const problems: string[] = [];
  for (const [start, { things, opens }] of Object.entries(access.ID_RULES)) {
    const at = (id: string): string =>
      START + (start.includes('{id}') ? start.replace('{id}', id) : start + id);
    for (const person of PERSONS) {
      await send(`${START}documents`, cookies[person]); // what is announced on the first page only
      const ofUnknown = new Map<string, string>();
      for (const [choice, asked] of Object.entries(things(world.things))) {
        const thing = { ...asked, otherKind: false };
        const answer = await send(at(encodeURIComponent(thing.id)), cookies[person]);
        const wrong = (what: string): void =>
          void problems.push(`${start} ${choice}, for ${person}, ${what}`);
        const status = isSignedIn(person) ? opens(person, thing) : 303;
        if (answer.status !== status) wrong(`answers ${answer.status}, should be ${status}`);
        for (const mark of foreignCanaries(answer, person)) wrong(`shows ${mark}`);
        if (
          thing.state === 'live' &&
          thing.client !== undefined &&
          actsElsewhere(person).includes(thing.client)
        )
          continue;
        const isStrange =
          thing.state === 'deleted' ||
          thing.state === 'unknown' ||
          !isSignedIn(person) ||
          strangerTo(person, thing);
        if (!isStrange || thing.state === 'malformed') continue;
        const unknown = thing.id.replace(/[0-9a-f]{32}$/, '0'.repeat(32));
        const owed = ofUnknown.get(unknown) ?? withoutId(await send(at(unknown), cookies[person]), unknown);
        ofUnknown.set(unknown, owed);
        const actual = withoutId(answer, thing.id);
        if (actual !== owed) wrong(`differs from an unknown id: ${firstDifference(actual, owed)}`);
      }
    }
  }
  expect(problems.slice(0, 20)).toEqual([]);
});

const strangerTo = (person: Person, thing: Thing): boolean =>
  thing.seenBy?.includes(person) !== true &&
  !(isSignedIn(person) && thing.client !== undefined && mayMeet(person).has(MARKS[thing.client]));
const MARKS: Record<NonNullable<Thing['client']>, string> = {
  own: 'CANARY-C1',
  sibling: 'CANARY-C2',
  'staff only': 'CANARY-C3',
  'other firm': 'CANARY-C4',
  'other firm, second': 'CANARY-C5',
  'locked firm': 'CANARY-C6',
};

/** The main part of a page, without the frame, which contains the seconds left in the session. */
const mainOf = ({ body }: Answer): string => /<main[\s\S]*<\/main>/.exec(body)?.[0] ?? '';
const UNKNOWN = `doc_${'0'.repeat(32)}`;

test('a form accepts ids only if its sender may see all of them', async () => {
  test.setTimeout(300_000); // a form more with each feature
  const problems: string[] = [];
  for (const person of PERSONS) {
    const cookie = cookies[person];
    const before = await rows();
    const unknown = await send(`${START}clients`, cookie, { form: [['client', 'client_unknown']] });
    for (const [choice, thing] of Object.entries(world.things.client)) {
      const isTheirs = thing.state === 'live' && !thing.otherKind && !strangerTo(person, thing);
      const answer = await send(`${START}clients`, cookie, { form: [['client', thing.id]] });
      const status = isTheirs || !isSignedIn(person) ? 303 : 404;
      if (answer.status !== status)
        problems.push(`${person} chooses the client ${choice}: ${answer.status}, should be ${status}`);
      if (!isTheirs && withoutDraftSecret(answer) !== withoutDraftSecret(unknown))
        problems.push(`${person} chooses the client ${choice}: differs from an unknown one`);
      if (!isTheirs && answer.headers['set-cookie']?.includes('client='))
        problems.push(`${person} chooses the client ${choice}: it is kept`);
    }
    const documents = Object.values(world.things['any document']).filter((thing) => thing.state === 'live');
    const [mine = [], strange = []] = [
      documents.filter((thing) => !strangerTo(person, thing)),
      documents.filter((thing) => strangerTo(person, thing)),
    ];
    for (const foreign of strange) {
      for (const place of [0, 1, 2]) {
        const ids = [...mine, ...mine]
          .slice(0, 2)
          .map(({ id }) => id)
          .toSpliced(place, 0, foreign.id);
        const form: [string, string][] = [
          ['form', 'share'],
          ['to', 'x@out.example'],
          ['subject', 'Papers'],
          ['message', ''],
          ['expirationPeriod', 'AfterOneDay'],
          ...ids.map((id): [string, string] => ['id', id]),
        ];
        const answer = await send(`${START}documents/send`, cookie, { form });
        // The form comes back without the unavailable document, as if someone had just deleted it;
        // nothing is sent (checked by comparing rows below). Read-only staff may not post it at all.
        if (answer.status !== (isSignedIn(person) && !isReader(person) ? 422 : 303))
          problems.push(
            `${person} sends a document of ${foreign.client} at place ${place}: ${answer.status}`,
          );
        const unknownAnswer = await send(`${START}documents/send`, cookie, {
          form: form.map(([name, value]): [string, string] => [name, value === foreign.id ? UNKNOWN : value]),
        });
        if (mainOf(answer) !== mainOf(unknownAnswer))
          problems.push(
            `${person} sends a document of ${foreign.client} at place ${place}: differs from an unknown one`,
          );
      }
    }
    problems.push(...unexpected(changedRows(before, await rows())).map((row) => `${person} changed ${row}`));
  }
  expect(problems.slice(0, 20)).toEqual([]);
});

const MENU_FORMS = /<form\b(?:(?!<\/form>)[\s\S])*? name="form" value="grid-[\s\S]*?<\/form>/g;

test('read-only staff can post to no page that changes anything but their own account', async () => {
  const before = await rows();
  const cookie = cookies['read-only staff'];
  const ids = {
    ...access.PLACEHOLDERS,
    id: world.things.contact['of the own contact']?.id ?? '',
    documentId: world.things['any document']['own']?.id ?? '',
    companyId: world.clients.own.id,
    clientId: world.clients.own.id,
    taskId: world.things.task['own']?.id ?? '',
    number: '1',
  };
  const problems: string[] = [];
  for (const pattern of Object.keys(PAGES).filter((page) => !access.POSTED_BY_READERS.has(page))) {
    const answer = await send(fill(pattern, ids), cookie, { form: [['form', 'any']] });
    problems.push(
      ...problemsOf(answer, {
        status: 303,
        ...(!access.IN_MISSING_SECTIONS.has(pattern) && { to: 'not-authorized' }),
      }).map((what) => `${pattern} ${what}`),
    );
  }
  expect(problems).toEqual([]);
  expect(unexpected(changedRows(before, await rows()))).toEqual([]);
});

test('read-only staff set the menus of a table for themselves, and do nothing else with them', async () => {
  const before = await rows();
  const cookie = cookies['read-only staff'];
  const page = 'staff/clients';
  const saved = await send(START + page, cookie, {
    form: [
      ['form', 'grid-columns'],
      ['columns', 'kind'],
    ],
  });
  expect(problemsOf(saved, { status: 303, to: page })).toEqual([]);
  const chosen = await send(START + page, cookie, {
    form: [
      ['conditions.count', '1'],
      ['conditions[0].join', 'and'],
      ['conditions[0].by', 'name'],
      ['conditions[0].op', 'LIKE'],
      ['conditions[0].value', 'a'],
      ['form', 'grid-conditions'],
    ],
  });
  expect(problemsOf(chosen, { status: 303, to: `${page}?filter=` })).toEqual([]);
  for (const form of ['grid-columns', 'grid-conditions', 'grid-filter', 'grid-remove'])
    await send(START + page, cookie, {
      form: [
        ['form', form],
        ['do', 'tag'],
        ['id', world.clients.own.id],
        ['newTag', 'read only'],
      ],
    });
  const changed = unexpected(changedRows(before, await rows()));
  expect(changed.filter((row) => !row.startsWith('grid_columns: '))).toEqual([]);
  expect(changed).toHaveLength(1);
});

test('a cross-site form is refused for every person and changes nothing', async () => {
  const before = await rows();
  const own = world.clients.own.id;
  for (const person of PERSONS) {
    const cookie = cookies[person] || 'theme=none';
    for (const page of ['clients', 'documents/send', 'auth/logout', 'auth', `share/${world.links.good}`]) {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: portal.origin, 'sec-fetch-site': 'cross-site' },
        { origin: portal.origin, 'sec-fetch-site': 'same-site' },
      ]) {
        expect([
          person,
          page,
          headers,
          (await send(START + page, cookie, { form: [['client', own]], headers })).status,
        ]).toEqual([person, page, headers, 403]);
      }
    }
    expect(
      (
        await send('/api/security/v1/session', cookie, {
          headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
        })
      ).status,
    ).toBe(403);
    expect((await send(START, cookie, { headers: { host: 'evil.example' } })).status).toBe(421);
  }
  expect(unexpected(changedRows(before, await rows()))).toEqual([]);
});

test('a share page shows the state of its link to everybody who has it, and nothing about other shares', async () => {
  for (const person of PERSONS) {
    for (const [link, token] of Object.entries(world.links) as [LinkKey, string][]) {
      const answer = await send(`${START}share/${token}`, cookies[person]);
      const shown = [...canariesIn(answer)].filter(
        (mark) => mark.startsWith('CANARY-C') || mark === 'CANARY-GONE',
      );
      const mark =
        link === 'of the sibling'
          ? 'CANARY-C2'
          : link === 'of the other firm'
            ? 'CANARY-C4'
            : link === 'of a locked firm'
              ? 'CANARY-C6'
              : 'CANARY-C1';
      expect([person, link, answer.status, shown.filter((one) => one !== mark)]).toEqual([
        person,
        link,
        LINK_PAGES[link],
        [],
      ]);
      if (link === 'with a code' && person !== 'a link recipient')
        expect(answer.body).not.toMatch(/paper\.pdf|hello/);
      if (LINK_PAGES[link] !== 200) expect(answer.body).not.toMatch(/paper\.pdf|hello/);
      if (person !== 'a link recipient') expect(answer.body).not.toContain('/api/storage/v2/sharing/links/');
    }
    const unknown = await Promise.all(
      ['x'.repeat(43), 'short', '%27'].map((token) => send(`${START}share/${token}`, cookies[person])),
    );
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404]);
  }
});

test('responses of the front door itself are the same for everybody and name nobody', async () => {
  const expected: Record<keyof typeof FRONT_DOOR, readonly (readonly [address: string, status: number])[]> = {
    '/healthz': [['/healthz', 200]],
    '/readyz': [['/readyz', 200]],
    '/.well-known/': [
      ['/.well-known/apple-app-site-association', 404],
      ['/.well-known/assetlinks.json', 404],
      ['/.well-known/security.txt', 404],
      ['/.well-known/', 404],
    ],
    '/sw.js': [['/sw.js', 200]],
    '/m/': [
      ['/m/', 404],
      ['/m/00000000000000', 404],
    ],
    '/oidc/': [
      ['/oidc/.well-known/openid-configuration', 200],
      ['/oidc/jwks', 200],
      ['/oidc/me', 404],
      ['/oidc/token', 404],
      ['/oidc/session/end', 404],
      ['/oidc/interaction/x', 303],
      ['/oidc/auth?client_id=portal', 303],
    ],
    '/theme/': [
      ...Object.values(companies).map((company) => [`/theme/${company}/x/theme.css`, 200] as const),
      ...Object.values(companies).map((company) => [`/theme/${company}/x/logo`, 404] as const),
      ['/theme/firm_unknown/x/theme.css', 404],
      ['/theme/firm_unknown/x/logo', 404],
      ['/theme/..%2f..%2f/x/theme.css', 404],
    ],
    '/messages/': [
      ['/messages/uploader/pt/another-version.js', 200],
      ['/messages/uploader/xx/1.js', 404],
      ['/messages/unknown/pt/1.js', 404],
      ['/messages/', 404],
    ],
    '/api/': [['/api/nothing', 404]],
  };
  for (const address of Object.keys(FRONT_DOOR) as (keyof typeof FRONT_DOOR)[]) {
    for (const [place, status] of expected[address]) {
      const answers = await Promise.all(PERSONS.map(async (person) => send(place, cookies[person])));
      const plain = answers.map(({ headers: { 'set-cookie': _, location: __, ...headers }, ...answer }) =>
        JSON.stringify({ ...answer, headers }).replaceAll(/"error_description":"[^"]*"/g, ''),
      );
      expect([place, answers.map((answer) => [answer.status, ...canariesIn(answer)])]).toEqual([
        place,
        PERSONS.map(() => [status]),
      ]);
      expect([place, new Set(plain).size]).toEqual([place, 1]);
    }
  }
});

/** The portal's own addresses that a page links to, in one language. */
const linksIn = (body: string): string[] =>
  [...body.matchAll(/(?:href|src|action|hx-get|endpoint)="([^"]+)"/g)]
    .map(([, address = '']) => address.replaceAll('&amp;', '&').replaceAll('&#38;', '&'))
    .filter(
      (address) => address.startsWith(START) || address.startsWith('/api/') || address.startsWith('/theme/'),
    );

async function crawl(person: Person, cookie = cookies[person]): Promise<Map<string, Answer>> {
  const started =
    person === 'a link recipient'
      ? (['good', 'with a code', 'expired', 'revoked'] as const).map(
          (link) => `${START}share/${world.links[link]}`,
        )
      : [START, ...(world.things.client['own'] ? [`${START}clients`, `${START}documents`] : [])];
  const answers = new Map<string, Answer>();
  const waiting = [
    ...started,
    '/api/docs',
    '/api/openapi.json',
    '/api/security/v1/session',
    '/api/client-center/v1/clients/',
    `${START}partials/documents`,
  ];
  for (
    let address = waiting.shift();
    address !== undefined && answers.size < MAX_PAGES;
    address = waiting.shift()
  ) {
    if (answers.has(address)) continue;
    const answer = await send(address, cookie);
    answers.set(address, answer);
    waiting.push(
      // help articles have nobody's data, and would take the place of pages that have
      ...linksIn(answer.body).filter((link) => !link.startsWith(`${START}help/`)),
      ...(answer.headers['location']?.startsWith('/') ? [answer.headers['location']] : []),
    );
    waiting.push(
      ...[...answer.body.matchAll(/name="id" value="(doc_\w+)"/g)].map(
        ([, id]) => `${START}documents/send?id=${id}`,
      ),
    );
  }
  return answers;
}

test("following every link never shows other people's data and changes nothing", async () => {
  test.setTimeout(180_000); // several thousand pages
  const before = await rows();
  let pages = 0;
  for (const person of PERSONS) {
    const answers = await crawl(person);
    pages += answers.size;
    const leaks = [...answers].flatMap(([address, answer]) =>
      foreignCanaries(answer, person)
        .filter((mark) => !(mark === 'CANARY-GONE' && mayNameDeleted(address, person)))
        .map((mark) => `${address} shows ${mark} to ${person}`),
    );
    const met = new Set([...answers.values()].flatMap((answer) => [...canariesIn(answer)]));
    const missed = [...mayMeet(person)].filter(
      (mark) => !met.has(mark) && !['CANARY-C2', 'CANARY-C3', 'CANARY-C5'].includes(mark),
    );
    expect([leaks, missed, [...answers.values()].filter(({ status }) => status >= 500)]).toEqual([
      [],
      [],
      [],
    ]);
  }
  expect(unexpected(changedRows(before, await rows()))).toEqual([]);
  expect(pages).toBeGreaterThan(PERSONS.length * 10);
  // The log of this whole run, at debug level, must not contain a canary either.
  const log = portal.output();
  expect(log).toContain('"event":"request"');
  const secrets = [
    ...Object.values(world.links),
    ...PERSONS.flatMap((person) => cookies[person].split(/[=;. ]+/).filter((part) => part.length === 43)),
    'maple-7-secret',
  ];
  expect([log.match(/CANARY-\w+/g), secrets.filter((secret) => log.includes(secret)).length]).toEqual([
    null,
    0,
  ]);
});

/** The page pattern of an address; a fixed one before one with parameters. */
const patternOf = (address: string): string =>
  Object.keys(PAGES)
    .toSorted((one, other) => one.split('[').length - other.split('[').length)
    .find((pattern) =>
      new RegExp(
        `^${pattern
          .replace('[base]/[lang]', 'clientcenter/en-us')
          .replaceAll(/\[\.\.\.\w+\]/g, '.+')
          .replaceAll(/\[\w+\]/g, '[^/]+')}/?$`,
      ).test(address.split('?')[0] ?? ''),
    ) ?? address;

/** Where the forms and buttons of a page post to, but for the menus of tables, which are for everybody. */
const postsIn = (html: string, address: string): string[] =>
  [...html.replaceAll(MENU_FORMS, '').matchAll(/<(?:form|button)\b[^>]*\b(?:form)?method="post"[^>]*>/g)].map(
    ([tag]) => patternOf(/\b(?:form)?action="([^"]*)"/.exec(tag)?.[1] ?? address),
  );

test('read-only staff are shown no form that the server refuses, and a sentence instead', async () => {
  const answers = await crawl('read-only staff');
  const ids = {
    ...access.PLACEHOLDERS,
    id: world.things.contact['of the own contact']?.id ?? '',
    documentId: world.things['any document']['own']?.id ?? '',
    companyId: world.clients.own.id,
    clientId: world.clients.own.id,
    taskId: world.things.task['own']?.id ?? '',
    number: '1',
  };
  for (const pattern of Object.keys(PAGES)) {
    const address = fill(pattern, ids);
    if (!answers.has(address)) answers.set(address, await send(address, cookies['read-only staff']));
  }
  const refused = [...answers].flatMap(([address, answer]) =>
    postsIn(mainOf(answer), address)
      .filter((pattern) => !access.POSTED_BY_READERS.has(pattern.split('?', 1)[0] ?? ''))
      .map((pattern) => `${address} posts to ${pattern}`),
  );
  expect(
    refused,
    'Show these forms unless isReadOnly(actor). If a page changes only what its person keeps for themselves, it has forReadOnly: true in src/routes.ts, and is in `postedByReaders` of tests/features/<feature>/access.ts',
  ).toEqual([]);
  const document = world.things['any document']['own']?.id ?? '';
  for (const page of [
    'documents',
    `documents?folder=${world.things.project['own']?.id}`,
    `documents/rights?item=${world.things.project['own']?.id}`,
    'documents/trash',
    `documents/${document}/comments`,
    'shares',
  ])
    expect(mainOf(await send(START + page, cookies['read-only staff'])), page).toContain(
      'Your role is read-only',
    );
});

test('staff who impersonate a contact of two firms see nothing of the other firm on any page', async () => {
  const person = 'a contact of both firms';
  const answers = await crawl(person, viewing);
  const ids = {
    ...access.PLACEHOLDERS,
    id: 'x',
    documentId: 'doc_0',
    companyId: 'client_0',
    clientId: 'client_0',
    taskId: 'task_0',
    number: '9',
  };
  for (const pattern of Object.keys(PAGES))
    answers.set(pattern, await send(fill(pattern, { ...ids, token: 'x'.repeat(43) }), viewing));
  const foreign = [...answers].flatMap(([address, answer]) =>
    [...canariesIn(answer)]
      .filter((mark) => mark !== 'CANARY-GONE' && !mayMeet(person).has(mark))
      .map((mark) => `${address} shows ${mark}`),
  );
  expect(foreign).toEqual([]);
  expect(answers.get('/[base]/[lang]/account-switch')).toMatchObject({
    status: 200,
    body: expect.stringContaining('CANARY-F1'),
  });
});

test('in a demo the same people may open the same pages, and everybody the mailbox', async () => {
  await portal.kill();
  portal = await startPortal({ DEMO: '1', LOG_LEVEL: 'debug' }, folder);
  // the tests before this one may have taken longer than a recent sign-in is valid
  await portal.sql(`update sessions set authenticated_at = ${Date.now()}`);
  await expectPages(true);
  const [unknown, deleted] = await Promise.all(
    ['mail_unknown', world.things.mail['deleted']?.id ?? ''].map((id) => send(`${START}mailbox/${id}`, '')),
  );
  expect(unknown?.status).toBe(404);
  expect(
    withoutId(deleted ?? { status: 0, headers: {}, body: '' }, world.things.mail['deleted']?.id ?? ''),
  ).toBe(withoutId(unknown ?? { status: 0, headers: {}, body: '' }, 'mail_unknown'));
});
