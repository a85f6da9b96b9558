import { afterAll, beforeEach, expect, test, vi } from 'vitest';

/*
 * The service worker itself, on a store of copies in memory and a portal that answers as the test says. e2e/offline.spec.ts
 * has the same in a browser.
 */

const ORIGIN = 'https://portal.example';
const HOME = `${ORIGIN}/clientcenter/en-us/home`;
const TASKS = `${ORIGIN}/clientcenter/en-us/tasks`;
const OFFLINE = `${ORIGIN}/clientcenter/en-us/offline`;
const OFFLINE_PAGE =
  '<html lang="en-US"><title>No connection</title><main><h1>No connection</h1><!--saved--><ul><!--list--><!--/list--></ul><!--/saved--><!--none-->Nothing saved<!--/none--></main><template><!--notice--><p>Saved %saved-at%</p><!--/notice--></template>';

class FakeCache {
  readonly entries = new Map<string, Response>();
  match = (request: Request | string): Promise<Response | undefined> =>
    Promise.resolve(this.entries.get(addressOf(request))?.clone());
  put = (request: Request | string, response: Response): Promise<void> =>
    Promise.resolve(void this.entries.set(addressOf(request), response));
  delete = (request: Request | string): Promise<boolean> =>
    Promise.resolve(this.entries.delete(addressOf(request)));
  keys = (): Promise<{ url: string }[]> => Promise.resolve([...this.entries.keys()].map((url) => ({ url })));
}

const addressOf = (request: Request | string): string =>
  new URL(typeof request === 'string' ? request : request.url, ORIGIN).href;

let stores = new Map<string, FakeCache>();
const caches = {
  keys: () => Promise.resolve([...stores.keys()]),
  open: (name: string) => {
    const store = stores.get(name) ?? new FakeCache();
    stores.set(name, store);
    return Promise.resolve(store);
  },
  delete: (name: string) => Promise.resolve(stores.delete(name)),
};

interface Event {
  data?: { json: () => unknown };
  notification?: { close: () => void; data: unknown };
  oldSubscription?: object;
  newSubscription?: object;
  request?: { url: string; method: string; mode: string };
  preloadResponse?: Promise<Response | undefined>;
  respondWith?: (answer: Promise<Response>) => void;
  waitUntil: (work: Promise<unknown>) => void;
}

let listeners: Record<string, (event: Event) => void> = {};
/** Notifications that were shown, and windows that were opened. */
let shown: object[] = [];
let opened: string[] = [];
/** What the portal answers; without an answer there is no connection. */
let portal: (address: string) => Response | undefined = () => undefined;

/** Starts a worker as a browser does, of this release. */
async function start(release = 'r1'): Promise<void> {
  listeners = {};
  vi.resetModules();
  vi.stubGlobal('PORTAL', { base: '/clientcenter/', release });
  vi.stubGlobal('location', new URL(ORIGIN));
  vi.stubGlobal('caches', caches);
  vi.stubGlobal('skipWaiting', () => Promise.resolve());
  vi.stubGlobal('registration', {
    showNotification: (title: string, options: object) => {
      shown.push({ title, ...options });
      return Promise.resolve();
    },
  });
  vi.stubGlobal('clients', {
    claim: () => Promise.resolve(),
    matchAll: ({ type }: { type?: string }) => Promise.resolve(type === 'window' ? [] : [{ url: HOME }]),
    openWindow: (url: string) => Promise.resolve(opened.push(url)),
  });
  vi.stubGlobal('addEventListener', (name: string, listener: (event: Event) => void) => {
    listeners[name] = listener;
  });
  vi.stubGlobal('fetch', (request: Request | string) => {
    const answer = portal(addressOf(request));
    return answer ? Promise.resolve(answer) : Promise.reject(new TypeError('no connection'));
  });
  await import('#features/office/offline/worker.ts');
  const work: Promise<unknown>[] = [];
  listeners['activate']?.({ waitUntil: (promise) => work.push(promise) });
  await Promise.all(work);
}

/** Asks for something through the worker; undefined if it leaves that to the browser. */
async function ask(url: string, { method = 'GET', mode = 'navigate' } = {}): Promise<string | undefined> {
  const work: Promise<unknown>[] = [];
  let answer: Promise<Response> | undefined;
  listeners['fetch']?.({
    request: { url, method, mode },
    preloadResponse: Promise.resolve(undefined),
    respondWith: (promise) => void (answer = promise),
    waitUntil: (promise) => work.push(promise),
  });
  const text = answer && (await (await answer).text());
  await Promise.all(work);
  return text;
}

const html = (text: string): string =>
  `<html lang="en-US"><head><title>Title of ${text}</title><link rel="stylesheet" href="/_astro/a.css"><script src="/x.js"></script></head><body><main id="main">${text}<form><button>Send</button></form></main></body></html>`;
const page = (text: string, headers: Record<string, string>, status = 200): Response =>
  new Response(html(text), { status, headers: { 'Content-Type': 'text/html', ...headers } });
const KEEP = { 'X-Portal-Keep': '86400' };
const ofAna = { 'X-Portal-Session': 'ana', ...KEEP };
const ofBen = { 'X-Portal-Session': 'ben' };

/** Answers pages of the portal with these; its other files are there. */
const online = (answers: Record<string, () => Response>): void => {
  portal = (address) =>
    answers[address]?.() ??
    (address === OFFLINE
      ? new Response(OFFLINE_PAGE)
      : /\.css|\.svg/.test(address)
        ? new Response('css')
        : undefined);
};
const offline = (): void => void (portal = () => undefined);
const kept = (): string[] => [...stores.keys()].filter((name) => name.startsWith('pages-'));

afterAll(() => void vi.unstubAllGlobals());

beforeEach(async () => {
  vi.useRealTimers();
  stores = new Map();
  [shown, opened] = [[], []];
  online({
    [HOME]: () => page('home of Ana', ofAna),
    [TASKS]: () => page('tasks of Ana', { 'X-Portal-Session': 'ana' }),
  });
  await start();
});

test('without a connection, a page that was kept is shown, says since when, and sends nothing', async () => {
  expect(await ask(HOME)).toContain('home of Ana');
  offline();
  const shown = await ask(HOME);
  expect(shown).toContain('home of Ana');
  expect(shown).toMatch(/<main id="main"><p>Saved \w+ \d+, \d{4}, /);
  expect(shown).toContain('<button disabled>');
  expect(shown).not.toContain('<script');
});

test('what was not kept is not shown: the page says what can be read instead', async () => {
  await ask(HOME);
  await ask(TASKS);
  offline();
  const shown = (await ask(TASKS)) ?? '';
  expect(shown).not.toContain('tasks of Ana');
  expect(shown).toContain(`<li><a href="${HOME}">Title of home of Ana</a>`);
  expect(shown).not.toContain('Nothing saved');
  stores.delete('pages-ana');
  expect(await ask(TASKS)).toContain('Nothing saved');
});

test('a page of the portal is never answered from the store while there is a connection', async () => {
  await ask(HOME);
  online({ [HOME]: () => page('newer', ofAna) });
  expect(await ask(HOME)).toContain('newer');
  online({ [HOME]: () => page('broken', { 'X-Portal-Session': 'ana' }, 500) });
  expect(await ask(HOME)).toContain('broken');
});

test.each([
  ['somebody else', () => page('tasks of Ben', { ...ofBen, ...KEEP })],
  ['nobody, as after a silent end of the session', () => page('Sign in', {})],
  ['an error without a session', () => page('Unavailable', {}, 503)],
  ['a refusal', () => page('No', ofAna, 401)],
  ['a sign-out', () => page('Signed out', { ...ofAna, 'Clear-Site-Data': '"storage"' })],
])('a page of %s deletes all copies before it is shown', async (_, answer) => {
  await ask(HOME);
  expect(kept()).toEqual(['pages-ana']);
  online({ [TASKS]: answer });
  await ask(TASKS);
  expect(kept()).not.toContain('pages-ana');
  offline();
  expect(await ask(HOME)).not.toContain('home of Ana');
});

test.each(['/auth', '/auth/logout', '/account-switch', '/staff/view-as/contact_1', '/profile/offline'])(
  'a form sent to %s deletes all copies, whether its answer arrives or not',
  async (path) => {
    await ask(HOME);
    expect(await ask(`${ORIGIN}/clientcenter/en-us${path}`, { method: 'POST' })).toBeUndefined();
    offline();
    expect(await ask(HOME)).not.toContain('home of Ana');
  },
);

test('a page of the person before that is still being saved is not kept', async () => {
  let arrive: (body: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => (arrive = resolve));
  const answer = page('', ofAna);
  Object.assign(answer, {
    clone: () => ({ ...answer, headers: answer.headers, status: 200, text: () => late }),
  });
  online({ [HOME]: () => answer, [TASKS]: () => page('tasks of Ben', ofBen) });
  const saving = ask(HOME);
  await expect.poll(() => stores.size).toBe(1);
  await ask(TASKS);
  arrive(html('home of Ana'));
  await saving;
  expect(kept()).toEqual([]);
});

test('a copy is over after its time, and when the clock was set back', async () => {
  await ask(HOME);
  offline();
  vi.useFakeTimers({ now: Date.now() + 86_401_000, toFake: ['Date'] });
  expect(await ask(HOME)).toContain('Nothing saved');
  vi.useRealTimers();
  online({ [HOME]: () => page('home of Ana', ofAna) });
  await ask(HOME);
  offline();
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ['Date'] });
  expect(await ask(HOME)).toContain('Nothing saved');
});

test('at most twelve pages are kept, the newest', async () => {
  portal = (address) => (address === OFFLINE ? new Response(OFFLINE_PAGE) : page(address, ofAna));
  for (let number = 1; number <= 14; number++) {
    vi.useFakeTimers({ now: 1_700_000_000_000 + number * 1000, toFake: ['Date'] });
    await ask(`${TASKS}?client=${number}`);
  }
  const pages = [...(stores.get('pages-ana')?.entries.keys() ?? [])].filter((url) => url.includes('/tasks'));
  expect(pages).toHaveLength(12);
  expect(pages).not.toContain(`${TASKS}?client=2`);
});

test('writes, calls, files, streams and other sites are left to the browser', async () => {
  for (const [url, how] of [
    [`${ORIGIN}/api/documents/v1/documents`, { mode: 'cors' }],
    [`${ORIGIN}/api/notifications/v1/stream`, { mode: 'cors' }],
    [`${ORIGIN}/_astro/page.js`, { mode: 'cors' }],
    [`${ORIGIN}/clientcenter/en-us/documents/download`, {}],
    [`${ORIGIN}/clientcenter/en-us/documents/doc_${'0'.repeat(32)}`, {}],
    [`${ORIGIN}/clientcenter/en-us/calendar/token.ics`, {}],
    [`${ORIGIN}/clientcenter/en-us/tasks`, { method: 'POST' }],
    ['https://elsewhere.example/clientcenter/en-us/home', {}],
  ] as const)
    expect(await ask(url, how), url).toBeUndefined();
});

test('a new release takes over, keeps the pages, and asks for its own page without a connection', async () => {
  await ask(HOME);
  online({});
  portal = (address) =>
    address === OFFLINE ? new Response(OFFLINE_PAGE.replace('Saved', 'Stored')) : undefined;
  await start('r2');
  expect([...stores.keys()].toSorted()).toEqual(['pages-ana', 'shell-r2']);
  offline();
  expect(await ask(HOME)).toContain('<p>Stored ');
});

/** Lets something happen to the worker, and waits until it is done. */
async function happens(name: string, event: Omit<Event, 'waitUntil'>): Promise<void> {
  const work: Promise<unknown>[] = [];
  listeners[name]?.({ ...event, waitUntil: (promise) => work.push(promise) });
  await Promise.all(work);
}

test('a push message is shown, and leads to a page of the portal only', async () => {
  const url = '/clientcenter/en-us/notifications/notification_1?firm=firm_1';
  await happens('push', {
    data: { json: () => ({ t: 'News', b: '1 new notification', u: url, g: 'group' }) },
  });
  expect(shown).toEqual([{ title: 'News', body: '1 new notification', tag: 'group', data: { url } }]);
  const click = (address: string): Promise<void> =>
    happens('notificationclick', { notification: { close: () => undefined, data: { url: address } } });
  await click(url);
  expect(opened).toEqual([ORIGIN + url]);
  for (const address of ['https://evil.example/clientcenter/', '//evil.example/clientcenter/', '/api/x', '/'])
    await click(address);
  expect(opened).toHaveLength(1);
});

test('the portal is told the new address of the browser, and by which one it is known', async () => {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', (address: string, { body }: { body: string }) => {
    sent.push([address, JSON.parse(body)]);
    return Promise.resolve(new Response());
  });
  const keys = { p256dh: 'p', auth: 'a' };
  await happens('pushsubscriptionchange', {
    oldSubscription: { endpoint: 'https://push.example/old', options: { applicationServerKey: null } },
    newSubscription: { toJSON: () => ({ endpoint: 'https://push.example/new', keys }) },
  });
  expect(sent).toEqual([
    [
      '/api/notifications/v1/push-subscriptions',
      { endpoint: 'https://push.example/new', keys, isRenewal: true, replaces: 'https://push.example/old' },
    ],
  ]);
});
