import { beforeEach, expect, test } from 'vitest';
import { db } from '#platform/database/database.server.ts';
import { watchLog } from '#platform/monitoring/log.server.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';

/* Uncaught errors of pages, as the browser reports them (src/ui/page-errors.ts; threat-model.md T76). */

const { ada, sam } = await makeCast();
const lines: { event: string; [field: string]: unknown }[] = [];
watchLog((level, line) => {
  if (line.event === 'page.error') lines.push({ level, ...line });
});
beforeEach(async () => {
  lines.length = 0;
  await db().deleteFrom('limits').execute();
});

const STACK = ['/_astro/kit.B2x_9-aQ.js:1:204', '/_astro/Uploader.Zz81.js:3:17'];
const entry = {
  specversion: '1.0',
  type: 'exception',
  source: '/clientcenter/en-us/documents/*/view',
  id: 'a1b2c-d3e4f',
  time: '2026-11-26T01:00:00.000Z',
  contenttype: 'application/json',
  data: { module: 'kit.B2x_9-aQ.js', message: 'TypeError', stack: STACK.join('\n') },
};
const report = (actor: typeof ada | undefined, ...items: unknown[]) =>
  apiAs(actor)('POST', '/api/logging/v1/log', { json: { version: 1, items } });

test('an uncaught error of a page is logged with its kind, the page and the places in the scripts', async () => {
  const response = await report(ada, entry, { ...entry, data: { ...entry.data, message: 'RangeError' } });
  expect([response.status, await response.json()]).toEqual([200, { logged: 2 }]);
  expect(lines).toEqual(
    ['TypeError', 'RangeError'].map((kind) => ({
      level: 'warn',
      event: 'page.error',
      page: '/clientcenter/en-us/documents/*/view',
      kind,
      at: STACK,
    })),
  );
});

test('errors are reported from the page to sign in and while staff view as a contact, too', async () => {
  expect((await report(undefined, entry)).status).toBe(200);
  const viewing = apiAs(ada, impersonating(ada, sam));
  expect(
    (await viewing('POST', '/api/logging/v1/log', { json: { version: 1, items: [entry] } })).status,
  ).toBe(200);
  expect(lines).toHaveLength(2);
});

test.each([
  ['the message of an error', { data: { ...entry.data, message: 'Cannot save Olivia Bennett' } }],
  ['a name after the kind', { data: { ...entry.data, message: 'TypeError: 123-45-6789' } }],
  ['a message in the stack', { data: { ...entry.data, stack: `TypeError: Olivia\n${STACK.join('\n')}` } }],
  [
    'the address of a script elsewhere',
    { data: { ...entry.data, stack: 'https://elsewhere.example/a.js:1:1' } },
  ],
  ['a stack without an end', { data: { ...entry.data, stack: `${STACK[0] ?? ''}\n`.repeat(13) } }],
  ['a name for the script', { data: { ...entry.data, module: 'Olivia Bennett' } }],
  ['a token in the address', { source: '/clientcenter/en-us/share/Xq3_vF81kPz0Ks' }],
  ['an id in the address', { source: '/clientcenter/en-us/documents/doc_1a2b/view' }],
  ['a query', { source: '/clientcenter/en-us/documents?client=a' }],
  ['a line break in the address', { source: '/documents\n{"event":"forged"}' }],
  ['another field', { user: 'olivia@juniper.example' }],
  ['another type of entry', { type: 'keystrokes' }],
])('a report with %s is refused, and nothing is logged', async (_, change) => {
  expect((await report(ada, { ...entry, ...change })).status).toBe(422);
  expect(lines).toEqual([]);
});

test('the largest report is below 16 KiB, and a network sends ten a minute', async () => {
  const longest = `/_astro/${'a'.repeat(100)}.js:1000000:1000000`;
  const largest = {
    ...entry,
    source: `/${'a'.repeat(24)}`.repeat(12),
    data: {
      module: `${'a'.repeat(100)}.js`,
      message: `E${'a'.repeat(49)}`,
      stack: Array<string>(12).fill(longest).join('\n'),
    },
  };
  const items = Array<unknown>(5).fill(largest);
  expect(JSON.stringify({ version: 1, items }).length).toBeLessThan(16 * 1024);
  const statuses = await Promise.all(
    Array.from({ length: 14 }, async () => (await report(undefined, ...items)).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  expect(lines).toHaveLength(50);
  expect((await report(ada, ...items, largest)).status).toBe(422);
});

const timing = { ...entry, type: 'timing', data: { loadMs: 840, device: 'mid' } };

test('a load time is taken, and leaves no line in the log', async () => {
  const response = await report(ada, timing);
  expect([response.status, await response.json()]).toEqual([200, { logged: 1 }]);
  expect(lines).toEqual([]);
});

test.each([
  ['a negative time', { loadMs: -1, device: 'mid' }],
  ['no number', { loadMs: null, device: 'mid' }],
  ['more than a minute', { loadMs: 1e9, device: 'mid' }],
  ['a device of no class', { loadMs: 840, device: 'Pixel 7' }],
  ['something more', { loadMs: 840, device: 'mid', contact: 'contact_1a2b' }],
])('a load time with %s is refused', async (_, data) => {
  expect((await report(ada, { ...timing, data })).status).toBe(422);
});

test('a network reports load times 120 times a minute', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 121; n += 1) statuses.push((await report(undefined, timing)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.at(-1)).toBe(429);
  expect((await report(undefined, entry)).status, 'an error is counted apart').toBe(200);
});
