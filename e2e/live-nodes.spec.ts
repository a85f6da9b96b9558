import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { ownPart } from '../tests/support/services.ts';
import { startBalancer } from './support/balancer.ts';
import { startPortal } from './support/portal.ts';
import { commentOnFirstDocument } from './support/steps.ts';
import { expect, PEOPLE, test } from './support/test.ts';

test.use({ baseURL: '' }); // starts its own nodes

const isStream = (url: string): boolean => url.endsWith('/api/notifications/v1/stream');

/** Opens a page of somebody in a browser of their own, whose stream is at the node that takes requests now. */
async function follow(browser: Browser, base: string, email: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: base })).newPage();
  await page.request.post('auth', {
    form: { email, password: DEMO_PASSWORD },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const stream = page.waitForResponse((response) => isStream(response.url()));
  await page.goto('documents');
  expect((await stream).status()).toBe(200);
  return page;
}

const unread = (page: Page): Promise<number> =>
  page
    .locator('#bell summary')
    .evaluate((bell) => Number(bell.querySelector('.badge [aria-hidden]')?.textContent ?? 0));

test('two browsers at two nodes show the same count within two seconds; when a node stops, its browsers go to the other', async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-live-'));
  const keyFile = path.join(folder, 'portal.key');
  writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const balancer = await startBalancer();
  const shared = {
    ...(await ownPart(folder)),
    KEY_FILE: keyFile,
    PUBLIC_ORIGIN: balancer.origin,
    TRUSTED_PROXIES: '127.0.0.1',
    DEMO: '1',
  };
  const [first, second] = await Promise.all([startPortal(shared), startPortal(shared)]);
  const base = `${balancer.origin}/clientcenter/en-us/`;

  balancer.sendTo(first.origin);
  const one = await follow(browser, base, PEOPLE.marcus);
  balancer.sendTo(second.origin);
  const other = await follow(browser, base, PEOPLE.marcus);
  balancer.sendTo(first.origin, second.origin);
  const before = await unread(one);
  expect(await unread(other)).toBe(before);

  await commentOnFirstDocument(browser, PEOPLE.eleanor, 'Have you seen this?', base);
  for (const page of [one, other])
    await expect.poll(() => unread(page), { timeout: 2000, intervals: [50] }).toBe(before + 1);

  balancer.sendTo(second.origin);
  const again = one.waitForRequest((request) => isStream(request.url()));
  const began = Date.now();
  await first.stop();
  expect(Date.now() - began, 'open streams do not hold up a node that stops').toBeLessThan(10_000);
  await again;
  await commentOnFirstDocument(browser, PEOPLE.eleanor, 'And this?', base);
  for (const page of [one, other]) await expect.poll(() => unread(page)).toBe(before + 2);

  for (const page of [one, other]) await page.context().close();
  await second.stop();
  await balancer.stop();
  rmSync(folder, { recursive: true });
});
