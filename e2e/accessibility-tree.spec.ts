import type { Page } from 'playwright/test';
import { startPortal, type Portal } from './support/portal.ts';
import { linkInMailbox } from './support/steps.ts';
import { PEOPLE, enter, expect, settled, test as base } from './support/test.ts';

/*
 * What a screen reader finds on the main pages, in order: landmarks, headings, names, roles and states. It is in the
 * files of e2e/accessibility-tree/, and CONTRIBUTING.md says how to renew them.
 */

/** A portal in which no other test has changed anything, and whose tasks are late, or are not, on every day. */
const test = base.extend<object, { portal: Portal }>({
  portal: [
    async ({}, use) => {
      const portal = await startPortal();
      await portal.sql(
        `update tasks set due_on = case when due_on < '2026-12' then '2020' else '2199' end || substr(due_on, 5)`,
      );
      await use(portal);
      await portal.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

test('clients and those with whom they share find what the main pages hold, in order', async ({ page }) => {
  await expectTree(page, 'sign-in', 'auth');
  await enter(page, PEOPLE.olivia, 'home');
  await expectTree(page, 'home', 'home');
  await expectTree(page, 'documents', 'documents?view=flat&name=tax');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectTree(page, 'documents-on-a-phone', 'documents?view=flat&name=tax');
  await page.setViewportSize({ width: 1280, height: 720 });
  await expectTree(
    page,
    'viewer',
    await addressOf(page, 'documents?view=flat&name=engagement', 'Engagement letter 2025.pdf'),
  );
  await expectTree(page, 'profile', 'profile');
  await expectTree(page, 'tasks', 'tasks');
  await expectTree(page, 'task', await addressOf(page, 'tasks', 'Sales tax return for October'));
  const shared = await share(page);
  await expectTree(page, 'shared', 'shares');
  await expectTree(page, 'share', shared);
  await page.goto(shared);
  await page.getByRole('button', { name: /View document/ }).click();
  await page.getByRole('link', { name: /^Download/ }).waitFor();
  await expectTree(page, 'opened-share', page.url());
});

test('staff find what the main pages of a firm hold, in order', async ({ page }) => {
  await enter(page, PEOPLE.eleanor, 'staff/inbox');
  await expectTree(page, 'staff-inbox', 'staff/inbox?of=all');
  await expectTree(page, 'staff-clients', 'staff/clients?searchTerm=bakery');
  await expectTree(
    page,
    'staff-client',
    await addressOf(page, 'staff/clients?searchTerm=ashland+bakery', 'Ashland Bakery LLC'),
  );
  await expectTree(page, 'staff-tasks', 'staff/tasks?clientName=juniper');
  await expectTree(page, 'staff-settings', 'staff/settings');
});

/** Opens a page, and compares its tree with the file of this name. */
async function expectTree(page: Page, name: string, address: string): Promise<void> {
  await page.goto(address);
  await settled(page);
  await page.evaluate(withoutVaryingParts);
  await expect(page.locator('body')).toMatchAriaSnapshot({ name: `${name}.yml` });
}

/** Runs in the page. The addresses of links hold ids, and nobody hears them; dates depend on the day of the test. */
function withoutVaryingParts(): void {
  for (const link of document.querySelectorAll('a[href]')) {
    if (!link.hasAttribute('role')) link.setAttribute('role', 'link');
    link.removeAttribute('href');
  }
  const DATE =
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}(?:, \d{4})?(?:(?:,| at) \d{1,2}:\d\d\s[AP]M(?: [A-Z]{2,4})?)?/g;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    texts.currentNode.textContent = texts.currentNode.textContent?.replaceAll(DATE, 'date') ?? '';
}

async function addressOf(page: Page, list: string, name: string): Promise<string> {
  await page.goto(list);
  return (await page.getByRole('main').getByRole('link', { name }).first().getAttribute('href')) ?? '';
}

/** Shares two documents of Olivia, and returns the address of the link. */
async function share(page: Page): Promise<string> {
  await page.goto('documents?view=flat&name=tax');
  const ids = await page
    .locator('#document-list input[name=id]')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));
  const subject = 'For your loan';
  const answer = await page.request.post('/api/storage/v2/sharing/share', {
    data: {
      locale: 'en-US',
      expirationPeriod: 'AfterOneDay',
      recipients: [{ emailAddress: 'lending@firstbank.example' }],
      overrides: { subject },
      sharedItems: ids
        .slice(0, 2)
        .map((documentId) => ({ containerType: 'Folder', containerId: '-', documentId })),
    },
    headers: { Origin: new URL(page.url()).origin },
  });
  expect(answer.status()).toBe(200);
  return (await linkInMailbox(page, subject)).link;
}
