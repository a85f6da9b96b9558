import { beforeAll, describe, expect, test } from 'vitest';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { db } from '#platform/database/database.server.ts';
import { API_ROUTES } from '../../src/api.server.ts';
import { uploadAs } from '../support/cast.ts';
import { ask, canariesIn, difference, rowsWithout, sessionIdOf, type Answer } from './requests.ts';
import { ACCESS, addressOf, fixturesFor, ruleOf } from './features.ts';
import { firmsOf, mayMeet, PERSONS, type Person, type Rule } from './policy.ts';
import { nameOf } from './request-fixtures.ts';
import { strangersIn } from './assertions.ts';
import type { Kind } from './things.ts';
import { CODE, idsOf, makeWorld } from './world.ts';

/*
 * Every person crawls everything reachable and must not meet other people's texts: in responses, headers,
 * archives and mails (threat-model.md 5.4, T04, T26). e2e/authz.spec.ts does the same for pages and the log.
 */

const READS = API_ROUTES.filter(({ method, who }) => method === 'get' && who !== 'demo');
const MAX_ROUNDS = 5;
/** Tables that reads may change, and why. All others must stay unchanged (threat-model.md T26). */
const CHANGED_BY_READING: Record<string, string> = {
  receipts: 'what is downloaded leaves a receipt',
  document_reads: 'a contact who downloads a document has read it',
  share_recipients: 'a download of a link is counted',
  limits: 'how much somebody downloads is counted',
  inbox_items: 'what staff have fetched leaves their inbox',
  inbox_targets: 'the same',
  mails: 'a download from a link shows that its mail was of use',
  mail_targets: 'the same',
  notifications: 'a contact who has read a document was told of it',
  notification_targets: 'the same',
};

const world = await makeWorld();
const KINDS_OF_FEATURES = Object.values(ACCESS).flatMap(
  ({ things }) => Object.entries(things?.kinds ?? {}) as [Kind, string | undefined][],
);

/** The ids in a text, by kind; which of them work in other calls is found by trying. */
function idsIn(text: string): Record<Kind, string[]> {
  const named = (prefix: string): string[] => [
    ...new Set(text.match(new RegExp(`\\b${prefix}_[0-9a-f]{32}\\b`, 'g'))),
  ];
  const [client, project, folder, documents] = [
    named('client'),
    named('project'),
    named('folder'),
    named('doc'),
  ];
  return {
    client,
    project,
    folder,
    'any container': [...client, ...project, ...folder],
    'any document': documents,
    'document in client': documents,
    'document in project': documents,
    'document in folder': documents,
    'linked document': documents,
    link: Object.values(world.links),
    mail: named('mail'),
    firm: named('firm'),
    company: named('firm'),
    contact: named('contact'),
    user: named('user'),
    invitation: named('invitation'),
    export: Object.values(world.things.export).flatMap(({ id, state }) => (state === 'live' ? [id] : [])),
    upload: named('upload'),
    share: named('share'),
    'sent share': named('share'),
    recipient: named('recipient'),
    ...Object.fromEntries(
      KINDS_OF_FEATURES.map(([kind, prefix]) => [
        kind,
        // without a prefix, only pages show them
        prefix === undefined ? Object.values(world.things[kind]).map(({ id }) => id) : named(prefix),
      ]),
    ),
  } as Record<Kind, string[]>;
}

/** Calls every read with every id found so far, until there are no new ones. */
async function crawl(person: Person, cookie: string): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (let round = 0, asked = -1; round < MAX_ROUNDS && asked !== answers.size; round += 1) {
    asked = answers.size;
    const known = idsIn(
      [...answers.values()].map(({ body }) => body).join('\n') +
        (person === 'a link recipient' ? JSON.stringify(world.clients.own.papers) : ''),
    );
    for (const route of READS) {
      for (const { ids, send } of fixturesFor(route)) {
        const combined = Object.entries(ids).reduce<Record<string, string>[]>(
          (sofar, [name, kind]) => sofar.flatMap((one) => known[kind].map((id) => ({ ...one, [name]: id }))),
          [{}],
        );
        for (const one of combined) {
          const address = addressOf(route, one, send?.(one).query);
          if (!answers.has(address)) answers.set(address, await ask('get', address, cookie));
        }
      }
    }
  }
  return answers;
}

/** Whether a person sees deleted documents in the trash. */
const seesDeleted = (person: Person): boolean =>
  ruleOf('get /api/storage/v1/documents/trash').showsDeleted?.includes(person) ?? false;

/** Whether a URL without its query matches a route. */
const isOf = (route: (typeof READS)[number], address: string): boolean =>
  new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address.split('?')[0] ?? '');

function ruleAt(address: string): Rule {
  const route = READS.find((one) => isOf(one, address));
  return ruleOf(route ? nameOf(route) : address);
}

const found = new Map<Person, Map<string, Answer>>();
const changed = new Map<Person, string[]>();

beforeAll(async () => {
  for (const person of PERSONS) {
    // the first request removes an expired session, before counting starts
    const cookie = await world.cookieOf(person);
    await ask('get', '/api/docs', cookie);
    const before = await rowsWithout(sessionIdOf(cookie));
    found.set(person, await crawl(person, cookie));
    changed.set(
      person,
      difference(before, await rowsWithout(sessionIdOf(cookie))).map(({ table, row }) => `${table}: ${row}`),
    );
  }
}, 120_000); // a shared machine is slow at times

describe.each(PERSONS)('%s, crawling everything they can find', (person) => {
  const answers = () => found.get(person) ?? new Map<string, Answer>();

  test(`${person} finds no text of other people in any response`, () => {
    const leaks = [...answers()].flatMap(([address, answer]) =>
      strangersIn(answer, ruleAt(address), person).map((mark) => `${address} shows ${mark}`),
    );
    expect(leaks).toEqual([]);
  });

  test(`${person} finds all of their own data, so the crawl is complete`, () => {
    const met = new Set([...answers().values()].flatMap((answer) => [...canariesIn(answer)]));
    // the API shows only the documents of a share
    const isNamedIn = (mark: string): boolean => person !== 'a link recipient' || mark !== 'CANARY-F1';
    expect([...met].toSorted()).toEqual(
      [...mayMeet(person).union(firmsOf(person)), ...(seesDeleted(person) ? ['CANARY-GONE'] : [])]
        .filter(isNamedIn)
        .toSorted(),
    );
  });

  test(`${person} changes nothing by reading`, () => {
    const others = (changed.get(person) ?? []).filter(
      (row) =>
        !Object.keys(CHANGED_BY_READING).includes(row.split(':', 1)[0] ?? '') && !/^sessions/.test(row),
    );
    expect(others).toEqual([]);
  });
});

test('staff viewing as a contact of two firms find nothing of the other firm in any response', async () => {
  const person = 'a contact of both firms';
  const answers = await crawl(person, await world.viewingCookie());
  const strangers = [...answers].flatMap(([address, answer]) =>
    [...canariesIn(answer)]
      .filter((mark) => !mayMeet(person).has(mark))
      .map((mark) => `${address} shows ${mark}`),
  );
  expect(strangers).toEqual([]);
  const accounts = answers.get('/api/security/v1/accounts?active=true')?.body ?? '{}';
  expect(JSON.parse(accounts)).toMatchObject({
    accounts: [{ companyId: world.actors[person]?.companyId, current: true }],
  });
});

test('the archive of a link contains the documents of its share, and no other name or byte', () => {
  const zip = [...(found.get('a link recipient') ?? [])].find(
    ([address, { status }]) => address.endsWith('.zip') && status === 200,
  )?.[1];
  const names = new Set(zip?.body.match(/CANARY-\w\d [\w ]+\.pdf/g));
  expect([...names].toSorted()).toEqual(['CANARY-C1 Folder paper.pdf', 'CANARY-C1 Project paper.pdf']);
});

test('a mail shows its recipient the share and its sender, and nobody else', () => {
  const allowed = (sender: string): readonly string[] =>
    sender.includes('F2')
      ? ['CANARY-F2', 'CANARY-C4']
      : sender.includes('C2')
        ? ['CANARY-F1', 'CANARY-C2']
        : sender.includes('F3')
          ? ['CANARY-F3', 'CANARY-C6']
          : ['CANARY-F1', 'CANARY-C1'];
  // CANARY-GONE: a document that was there when the mail left.
  for (const { mail, raw } of world.letters) {
    const text = [mail.subject, mail.text, mail.html, JSON.stringify(mail.headers)].join(' ');
    expect(
      [...canariesIn(text)].filter(
        (mark) => mark !== 'CANARY-GONE' && !allowed(JSON.stringify(mail.replyTo)).includes(mark),
      ),
    ).toEqual([]);
    expect([raw.includes(CODE), text.includes(CODE)], 'the code never travels with the link').toEqual([
      false,
      false,
    ]);
  }
  expect(world.letters.length).toBeGreaterThanOrEqual(11);
});

test('no response to one firm or client changes when another has twice as much data', async () => {
  const people = ['the own contact', 'a link recipient', 'a contact whose client was taken away'] as const;
  const steady = (answers: Map<string, Answer>): string[] =>
    [...answers].map(
      ([address, { status, body }]) =>
        `${address} ${status} ${body.replaceAll(/"(?:SessionExpiresDateTime|lastSeenAt)":"[^"]*"|"downloads":\d+/g, '')}`,
    );
  const cookies = new Map(
    await Promise.all(people.map(async (person) => [person, await world.cookieOf(person)] as const)),
  );
  const before = new Map(
    await Promise.all(
      [...cookies].map(async ([person, cookie]) => [person, steady(await crawl(person, cookie))] as const),
    ),
  );
  for (const [person, key, mark] of [
    ['a contact of the other firm', 'other firm', 'CANARY-C4'],
    ['a sibling contact', 'sibling', 'CANARY-C2'],
  ] as const) {
    const actor = world.actors[person];
    if (!actor) throw new Error(`${person} must be able to act`);
    const { places } = world.clients[key];
    await createFolder(actor, { name: 'CANARY-C1 letters', parentId: places.Project, parentType: 'Project' });
    for (const type of ['Client', 'Project', 'Folder'] as const)
      await uploadAs(actor, { id: places[type], containerType: type }, `CANARY-C1 ${type} paper.pdf`, mark);
    const paper = world.clients[key].papers.Project;
    await db().deleteFrom('limits').execute();
    await shareDocuments(
      actor,
      {
        expirationPeriod: 'AfterOneDay',
        overrides: { subject: mark, body: '' },
        recipients: [{ emailAddress: 'ada@out.example' }],
        sharedItems: [{ containerType: 'Project', containerId: paper.parent.id, documentId: paper.id }],
      },
      'en-us',
    );
  }
  for (const [person, cookie] of cookies)
    expect(steady(await crawl(person, cookie))).toEqual(before.get(person));
  const [exists] = API_ROUTES.filter(({ path }) => path.endsWith('projects/{id}/documents/exists'));
  const answer = await ask(
    'post',
    exists ? addressOf(exists, idsOf({ id: { id: world.clients.own.places.Project, state: 'live' } })) : '',
    await world.cookieOf('the own contact'),
    { json: ['CANARY-C4 Project paper.pdf', 'CANARY-C1 Client paper.pdf'] },
  );
  expect(answer.body, 'names are asked for in one container').toBe(
    '{"data":[{"exists":false},{"exists":false}]}',
  );
});

test('every read call of the route table was crawled', () => {
  const seen = [...found.values()].flatMap((answers) => [...answers.keys()]);
  for (const route of READS)
    expect(
      seen.some((address) => isOf(route, address)),
      `${nameOf(route)} (${ruleOf(nameOf(route)).who}) is reached by nobody`,
    ).toBe(true);
});
