import { EventEmitter, once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Actor, Session } from '#features/base/people/people.ts';
import { endSession, findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { addToInbox } from '#features/office/inbox/items.server.ts';
import {
  endStreams,
  MAX_OF_PERSON,
  MAX_OF_SESSION,
  MAX_OPENED_A_MINUTE,
  openStream,
  openStreams,
  startStreams,
  tick,
} from '#features/office/live/streams.server.ts';
import { addNotifications } from '#features/office/notifications/rows.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { MINUTE, moveClock, now, SECOND } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId, newToken } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { BROWSER, lockFirm, makeCast } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* Streams of counts, as a browser reads them. Its requests name their cookie in the path. */

const { ada, ben, sam, tom, firmOne, clientA, clientB } = await makeCast();

const server = http.createServer((request, response) => {
  const token = request.url?.slice(1) ?? '';
  void findSession(token, { inBackground: true }).then((session) =>
    session ? openStream(response, session, token) : void response.writeHead(401).end(),
  );
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  startStreams();
});
afterAll(async () => {
  await endStreams();
  server.close();
});

const open: http.ClientRequest[] = [];
afterEach(async () => {
  for (const request of open.splice(0)) request.destroy();
  await expect.poll(openStreams).toBe(0);
});

interface Heard {
  status: number;
  type: string;
  /** What was sent, as far as it has come. */
  text: () => string;
  counts: () => { unread: number; v: string }[];
  unread: () => number | undefined;
  hasEnded: () => boolean;
}

async function follow(token: string): Promise<Heard> {
  const { port } = server.address() as AddressInfo;
  const request = http.get({ port, host: '127.0.0.1', path: `/${token}`, agent: false });
  open.push(request);
  request.on('error', () => undefined); // left
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  let hasEnded = false;
  response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  response.on('error', () => undefined);
  response.on('end', () => (hasEnded = true));
  const counts = () =>
    [...text.matchAll(/^event: counts\ndata: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { unread: number; v: string },
    );
  return {
    status: response.statusCode ?? 0,
    type: String(response.headers['content-type']),
    text: () => text,
    counts,
    unread: () => counts().at(-1)?.unread,
    hasEnded: () => hasEnded,
  };
}

const signIn = (actor: Actor): Promise<string> => startSession(actor, BROWSER);

const comment = (actor: Actor, clientId: string): Promise<void> =>
  addNotifications('comment', {
    companyId: actor.companyId,
    clientId,
    contactIds: [actor.contactId],
    key: newId('doc'),
    things: [{ target: newId('doc'), name: 'Balance sheet' }],
  });

test('a page is told how much is unread, and again as soon as that has changed, but not what', async () => {
  const heard = await follow(await signIn(ada));
  expect([heard.status, heard.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await expect.poll(heard.unread).toBe(0);
  await comment(ada, clientA);
  await expect.poll(heard.unread).toBe(1);
  await comment(ada, clientA);
  await expect.poll(heard.unread).toBe(2);
  expect(heard.text()).not.toContain('Balance');
  expect(heard.counts().every((told) => Object.keys(told).join(' ') === 'unread v')).toBe(true);
});

test('what was rolled back is told to nobody, and others hear nothing of a person', async () => {
  const [adas, bens] = [await follow(await signIn(ada)), await follow(await signIn(ben))];
  await expect.poll(() => [adas.counts().length, bens.counts().length]).toEqual([1, 1]);
  const before = adas.unread();
  await expect(
    inTransaction(async () => {
      await comment(ada, clientA);
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  await comment(ben, clientB);
  await expect.poll(bens.unread).toBe(1);
  expect(adas.counts()).toHaveLength(1);
  expect(adas.unread()).toBe(before);
});

test('all staff of a firm are told that its inbox has changed, and nobody of another firm', async () => {
  const [sams, toms, adas] = [
    await follow(await signIn(sam)),
    await follow(await signIn(tom)),
    await follow(await signIn(ada)),
  ];
  await expect.poll(() => [sams, toms, adas].map((one) => one.counts().length)).toEqual([1, 1, 1]);
  await addToInbox({
    companyId: firmOne,
    clientId: clientA,
    kind: 'comment',
    key: 'doc:live',
    target: 'comment_live',
    name: 'Balance sheet',
  });
  await expect.poll(() => sams.counts().length).toBe(2);
  expect(sams.counts()[0]?.v).not.toBe(sams.counts()[1]?.v);
  expect([toms, adas].map((one) => one.counts().length)).toEqual([1, 1]);
});

test('with the session its streams end at once; they do not come back by themselves', async () => {
  const [ending, staying] = [await signIn(ada), await signIn(ada)];
  const [gone, other] = [await follow(ending), await follow(staying)];
  await expect.poll(() => [gone.counts().length, other.counts().length]).toEqual([1, 1]);
  await endSession((await findSession(ending))?.id ?? '');
  await tick();
  await expect.poll(gone.hasEnded).toBe(true);
  expect(gone.text()).toContain('event: bye\n');
  expect(other.hasEnded()).toBe(false);
});

test('a minute later a person who may not use the portal any more is told nothing', async () => {
  const heard = await follow(await signIn(ben));
  await expect.poll(() => heard.counts().length).toBe(1);
  await lockFirm(firmOne, true);
  moveClock(MINUTE);
  await tick();
  await lockFirm(firmOne, false);
  await expect.poll(heard.hasEnded).toBe(true);
  expect(heard.text()).toContain('event: bye\n');
});

test('a change of which the hint was lost is told within half a minute', async () => {
  const heard = await follow(await signIn(ada));
  await expect.poll(() => heard.counts().length).toBe(1);
  // as another node writes it
  await db()
    .insertInto('attention')
    .values({ subject: ada.contactId, version: 'lost', changed_at: 0 })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ version: 'lost' }))
    .execute();
  moveClock(31 * SECOND);
  await tick();
  await expect.poll(() => heard.counts().at(-1)?.v).toBe('lost');
});

test('a stream says its counts every 20 seconds, and ends after 15 minutes for the browser to come back', async () => {
  const heard = await follow(await signIn(ada));
  await expect.poll(() => heard.counts().length).toBe(1);
  moveClock(20 * SECOND);
  await tick();
  await expect.poll(() => heard.counts().length).toBe(2);
  expect(heard.counts()[1]).toEqual(heard.counts()[0]);
  for (let minute = 0; minute < 15; minute += 1) {
    moveClock(MINUTE);
    await tick();
  }
  await expect.poll(heard.hasEnded).toBe(true);
  expect(heard.text()).toMatch(/retry: [2-8]\d{3}\n\n$/);
  expect(heard.text()).not.toContain('bye');
});

describe('limits', () => {
  const statuses = async (tokens: readonly string[]): Promise<number[]> => {
    const all: number[] = [];
    for (const token of tokens) all.push((await follow(token)).status);
    return all;
  };

  test('a session has two streams, and a person five; the next are refused, and nobody else is', async () => {
    moveClock(MINUTE);
    const tokens = await Promise.all([ada, ada, ada].map(signIn));
    const each = tokens.flatMap((token) => [token, token]);
    expect(MAX_OF_SESSION).toBe(2);
    expect(await statuses([tokens[0] ?? '', ...each])).toEqual([200, 200, 204, 200, 200, 200, 204]);
    expect(openStreams()).toBe(MAX_OF_PERSON);
    expect(await statuses([await signIn(ben)])).toEqual([200]);
  });

  test('who opens a stream for each page they leave again is refused for the rest of the minute', async () => {
    moveClock(MINUTE);
    const token = await signIn(ada);
    for (let times = 0; times < MAX_OPENED_A_MINUTE; times += 1) {
      expect((await follow(token)).status).toBe(200);
      open.pop()?.destroy();
      await expect.poll(openStreams).toBe(0);
    }
    expect((await follow(token)).status).toBe(204);
    moveClock(MINUTE);
    expect((await follow(token)).status).toBe(200);
  });

  test('a node has as many as it is configured for, and a program has none', async () => {
    moveClock(MINUTE);
    const { liveStreams } = config;
    config.liveStreams = 1;
    expect(await statuses([await signIn(ada), await signIn(ben)])).toEqual([200, 204]);
    config.liveStreams = liveStreams;
    const program = stub();
    await openStream(program.response, sessionAs(ada, { byToken: 'token_1' }), undefined);
    expect(program.status()).toBe(204);
    const viewer = stub();
    await openStream(viewer.response, impersonating(ada, sam), newToken());
    expect(viewer.status(), 'nor has who views as somebody').toBe(204);
  });
});

/** The response of a browser that is not there. */
function stub() {
  let [status, text] = [0, ''];
  const response = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writeHead: (code: number): unknown => {
      status = code;
      return response;
    },
    write: (some: string) => (text += some) !== '',
    end: (some = ''): void => {
      text += some;
      response.emit('close');
    },
  });
  return {
    response: response as unknown as ServerResponse,
    status: () => status,
    text: () => text,
  };
}

/** Sessions with these ids: streams without one are ended within a second. */
async function haveSessions(ids: readonly string[]): Promise<void> {
  const instant = now();
  for (const some of inBatches(ids))
    await db()
      .insertInto('sessions')
      .values(
        some.map((id) => ({
          session_hash: id,
          prism_guid: ada.prismGuid,
          contact_id: ada.contactId,
          company_id: firmOne,
          amr: '[]',
          device: encryptFor('sessions.device', id, '{}'),
          created_at: instant,
          last_seen_at: instant,
          authenticated_at: instant,
          first_hash: null,
        })),
      )
      .execute();
}

const RETRY = /retry: (\d+)\n\n$/;

test('when a node stops, the browsers of 1,000 streams come back one after the other, at most 100 in a second', async () => {
  const { liveStreams } = config;
  config.liveStreams = 1000;
  const all = Array.from({ length: 1000 }, stub);
  const somebody = (place: number): Session =>
    sessionAs({ ...ada, contactId: `contact_${place}` }, { id: `session ${place}` });
  await haveSessions(all.map((_, place) => `session ${place}`));
  await Promise.all(all.map((one, place) => openStream(one.response, somebody(place), newToken())));
  expect(openStreams()).toBe(1000);
  await endStreams();
  config.liveStreams = liveStreams;
  expect(openStreams()).toBe(0);
  const times = all.map((one) => Number(RETRY.exec(one.text())?.[1]));
  const bySecond = Map.groupBy(times, (time) => Math.floor(time / 1000));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...[...bySecond.values()].map((some) => some.length))).toBeLessThanOrEqual(100);

  const late = stub();
  await openStream(late.response, somebody(0), newToken());
  expect(late.text(), 'who comes while it stops comes back, too').toMatch(RETRY);
  startStreams();
});

test('a stream that is opened while the sessions of others are looked up stays open', async () => {
  moveClock(MINUTE);
  const [early, late] = [stub(), stub()];
  const sessionOf = (id: string): Session => sessionAs({ ...ada, contactId: id }, { id });
  await haveSessions(['session early', 'session late']);
  await openStream(early.response, sessionOf('session early'), newToken());
  const looking = tick();
  await Promise.all([looking, openStream(late.response, sessionOf('session late'), newToken())]);
  expect(late.text()).not.toContain('event: bye');
  for (const { response } of [early, late]) response.end();
  expect(openStreams()).toBe(0);
});

test('an idle stream takes less than 40 kB, that of its browser in the same process included', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /** The minimum of several readings: garbage of other tests is freed gradually. */
  const used = async (): Promise<number> => {
    let least = Infinity;
    for (let times = 0; times < 5; times += 1) {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      least = Math.min(least, heapUsed + external);
      await turn();
    }
    return least;
  };
  moveClock(MINUTE);
  const { liveStreams } = config;
  config.liveStreams = 1000;
  const COUNT = 200;
  /** Opened before measuring, for what is compiled and cached with the first streams. */
  const WARM_UP = 50;
  const place = server.address() as AddressInfo;
  const many = http.createServer((request, response) => {
    const id = request.url ?? '';
    void openStream(response, sessionAs({ ...ada, contactId: `contact${id}` }, { id }), newToken());
  });
  await once(many.listen(0, place.address), 'listening');
  const { port } = many.address() as AddressInfo;
  await haveSessions(Array.from({ length: WARM_UP + COUNT }, (_, at) => `/${at}`));
  let before = 0;
  for (let at = 0; at < WARM_UP + COUNT; at += 1) {
    if (at === WARM_UP) before = await used();
    const request = http.get({ port, host: place.address, path: `/${at}`, agent: false });
    open.push(request);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.on('error', () => undefined).resume();
    request.on('error', () => undefined);
  }
  expect(openStreams()).toBe(WARM_UP + COUNT);
  expect(((await used()) - before) / COUNT).toBeLessThan(40_000);
  config.liveStreams = liveStreams;
  for (const request of open.splice(0)) request.destroy();
  many.close();
});
