import type { Page } from 'playwright/test';
import { enter, expect, PEOPLE, test } from './support/test.ts';

/*
 * The practice firm: staff enter it, do something as the firm and as a client, start over and leave. The bar is on each page,
 * and nothing has left the portal. Without scripts.
 */

test.use({ javaScriptEnabled: false });

const bar = (page: Page) => page.getByRole('region', { name: 'Practice firm' });
const h1 = (page: Page) => page.getByRole('heading', { level: 1 });

test('staff try things as the firm and as a client, start over, and leave; nothing leaves the portal', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/settings');
  await expect(bar(page)).toHaveCount(0);
  await page.getByRole('link', { name: 'Practice firm' }).click();
  const received = async () => (await portal.sql('select count(*) as n from mailbox'))[0]?.['n'];
  const before = await received();
  await page.getByRole('button', { name: 'Create a practice firm' }).click();
  await expect(h1(page)).toHaveText('Inbox');
  await expect(bar(page)).toContainText('Nothing leaves this portal.');

  // as the firm: an answer to the client's message
  await page.getByRole('link', { name: '1 new message', exact: true }).click();
  await expect(bar(page)).toBeVisible();
  await page.getByRole('textbox', { name: 'Your message' }).fill('Monday is fine.');
  await page.getByRole('radio', { name: 'Example Bakery' }).check();
  await page.getByRole('button', { name: 'Add message' }).click();
  await expect(page.getByText('Monday is fine.')).toBeVisible();

  // as the client
  await bar(page).getByRole('link', { name: 'Options' }).click();
  await page.getByRole('button', { name: 'Be Robin Example' }).click();
  await expect(h1(page)).toHaveText('Hello Robin');
  await expect(bar(page)).toContainText('You are Robin Example, a client.');
  await page.getByRole('link', { name: 'Write a message' }).click();
  await expect(page.getByText('Monday is fine.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Your message' }).fill('Thank you.');
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect(page.getByText('Thank you.')).toBeVisible();
  await page.goto('staff/practice');
  await expect(page).toHaveURL(/not-authorized/);
  await expect(bar(page)).toBeVisible();
  await bar(page).getByRole('button', { name: 'Back to the firm’s side' }).click();
  await expect(h1(page)).toHaveText('Inbox');

  // the emails are listed, and none was sent
  await page.goto('staff/mails');
  await expect(page.getByRole('row').filter({ hasText: 'practice.invalid' }).first()).toContainText(
    'Canceled',
  );
  await expect
    .poll(
      async () =>
        (await portal.sql(`select count(*) as n from jobs where kind = 'mail' and done_at is null`))[0]?.[
          'n'
        ],
    )
    .toBe(0);
  expect(await received()).toBe(before);

  // anew
  await bar(page).getByRole('link', { name: 'Options' }).click();
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(page.getByText('You have a new practice firm.')).toBeVisible();
  await page.goto('staff');
  await expect(page.getByRole('link', { name: '1 new message', exact: true })).toBeVisible();

  await bar(page).getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByText('You’re back in your own firm.')).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  await page.goto('staff/clients?searchTerm=bakery');
  await expect(page.getByText('Example Bakery')).toHaveCount(0);
  await expect(page.getByText('Juniper Street Bakery LLC').first()).toBeVisible();
});

for (const width of [360, 1280])
  test(`at ${width} px the bar is above the header, and nothing is cut`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await enter(page, PEOPLE.eleanor, 'staff/practice');
    await page
      .getByRole('button', { name: /practice firm$/ })
      .first()
      .click();
    await expect(h1(page)).toHaveText('Inbox');
    const [above, header] = [await bar(page).boundingBox(), await page.locator('.header').boundingBox()];
    expect(above?.y).toBe(0);
    expect(header?.y).toBe(above?.height);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await bar(page).getByRole('button', { name: 'Leave' }).click();
  });
