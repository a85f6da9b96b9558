import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright/test';
import { startPortal, type Portal } from './support/portal.ts';
import { PEOPLE, expect, settled, signIn, test } from './support/test.ts';

/*
 * The bridge between a page and the mobile app that shows it (threat-model.md T72). The app's shell is a page
 * on another origin that holds the portal in a frame; the test injects the app's channel and records what the
 * portal sends.
 */

test.use({ baseURL: '' }); // starts its own portal

const EVENTS = [
  'Ping',
  'PingSuccess',
  'InitMobileSuccess',
  'NavigateToTask',
  'NavigateToAction',
  'NavigateToActionSuccess',
  'NavigateToActionFail',
  'Logout',
  'SetAlert',
  'TermsAndConditionsRequired',
  'MarkAsWip',
  'MarkAsReceived',
  'MarkAsCancelled',
  'MarkAsDone',
  'UpdateTask',
  'StepChanged',
];
const PAYLOADS: Readonly<Record<string, object>> = {
  NavigateToTask: { taskId: 'task_1' },
  NavigateToAction: { section: 'box-e', action: 'nfe-storage' },
  SetAlert: { type: 'danger', msg: 'You were paid' },
};

interface Received {
  event: string;
  payload?: object;
  nonce?: string;
}

let portal: Portal;
let shell: http.Server;
let shellOrigin: string;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  shell = http.createServer((request, response) => {
    const framed = new URL(request.url ?? '/', 'http://shell').searchParams.get('framed') ?? '';
    response
      .setHeader('Content-Type', 'text/html')
      .end(`<!doctype html><title>Shell</title><iframe src="${framed}" width="400" height="600"></iframe>`);
  });
  await once(shell.listen(0, '127.0.0.1'), 'listening');
  shellOrigin = `http://127.0.0.1:${(shell.address() as AddressInfo).port}`;
  portal = await startPortal({ MOBILE_ORIGINS: shellOrigin });
});

test.afterAll(async () => {
  shell.close();
  await portal.stop();
});

const documents = (): string => `${portal.origin}/clientcenter/en-us/documents`;

async function openSignedIn(page: Page, person: string = PEOPLE.olivia): Promise<void> {
  await page.goto(documents());
  await signIn(page, person);
  await page.waitForURL(/\/documents$/);
}

/** Gives pages of the portal the app's flag and channel from now on; returns the messages they send. */
async function simulateApp(page: Page): Promise<Received[]> {
  const received: Received[] = [];
  await page.exposeFunction(
    'hearFromPage',
    (message: string) => void received.push(JSON.parse(message) as Received),
  );
  await page.addInitScript((origin) => {
    if (location.origin !== origin) return;
    sessionStorage.setItem('ccMobile', 'true');
    Object.assign(window, {
      ReactNativeWebView: {
        postMessage: (message: string) =>
          void (window as unknown as { hearFromPage: (told: string) => Promise<void> }).hearFromPage(message),
      },
    });
  }, portal.origin);
  return received;
}

/** The first open task of the person who is signed in. */
async function openTaskOf(page: Page): Promise<{ taskId: string; title: string }> {
  await page.goto(`${portal.origin}/clientcenter/en-us/tasks`);
  const link = page.getByRole('main').getByRole('heading', { level: 3 }).getByRole('link').first();
  const [, taskId = ''] = /\/task\/(\w+)/.exec((await link.getAttribute('href')) ?? '') ?? [];
  return { taskId, title: (await link.innerText()).trim() };
}

const nonceIn = (received: readonly Received[]): string =>
  received.findLast(({ event }) => event === 'InitMobileSuccess')?.nonce ?? '';

test('a page outside the app loads no bridge code and ignores all messages', async ({ page }) => {
  const scripts: string[] = [];
  page.on('request', (request) => void scripts.push(request.url()));
  await openSignedIn(page);
  await page.evaluate(() => sessionStorage.setItem('ccMobile', 'true')); // the flag alone, without a channel
  await page.reload();
  await settled(page);
  for (const event of EVENTS)
    await page.evaluate((message) => postMessage(message), {
      event,
      nonce: '',
      payload: PAYLOADS[event] ?? {},
    });
  expect(scripts.filter((url) => /bridge/.test(url))).toEqual([]);
  await expect(page).toHaveURL(documents());
  await expect(page.locator('#alerts')).toBeEmpty();
});

test('the app can ping, navigate, show alerts as plain text and sign out', async ({ page }) => {
  await openSignedIn(page);
  const received = await simulateApp(page);
  await page.reload();
  await expect.poll(() => nonceIn(received)).not.toBe('');
  const send = (event: string, payload: object = {}): Promise<void> =>
    page.evaluate((message) => postMessage(message), { event, payload, nonce: nonceIn(received) });
  await send('Ping');
  await expect.poll(() => received.map(({ event }) => event)).toContain('PingSuccess');
  await send('SetAlert', { type: 'danger', msg: '<img src=x onerror=alert(1)>' });
  await expect(page.locator('#alerts .alert-danger')).toHaveText('<img src=x onerror=alert(1)>');
  await send('NavigateToAction', { section: 'box-e', action: 'nfe-storage' });
  const failures = () =>
    received
      .filter(({ event }) => event === 'NavigateToActionFail')
      .map(({ payload }) => (payload as { reason?: string }).reason);
  await expect.poll(failures, 'which the firm has not turned on').toEqual(['closed']);
  await expect(page).toHaveURL(documents());
  await send('Logout');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('You’ve signed out');
  expect(received.map(({ event }) => event)).toContain('Logout');
});

test('the app can open an available action at its own address and gets a confirmation', async ({ page }) => {
  await openSignedIn(page, PEOPLE.ana);
  const received = await simulateApp(page);
  await page.reload();
  await expect.poll(() => nonceIn(received)).not.toBe('');
  const action = { section: 'box-e', action: 'nfe-storage' };
  const missing = { section: 'no-such', action: 'thing' };
  const open = (payload: typeof action) =>
    page.evaluate((message) => postMessage(message), {
      event: 'NavigateToAction',
      payload,
      nonce: nonceIn(received),
    });
  await open(missing);
  await expect
    .poll(() => received.map(({ event, payload }) => ({ event, payload })))
    .toContainEqual({ event: 'NavigateToActionFail', payload: { ...missing, reason: 'unknown' } });
  await open(action);
  await expect(page).toHaveURL(/\/mobile\/actions\/box-e\/nfe-storage$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/NF-e/);
  expect(received.map(({ event, payload }) => ({ event, payload }))).toContainEqual({
    event: 'NavigateToActionSuccess',
    payload: action,
  });
});

test("the app's shell on the configured origin can send messages to its frame and open a task", async ({
  page,
}) => {
  await openSignedIn(page);
  const { taskId, title } = await openTaskOf(page);
  const received = await simulateApp(page);
  await page.goto(`${shellOrigin}/?framed=${encodeURIComponent(documents())}`);
  await expect.poll(() => nonceIn(received)).not.toBe('');
  const send = (event: string, payload: object, nonce: string): Promise<void> =>
    page.evaluate((message) => document.querySelector('iframe')?.contentWindow?.postMessage(message, '*'), {
      event,
      payload,
      nonce,
    });
  for (const event of EVENTS) await send(event, PAYLOADS[event] ?? {}, 'a guess');
  await send('Ping', {}, nonceIn(received));
  await expect.poll(() => received.map(({ event }) => event)).toEqual(['InitMobileSuccess', 'PingSuccess']);
  await send('NavigateToTask', { taskId }, nonceIn(received));
  await expect(page.frameLocator('iframe').getByRole('heading', { level: 1 })).toHaveText(title);
});

test('the app is told which step of a task is open, that answers are saved, and that the task is begun', async ({
  page,
}) => {
  await openSignedIn(page);
  await page.goto(`${portal.origin}/clientcenter/en-us/tasks`);
  await page.getByRole('link', { name: 'Tax organizer 2026' }).first().click();
  const [, taskId = ''] = /\/task\/(\w+)/.exec(page.url()) ?? [];
  const received = await simulateApp(page);
  const told = (event: string) => received.filter((message) => message.event === event);
  await page.reload();
  await expect
    .poll(() => told('StepChanged').map(({ payload }) => payload))
    .toEqual([{ taskId, step: expect.stringMatching(/^[\w-]+$/) }]);
  await page.getByRole('textbox').first().fill(`Typed in the app ${Date.now()}`);
  await expect.poll(() => told('UpdateTask').map(({ payload }) => payload)).toContainEqual({ taskId });
  await page.reload();
  await expect.poll(() => told('MarkAsWip').map(({ payload }) => payload)).toEqual([{ taskId }]);
  expect(told('StepChanged'), 'the same step again').toHaveLength(1);
});

test('the app opens a task for staff on their page, and an unknown one is not found', async ({ page }) => {
  await openSignedIn(page);
  const { taskId, title } = await openTaskOf(page);
  await page.context().clearCookies();
  await page.goto(documents());
  await signIn(page, PEOPLE.eleanor);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const received = await simulateApp(page);
  await page.reload();
  await expect.poll(() => nonceIn(received)).not.toBe('');
  const navigate = (id: string): Promise<void> =>
    page.evaluate((message) => postMessage(message), {
      event: 'NavigateToTask',
      payload: { taskId: id },
      nonce: nonceIn(received),
    });
  await navigate(taskId);
  await expect(page).toHaveURL(new RegExp(`/staff/tasks/${taskId}`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await expect.poll(() => received.filter(({ event }) => event === 'InitMobileSuccess').length).toBe(2);
  await navigate('task_1');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
});

test('a page on any other origin can neither frame the portal nor reach it as its opener', async ({
  page,
  trouble,
}) => {
  trouble.expect(/frame-ancestors|ERR_BLOCKED_BY_RESPONSE/i);
  await openSignedIn(page);
  const received = await simulateApp(page);
  await page.goto(
    `${shellOrigin.replace('127.0.0.1', 'localhost')}/?framed=${encodeURIComponent(documents())}`,
  );
  await settled(page);
  expect(received).toEqual([]);
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate((address) => void Object.assign(window, { opened: open(address) }), documents()),
  ]);
  await popup.waitForURL(/documents|auth/);
  expect([
    await popup.evaluate(() => opener === null),
    await page.evaluate(() => (window as unknown as { opened: Window }).opened.closed),
  ]).toEqual([true, true]);
});

test('a foreign frame that knows the nonce changes nothing with any of the sixteen events', async ({
  page,
}) => {
  await openSignedIn(page);
  const received = await simulateApp(page);
  await page.reload();
  await expect.poll(() => nonceIn(received)).not.toBe('');
  // The content policy allows no frames; one without a URL of its own is the closest an attacker can get.
  await page.evaluate(
    ({ messages }) => {
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const inner = frame.contentWindow as (Window & { eval: (code: string) => void }) | null;
      for (const message of messages) inner?.parent.postMessage(message, { targetOrigin: '*' });
      for (const message of messages)
        dispatchEvent(
          new MessageEvent('message', { data: message, origin: 'https://evil.example', source: inner }),
        );
      for (const message of messages)
        dispatchEvent(
          new MessageEvent('message', { data: message, origin: 'https://evil.example', source: window }),
        );
      for (const message of messages)
        dispatchEvent(new MessageEvent('message', { data: message, origin: location.origin, source: inner }));
    },
    {
      messages: EVENTS.map((event) => ({
        event,
        nonce: nonceIn(received).replace(/.$/, '-'),
        payload: PAYLOADS[event] ?? {},
      })),
    },
  );
  await page.evaluate(
    ({ messages }) => {
      const inner = document.querySelector('iframe')?.contentWindow ?? null;
      for (const message of messages)
        dispatchEvent(
          new MessageEvent('message', { data: message, origin: 'https://evil.example', source: window }),
        );
      for (const message of messages)
        dispatchEvent(new MessageEvent('message', { data: message, origin: location.origin, source: inner }));
    },
    {
      messages: EVENTS.map((event) => ({ event, nonce: nonceIn(received), payload: PAYLOADS[event] ?? {} })),
    },
  );
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(received.map(({ event }) => event)).toEqual(['InitMobileSuccess']);
  await expect(page).toHaveURL(documents());
  await expect(page.locator('#alerts')).toBeEmpty();
});
