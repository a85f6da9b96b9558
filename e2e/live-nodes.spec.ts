import type { Browser, Page } from 'playwright/test';
import { GRACE } from '../tests/support/whole.ts';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { isStream, unread } from './support/live.ts';
import { startTwoNodes } from './support/nodes.ts';
import { commentOnFirstDocument } from './support/steps.ts';
import { expect, PEOPLE, test } from './support/test.ts';

test.use({ baseURL: '' }); // starts its own nodes

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

test('two browsers at two nodes show the same count within two seconds; when a node stops, its browsers go to the other', async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const { first, second, balancer, remove } = await startTwoNodes();
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
    await expect.poll(() => unread(page), { timeout: 2000 + GRACE, intervals: [50] }).toBe(before + 1);

  balancer.sendTo(second.origin);
  const again = one.waitForRequest((request) => isStream(request.url()));
  const began = Date.now();
  await first.stop();
  expect(Date.now() - began, 'open streams do not hold up a node that stops').toBeLessThan(10_000);
  await again;
  // a comment joins an unread one on the same document
  await other.goto('notifications');
  await other.getByRole('button', { name: 'Mark all as read' }).click();
  for (const page of [one, other]) await expect.poll(() => unread(page)).toBe(0);
  await commentOnFirstDocument(browser, PEOPLE.eleanor, 'And this?', base);
  for (const page of [one, other]) await expect.poll(() => unread(page)).toBe(1);

  for (const page of [one, other]) await page.context().close();
  await second.stop();
  await remove();
});
