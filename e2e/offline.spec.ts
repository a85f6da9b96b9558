import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright/test';
import { startPortal } from './support/portal.ts';
import { enter, expect, PEOPLE, signIn, test } from './support/test.ts';

/*
 * Pages without a connection, in a browser with the service worker (docs/decisions/0136): who chose so reads their last lists,
 * and nobody ever reads those of somebody else.
 */

test.use({ serviceWorkers: 'allow' });

/** Waits until the service worker has control of the page, which a page registers some seconds after it has loaded. */
const workerOf = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller)
      await new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
      );
  });

const copies = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('pages-'));
    const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return kept.flat().map(({ url }) => new URL(url).pathname);
  });

/** Lets this device keep what Olivia reads, and reads her documents; returns the name of one. */
async function keepDocuments(page: Page): Promise<string> {
  await enter(page, PEOPLE.olivia, 'profile/offline');
  await workerOf(page);
  await page.getByLabel('Keep my lists on this device for 24 hours').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The lists that you open from now on')).toBeVisible();
  await page.goto('documents');
  const name = await page.locator('#document-list tbody tr').first().getByRole('link').first().innerText();
  await expect.poll(() => copies(page)).toContain('/clientcenter/en-us/documents');
  return name.trim();
}

test('without a connection, the last lists can be read, and say since when', async ({
  page,
  context,
  trouble,
}) => {
  const name = await keepDocuments(page);
  trouble.expect(/request failed: net::ERR_(?:INTERNET_DISCONNECTED|FAILED)/);
  await context.setOffline(true);
  await page.goto('documents');
  await expect(page.getByText(/You’re reading a copy saved on .+ and can’t send anything/)).toBeVisible();
  await expect(page.getByRole('link', { name }).first()).toBeVisible();
  await expect(page.locator('main button:enabled')).toHaveCount(0);
  await page.goto('shares');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No connection');
  await page
    .getByRole('listitem')
    .getByRole('link', { name: /^Documents/ })
    .click();
  await expect(page.getByRole('link', { name }).first()).toBeVisible();
  await context.setOffline(false);
  await page.goto('documents');
  await expect(page.getByText('You’re reading a copy')).toHaveCount(0);
});

test('without the choice nothing is kept, and the page without a connection says so', async ({
  page,
  context,
  trouble,
}) => {
  await enter(page, PEOPLE.olivia);
  await workerOf(page);
  await page.goto('documents');
  trouble.expect(/request failed: net::ERR_(?:INTERNET_DISCONNECTED|FAILED)/);
  await context.setOffline(true);
  await page.goto('tasks');
  await expect(page.getByText('No page is saved on this device.')).toBeVisible();
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page).toHaveURL(/\/tasks$/);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('No connection');
});

test('signing out deletes what was kept', async ({ page, context, trouble }) => {
  const name = await keepDocuments(page);
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'You’ve signed out' })).toBeVisible();
  expect(await copies(page)).toEqual([]);
  trouble.expect(/request failed: net::ERR_INTERNET_DISCONNECTED/);
  await context.setOffline(true);
  await page.goto('documents').catch(() => undefined); // the browser’s own page
  await expect(page.getByText(name)).toHaveCount(0);
  await expect(page.getByText('You’re reading a copy')).toHaveCount(0);
});

test('whoever comes next on this device sees nothing of the person before, also after a session that only ended', async ({
  page,
  context,
  portal,
  trouble,
}) => {
  const name = await keepDocuments(page);
  await portal.sql('delete from sessions');
  await page.goto('auth');
  await expect.poll(() => copies(page)).toEqual([]);
  await signIn(page, PEOPLE.ana);
  await expect(page).not.toHaveURL(/\/auth/);
  await page.goto('documents');
  await workerOf(page);
  trouble.expect(/request failed: net::ERR_(?:INTERNET_DISCONNECTED|FAILED)/);
  await context.setOffline(true);
  await page.goto('documents');
  await expect(page.getByText('No page is saved on this device.')).toBeVisible();
  expect(await page.content()).not.toContain(name);
});

test('another release takes over with the next page; a portal without the worker takes it back', async ({
  browser,
  trouble,
}) => {
  test.setTimeout(180_000);
  const first = await startPortal();
  const { port } = new URL(first.origin);
  const context = await browser.newContext({
    serviceWorkers: 'allow',
    baseURL: `${first.origin}/clientcenter/en-us/`,
  });
  const page = await context.newPage();
  await keepDocuments(page);
  const shells = (): Promise<string[]> =>
    page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('shell-')));
  const before = await shells();
  expect(before).toHaveLength(1);
  trouble.expect(/request failed/);
  await first.halt();
  await expect(
    page.goto('documents').then(() => page.getByText('You’re reading a copy').count()),
  ).resolves.toBe(1);

  // another key names the same release otherwise
  const keyFile = `${first.folder}/data.key`;
  writeFileSync(keyFile, `${'5'.repeat(64)}\n${readFileSync(keyFile, 'utf8')}`);
  const second = await startPortal({ PORT: port }, first.folder);
  await page.goto('documents');
  await expect(page.getByText('You’re reading a copy')).toHaveCount(0);
  await expect.poll(shells).not.toEqual(before);
  expect(await shells()).toHaveLength(1);
  await second.halt();

  const third = await startPortal({ PORT: port, SERVICE_WORKER: '0' }, first.folder);
  await page.goto('documents');
  await expect.poll(() => page.evaluate(async () => (await caches.keys()).length)).toBe(0);
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
    .toBe(0);
  await context.close();
  await third.stop();
});
