import type { BrowserContext, Route } from 'playwright/test';
import { GRACE } from '../tests/support/whole.ts';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { isStream, unread } from './support/live.ts';
import { startPortal } from './support/portal.ts';
import { commentOnFirstDocument } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* What an open page is told by the portal: the count of the bell, over one stream of each browser. */

/** The streams that a browser opens from now on. */
function streamsOf(context: BrowserContext): string[] {
  const urls: string[] = [];
  context.on('request', (request) => {
    if (isStream(request.url())) urls.push(request.url());
  });
  return urls;
}

test('seven tabs of a browser share a stream, show the same count, and one takes over from another', async ({
  context,
  page,
  browser,
}) => {
  await enter(page, PEOPLE.marcus, 'notifications');
  await page.getByRole('button', { name: 'Mark all as read' }).click(); // else the comment joins one before it
  await page.waitForURL(/notifications/);
  const streams = streamsOf(context);
  await page.goto('documents');
  const tabs = [page];
  for (let tab = 2; tab <= 7; tab += 1) tabs.push(await context.newPage());
  for (const tab of tabs.slice(1)) await tab.goto('documents');
  await expect.poll(() => streams.length).toBe(1);
  const last = tabs.at(-1) ?? page;
  const before = await unread(last);
  await commentOnFirstDocument(browser, PEOPLE.eleanor, 'Have you seen this?');
  for (const tab of [page, last]) {
    await expect.poll(() => unread(tab)).toBe(before + 1);
    await expect(tab).toHaveTitle(new RegExp(`^\\(${before + 1}\\) `));
  }
  expect(streams, 'one stream for all of them').toHaveLength(1);
  await page.close();
  await expect.poll(() => streams.length).toBe(2);
  await last.goto('notifications');
  await last.getByRole('button', { name: 'Mark all as read' }).click();
  await expect.poll(() => unread(tabs[3] ?? last)).toBe(0);
  await expect(tabs[3] ?? last).not.toHaveTitle(/^\(/);
});

test('a tab that begins to listen late hears from the others what it has missed', async ({
  context,
  page,
  browser,
}) => {
  // a new comment does not join an unread one on the same document
  await enter(page, PEOPLE.marcus, 'notifications');
  const markAll = page.getByRole('button', { name: 'Mark all as read' });
  if (await markAll.isVisible()) await markAll.click();
  await page.waitForURL(/notifications/);
  const opened = page.waitForRequest((request) => isStream(request.url()));
  await page.goto('documents');
  await opened;
  const late = await context.newPage();
  let release = (): void => undefined;
  const isToldToOthers = new Promise<void>((resolve) => (release = resolve));
  await late.route(/live-bell[^/]*\.js/, async (route) => {
    await isToldToOthers;
    await route.continue();
  });
  await late.goto('documents');
  const before = await unread(late);
  await commentOnFirstDocument(browser, PEOPLE.eleanor, 'Have you seen this?');
  await expect.poll(() => unread(page)).toBe(before + 1);
  expect(await unread(late)).toBe(before);
  release();
  // the portal repeats it after 20 seconds
  await expect.poll(() => unread(late), { timeout: 8000 + GRACE }).toBe(before + 1);
});

test('a stream does not extend the session, and ends with it', async ({ page }) => {
  await enter(page, PEOPLE.marcus, 'documents');
  const ends = () =>
    page.evaluate(async () => {
      const answer = await fetch('/api/security/v1/session', { headers: { 'X-Background': '1' } });
      return ((await answer.json()) as { meta: { SessionExpiresDateTime: string } }).meta
        .SessionExpiresDateTime;
    });
  const before = await ends();
  const heard = await page.evaluate(
    () =>
      new Promise<string>((resolve, reject) => {
        const source = new EventSource('/api/notifications/v1/stream');
        source.addEventListener('counts', ({ data }: MessageEvent<string>) => resolve(data));
        source.addEventListener('error', () => reject(new Error('no stream')));
        source.addEventListener('bye', () => {
          source.close();
          document.title = 'bye';
        });
      }),
  );
  const shape: unknown = { unread: expect.any(Number), v: expect.any(String) };
  expect(JSON.parse(heard)).toEqual(shape);
  expect(await ends()).toBe(before);
  await page.request.post('auth/logout', { headers: { 'sec-fetch-site': 'same-origin' }, maxRedirects: 0 });
  await expect(page).toHaveTitle('bye');
});

for (const [how, answer] of [
  ['is refused', (route: Route) => route.fulfill({ status: 204 })],
  ['is held back by a proxy', () => undefined],
] as const)
  test(`where the stream ${how}, a page that is looked at asks each minute`, async ({ page }) => {
    await page.clock.install();
    await page.route(({ href }) => isStream(href), answer);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/partials/bell')) asked.push(request.url());
    });
    await enter(page, PEOPLE.marcus, 'documents');
    const opened = page.waitForRequest((request) => isStream(request.url()));
    await page.clock.runFor(4000);
    await opened;
    expect(asked).toHaveLength(0);
    await page.clock.runFor(60_000);
    await expect.poll(() => asked.length).toBe(1);
  });

test('a portal that stops ends its streams first, and says when to come back', async ({ request }) => {
  const portal = await startPortal();
  const base = `${portal.origin}/clientcenter/en-us/`;
  await request.post(`${base}auth`, {
    form: { email: PEOPLE.marcus, password: DEMO_PASSWORD },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookies = (await request.storageState()).cookies.map(({ name, value }) => `${name}=${value}`);
  const stream = await fetch(`${portal.origin}/api/notifications/v1/stream`, {
    headers: { cookie: cookies.join('; '), 'accept-encoding': 'gzip, br' },
  });
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(stream.headers.get('content-encoding')).toBeNull();
  const text = stream.text();
  const began = Date.now();
  await portal.stop();
  expect(Date.now() - began, 'an open stream does not hold it up').toBeLessThan(10_000);
  expect(await text).toMatch(/^retry: \d+\n\nevent: counts\ndata: \{.*\}\n\nretry: \d+\n\n$/);
});
