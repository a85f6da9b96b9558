import type { Page } from 'playwright/test';
import { createTask, openTask, saveAndCheck, STATEMENTS_AND_MILES, submitTask } from './support/tasks.ts';
import { startPortal, type Portal } from './support/portal.ts';
import { enter, expect, PEOPLE, test as base } from './support/test.ts';
import { startPushService, type Browser, type PushService } from '../tests/support/push-service.ts';

/*
 * Push notifications in a browser, from the button to the page that one opens (docs/decisions/0137). The push service is one of
 * this machine: the test subscribes the browser at it, and delivers what it got to the service worker, as a browser would.
 */

const test = base.extend<object, { service: PushService; own: Portal }>({
  service: [
    async ({}, use) => {
      const service = await startPushService();
      await use(service);
      await service.stop();
    },
    { scope: 'worker' },
  ],
  own: [
    async ({ service }, use) => {
      const portal = await startPortal({ PUSH_SERVICES: service.origin });
      await use(portal);
      await portal.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ own }, use) => use(`${own.origin}/clientcenter/en-us/`),
});
test.use({ serviceWorkers: 'allow' });

/** Gives a page a browser that has a push service, and whose person allows what it asks; returns what was asked of them. */
async function allowPush(page: Page, device: Browser): Promise<string[]> {
  const asked: string[] = [];
  await page.exposeFunction('note', (what: string) => void asked.push(what));
  await page.addInitScript((subscription) => {
    const { note } = globalThis as unknown as { note: (what: string) => Promise<void> };
    let permission: NotificationPermission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => {
      await note('permission');
      return (permission = 'granted');
    };
    PushManager.prototype.subscribe = async () => {
      await note('subscription');
      return { ...subscription, toJSON: () => subscription } as unknown as PushSubscription;
    };
  }, device.subscription);
  return asked;
}

test('a device is told, by choice and without content, and the notification opens its page', async ({
  page,
  context,
  browser,
  own,
  service,
}) => {
  test.setTimeout(180_000);
  const device = service.browser();
  const asked = await allowPush(page, device);
  await enter(page, PEOPLE.olivia, 'profile/notifications');
  const section = page.getByRole('region', { name: 'Notifications on this device' });
  await expect(section.getByRole('button', { name: 'Notify me on this device' })).toBeVisible();
  expect(asked, 'nobody is asked before they press the button').toEqual([]);
  await section.getByRole('button', { name: 'Notify me on this device' }).click();
  await expect(section.getByRole('row', { name: /Chrome.*this device/ })).toBeVisible();
  expect(asked).toEqual(['permission', 'subscription']);

  const firm = await (await browser.newContext({ baseURL: `${own.origin}/clientcenter/en-us/` })).newPage();
  await createTask(firm, 'Mileage of the secret van', STATEMENTS_AND_MILES);
  await expect
    .poll(async () => {
      // what is held for some minutes is due now
      await own.sql("update jobs set run_at = 0 where kind = 'push-notification' and done_at is null");
      return service.received.length;
    })
    .toBeGreaterThan(0);
  const [message] = device.messages() as { t: string; b: string; u: string }[];
  expect(message).toMatchObject({ t: 'News from Maple & Hart CPAs', b: '1 new notification' });
  expect(JSON.stringify(message)).not.toContain('van');

  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error('there is no service worker');
  await worker.evaluate(() => {
    // a headless browser shows none
    const scope = globalThis as unknown as { registration: ServiceWorkerRegistration; shown: unknown };
    scope.registration.showNotification = (title, options) => {
      scope.shown = { title, ...options };
      return Promise.resolve();
    };
  });
  const cdp = await context.newCDPSession(page);
  const registrations: { registrationId: string }[] = [];
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: known }) =>
    registrations.push(...known),
  );
  await cdp.send('ServiceWorker.enable');
  await expect.poll(() => registrations.length).toBeGreaterThan(0);
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: own.origin,
    registrationId: registrations[0]?.registrationId ?? '',
    data: JSON.stringify(message),
  });
  await expect
    .poll(() => worker.evaluate(() => (globalThis as unknown as { shown: unknown }).shown))
    .toMatchObject({
      title: 'News from Maple & Hart CPAs',
      body: '1 new notification',
      data: { url: message?.u },
    });

  await worker.evaluate(() => {
    const { shown } = globalThis as unknown as { shown: object };
    const notification = { ...shown, close: () => undefined };
    const waitUntil = (work: Promise<unknown>): Promise<unknown> => work;
    dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
  });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Mileage of the secret van');

  await page.goto('profile/notifications');
  await section
    .getByRole('row', { name: /Chrome/ })
    .getByRole('button', { name: /^Remove/ })
    .click();
  await expect(page.getByText('The device no longer gets notifications.')).toBeVisible();
  await expect(section.getByRole('row', { name: /Chrome/ })).toHaveCount(0);
});

test('whoever has submitted a task is offered notifications, once, and asked by the browser only after pressing the button', async ({
  page,
  browser,
  own,
  service,
}) => {
  const title = 'Miles of the second van';
  const firm = await (await browser.newContext({ baseURL: `${own.origin}/clientcenter/en-us/` })).newPage();
  await createTask(firm, title, [{ label: 'Miles driven', answer: 'number' }]);
  const asked = await allowPush(page, service.browser());
  await openTask(page, title);
  const offer = page.getByRole('region', { name: 'Be told right away' });
  await expect(offer).toHaveCount(0);
  await page.getByLabel('Miles driven').fill('120');
  await saveAndCheck(page);
  await submitTask(page, title);
  await expect(offer).toContainText('Next time Maple & Hart CPAs wants something from you');
  expect(asked).toEqual([]);
  const sent = page.url();
  await offer.getByRole('button', { name: 'Notify me on this device' }).click();
  await expect.poll(() => asked).toEqual(['permission', 'subscription']);
  await expect(offer).toHaveCount(0);

  await own.sql('delete from push_subscriptions');
  await page.goto(sent);
  await offer.getByRole('button', { name: 'Not now' }).click();
  await expect(page.getByText('You can turn on notifications at any time')).toBeVisible();
  await page.goto(sent);
  await expect(page.getByRole('heading', { name: 'Submitted to Maple & Hart CPAs' })).toBeVisible();
  await expect(offer).toHaveCount(0);
});

test('an iPhone that has the portal in its browser is told how to install it first', async ({
  browser,
  own,
}) => {
  const context = await browser.newContext({
    baseURL: `${own.origin}/clientcenter/en-us/`,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  });
  const page = await context.newPage();
  await enter(page, PEOPLE.olivia, 'profile/notifications');
  await expect(page.getByText('First add the portal to your home screen')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Notify me on this device' })).toBeHidden();
  await context.close();
});
