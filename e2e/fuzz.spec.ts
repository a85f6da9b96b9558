import { readFileSync } from 'node:fs';
import { request } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { PAGES } from '../src/routes.ts';
import { wrongAnywhere } from '../tests/fuzz/contract.ts';
import { brokenRequests, pageRequests, type Drawn, type World } from '../tests/fuzz/http.ts';
import { hunt, share, timeFor } from '../tests/fuzz/hunt.ts';
import { answersIn, talk } from '../tests/fuzz/wire.ts';
import { startPortal, type Portal } from './support/portal.ts';
import { expect, test } from './support/test.ts';

/*
 * Fuzzes the built portal through a real socket: malformed HTTP, and every page with input nobody would type.
 * tests/fuzz does the same for the API. The tests of this file run in order on one portal.
 */

const PEOPLE = ['olivia@juniper.example', 'ana@padaria.example', 'hart@maplehart.example'];
const COLD = 5000; // ms for the first response of a page, while its code is loaded
const MEMORY = 50; // MB of growth allowed after the first half
const [pageShare, brokenShare] = [share(0.15 / Object.keys(PAGES).length, 5000), share(0.25, 5000)];

test.use({ baseURL: '' }); // starts its own portal

let portal: Portal;
let port: number;
let world: World;
let other: World;
let warm: number | undefined;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  portal = await startPortal({ LOG_LEVEL: 'warn' });
  port = Number(new URL(portal.origin).port);
  const common = { host: new URL(portal.origin).host, origin: portal.origin, pages: Object.keys(PAGES) };
  const cookies = await Promise.all(PEOPLE.map(cookieOf));
  const ids = await idsOf(cookies);
  world = { ...common, ids, sessions: ['', ...cookies] };
  other = { ...common, ids, sessions: ['', await cookieOf(PEOPLE[0] ?? '')] };
});
test.afterAll(() => portal.stop());

async function cookieOf(email: string): Promise<string> {
  const browser = await request.newContext({
    baseURL: portal.origin,
    extraHTTPHeaders: { Origin: portal.origin },
  });
  await browser.post('/clientcenter/en-us/auth', { form: { email, password: DEMO_PASSWORD } });
  const { cookies } = await browser.storageState();
  await browser.dispose();
  const sid = cookies.find(({ name }) => name === 'sid');
  if (!sid) throw new Error(`${email} was not signed in.`);
  return `sid=${sid.value}`;
}

/** Returns ids of clients and documents that these people can see. */
async function idsOf(sessions: string[]): Promise<string[]> {
  const read = async (cookie: string, path: string) => {
    const response = await fetch(portal.origin + path, { headers: { cookie } });
    return [...(await response.text()).matchAll(/"id":"([\w-]+)"/g)].map(([, id]) => id ?? '').slice(0, 5);
  };
  const perPerson = sessions.map(async (cookie) => {
    const clients = await read(cookie, '/api/client-center/v1/clients/');
    return [
      ...clients,
      ...(await read(cookie, `/api/storage/v1/containers/documents?clientId=${clients[0]}`)),
    ];
  });
  return (await Promise.all(perPerson)).flat();
}

async function trial(
  { exchange }: Drawn,
  seen: Map<number, number>,
  patience?: number,
): Promise<string | undefined> {
  const { bytes } = await talk(port, exchange, 1, patience);
  const { answers, trouble } = answersIn(bytes);
  for (const { status } of answers) seen.set(status, (seen.get(status) ?? 0) + 1);
  return trouble ?? answers.map(wrongAnywhere).find((wrong) => wrong !== undefined);
}

const print = ({ exchange }: Drawn): string =>
  `${exchange.end} after ${JSON.stringify(Buffer.concat(exchange.pieces).toString('latin1'))}`;

const alive = async (): Promise<string> => (await fetch(`${portal.origin}/healthz`)).text();

/** Returns the memory of the portal in MB; 0 on systems without /proc. */
function memory(): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${portal.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Returns the log lines about faults: an exception is one, a refused request is not. */
const faults = (): string[] =>
  portal
    .output()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line));

const line = (first: string, ...headers: string[]): string => `${[first, ...headers].join('\r\n')}\r\n\r\n`;
const host = () => `Host: ${world.host}`;
const post = 'POST /api/storage/v1/folders HTTP/1.1';
/**
 * Requests that are ambiguous, oversized, or name another host, and the expected status codes
 * (threat-model.md T78); undefined means closed without a response.
 */
const EXPECTED: [string, () => string, (number | undefined)[]][] = [
  [
    'two lengths that differ',
    () => `${line(post, host(), 'Content-Length: 5', 'Content-Length: 6')}hello!`,
    [400],
  ],
  [
    'the same length twice',
    () => `${line(post, host(), 'Content-Length: 5', 'Content-Length: 5')}hello`,
    [400],
  ],
  ['two lengths in one line', () => `${line(post, host(), 'Content-Length: 5, 5')}hello`, [400]],
  ['a negative length', () => line(post, host(), 'Content-Length: -1'), [400]],
  ['a length with a sign', () => `${line(post, host(), 'Content-Length: +5')}hello`, [400]],
  ['a length beyond 64 bits', () => line(post, host(), 'Content-Length: 99999999999999999999'), [400]],
  [
    'a length and chunks',
    () => `${line(post, host(), 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    [400],
  ],
  [
    'chunks and a length',
    () => `${line(post, host(), 'Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`,
    [400],
  ],
  [
    'chunked, then something else',
    () => `${line(post, host(), 'Transfer-Encoding: chunked, identity')}0\r\n\r\n`,
    [400],
  ],
  [
    'chunked twice over',
    () => `${line(post, host(), 'Transfer-Encoding: chunked', 'Transfer-Encoding: x')}0\r\n\r\n`,
    [400],
  ],
  ['a space before the colon', () => `${line(post, host(), 'Transfer-Encoding : chunked')}0\r\n\r\n`, [400]],
  [
    'a length of a chunk that is no number',
    () => `${line(post, host(), 'Transfer-Encoding: chunked')}x\r\n`,
    [400],
  ],
  [
    'a length of a chunk beyond 64 bits',
    () => `${line(post, host(), 'Transfer-Encoding: chunked')}fffffffffffffffff\r\nx`,
    [400],
  ],
  [
    'a chunk that is longer than told',
    () => `${line(post, host(), 'Transfer-Encoding: chunked')}1\r\nhello\r\n0\r\n\r\n`,
    [400],
  ],
  ['a head with bare line feeds', () => `GET / HTTP/1.1\n${host()}\n\n`, [400]],
  ['a header with a bare carriage return', () => line('GET / HTTP/1.1', host(), 'X: a\rY: b'), [400]],
  ['a header with NUL', () => line('GET / HTTP/1.1', host(), 'X: \0'), [400]],
  ['a folded header', () => line('GET / HTTP/1.1', host(), 'X: a', ' b'), [400, 302]],
  ['a header without a name', () => line('GET / HTTP/1.1', host(), ': a'), [400]],
  ['a head of 20 kB', () => line('GET / HTTP/1.1', host(), `X: ${'a'.repeat(20_000)}`), [431]],
  ['an address of 20 kB', () => line(`GET /${'a'.repeat(20_000)} HTTP/1.1`, host()), [431]],
  ['an address of 9 kB', () => line(`GET /${'a'.repeat(9000)} HTTP/1.1`, host()), [414]],
  ['NUL in the address', () => line('GET /\0 HTTP/1.1', host()), [400]],
  ['a method that nobody knows', () => line('BREW / HTTP/1.1', host()), [400]],
  ['CONNECT', () => line('CONNECT evil.example:443 HTTP/1.1', host()), [undefined, 400, 404, 405]],
  ['HTTP/0.9', () => 'GET /\r\n\r\n', [400, 421]],
  ['HTTP/2 in the clear', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, undefined]],
  ['no host', () => line('GET /clientcenter/en-us/auth HTTP/1.1'), [400, 421]],
  ['no host, HTTP/1.0', () => line('GET /clientcenter/en-us/auth HTTP/1.0'), [421]],
  ['two hosts', () => line('GET /clientcenter/en-us/auth HTTP/1.1', host(), 'Host: evil.example'), [400]],
  [
    'two hosts, the other first',
    () => line('GET /clientcenter/en-us/auth HTTP/1.1', 'Host: evil.example', host()),
    [400, 421],
  ],
  ['another host', () => line('GET /clientcenter/en-us/auth HTTP/1.1', 'Host: evil.example'), [421]],
  [
    'ours with a name before it',
    () => line('GET /clientcenter/en-us/auth HTTP/1.1', `Host: evil@${world.host}`),
    [400, 421],
  ],
  [
    'ours with a path after it',
    () => line('GET /clientcenter/en-us/auth HTTP/1.1', `${host()}/x`),
    [400, 421],
  ],
  ['ours, another port', () => line('GET /clientcenter/en-us/auth HTTP/1.1', 'Host: 127.0.0.1:1'), [421]],
  [
    'another host that a proxy would name',
    () =>
      line('GET /clientcenter/en-us/auth HTTP/1.1', 'Host: evil.example', `X-Forwarded-Host: ${world.host}`),
    [421],
  ],
  [
    'another host in the address',
    () => line('GET http://evil.example/clientcenter/en-us/auth HTTP/1.1', host()),
    [400],
  ],
  [
    'TRACE, which would repeat cookies',
    () => line('TRACE /clientcenter/en-us/auth HTTP/1.1', host(), `Origin: ${portal.origin}`),
    [400],
  ],
  [
    'a form without a word of where it comes from',
    () =>
      `${line('POST /clientcenter/en-us/auth/logout HTTP/1.1', host(), 'Cookie: sid=x', 'Content-Length: 0')}`,
    [403],
  ],
  ['a path out of the folder', () => line('GET /_astro/..%2f..%2f..%2fpackage.json HTTP/1.1', host()), [404]],
  ['dots out of the folder', () => line('GET /../../package.json HTTP/1.1', host()), [404]],
  ['a broken escape', () => line('GET /clientcenter/en-us/%zz HTTP/1.1', host()), [400, 404]],
  [
    'an overlong slash',
    () => line('GET /_astro/%c0%ae%c0%ae%c0%afpackage.json HTTP/1.1', host()),
    [400, 404],
  ],
];

test('each malformed request is refused with the expected status and answered once', async () => {
  test.setTimeout(60_000);
  const wrong: string[] = [];
  for (const [name, bytes, statuses] of EXPECTED) {
    const { bytes: heard } = await talk(port, {
      pieces: [Buffer.from(bytes(), 'latin1')],
      end: 'wait',
      isWhole: true,
    });
    const { answers, trouble } = answersIn(heard);
    if (heard.includes('evil.example')) wrong.push(`${name}: it repeats another host`);
    if (trouble !== undefined || answers.length > 1 || !statuses.includes(answers[0]?.status))
      wrong.push(
        `${name}: ${trouble ?? (answers.map(({ status }) => status).join(' and ') || 'nothing')}, not ${statuses.join(' or ')}`,
      );
  }
  expect(wrong).toEqual([]);
});

test('several requests in one packet are answered in order', async () => {
  const three = ['/healthz', '/nowhere', '/readyz']
    .map((path) => line(`GET ${path} HTTP/1.1`, host()))
    .join('');
  const { answers, whole } = answersIn(
    (await talk(port, { pieces: [Buffer.from(three)], end: 'wait' }, 3, 5000)).bytes,
  );
  expect(whole).toBe(3);
  expect([answers[0]?.body, answers[1]?.status, answers[2]?.body]).toEqual(['ok\n', 404, 'ready\n']);
});

test('an Expect: 100-continue response is not interleaved with that of a pipelined request', async () => {
  const two =
    line('GET /readyz HTTP/1.1', host()) +
    line('GET /api/security/v1/session HTTP/1.1', host(), 'Expect: 100-continue');
  const { answers, whole, trouble } = answersIn(
    (await talk(port, { pieces: [Buffer.from(two)], end: 'wait' }, 2, 5000)).bytes,
  );
  expect([trouble, whole, answers.filter(({ status }) => status >= 200).map(({ status }) => status)]).toEqual(
    [undefined, 2, [200, 401]],
  );
  expect(answers.at(-1)?.body).toContain('UNAUTHENTICATED');
});

test('a client behind an untrusted proxy cannot evade the rate limit', async () => {
  const statuses: string[] = [];
  for (let i = 0; i < 11; i += 1) {
    const body = 'email=nobody%40one.example&password=wrong';
    const { bytes } = await talk(
      port,
      {
        pieces: [
          Buffer.from(
            `${line('POST /clientcenter/en-us/auth HTTP/1.1', host(), `Origin: ${portal.origin}`, `X-Forwarded-For: 198.51.100.${i}`, `Forwarded: for=198.51.100.${i}`, 'Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`)}${body}`,
          ),
        ],
        end: 'wait',
      },
      1,
      10_000,
    );
    statuses.push(answersIn(bytes).answers[0]?.body.includes('Too many attempts') ? 'refused' : 'tried');
  }
  expect(statuses).toEqual([...new Array<string>(10).fill('tried'), 'refused']);
});

for (const page of Object.keys(PAGES)) {
  test(`fuzzing the page ${page} causes no fault`, async () => {
    test.setTimeout(timeFor(pageShare));
    const seen = new Map<number, number>();
    const signsOut = page.endsWith('/logout');
    await hunt({
      name: `page ${page}`,
      requests: pageShare,
      arbitrary: pageRequests(signsOut ? other : world, page),
      print,
      trial: (drawn) => trial(drawn, seen, COLD),
      atOnce: 4,
    });
    expect(
      [...seen.values()].reduce((sum, count) => sum + count, 0),
      'nearly every request is answered',
    ).toBeGreaterThan(pageShare * 0.9);
    expect(faults()).toEqual([]);
  });
}

test('existing sessions are still valid after fuzzing all pages', async () => {
  warm = memory();
  for (const cookie of world.sessions.filter(Boolean))
    expect((await fetch(`${portal.origin}/api/security/v1/session`, { headers: { cookie } })).status).toBe(
      200,
    );
});

test('fuzzing with malformed HTTP causes no fault', async () => {
  test.setTimeout(timeFor(brokenShare));
  const seen = new Map<number, number>();
  await hunt({
    name: 'broken requests',
    requests: brokenShare,
    arbitrary: brokenRequests(other),
    print,
    trial: (drawn) => trial(drawn, seen),
    atOnce: 32,
  });
  expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 303, 400, 403, 404, 421]));
  expect(faults()).toEqual([]);
});

test('after fuzzing the portal is still the same process, with no fault in its log and its memory back to normal', async () => {
  test.setTimeout(60_000);
  expect(await alive()).toBe('ok\n');
  expect(() => process.kill(portal.pid, 0)).not.toThrow();
  expect(faults()).toEqual([]);
  await expect
    .poll(memory, {
      timeout: 30_000,
      message: `memory in MB, ${Math.round(warm ?? 0)} before the broken requests`,
    })
    .toBeLessThanOrEqual((warm ?? memory()) + MEMORY);
});
