import type { Page } from 'playwright/test';
import { linkInMailbox } from './support/steps.ts';
import { enter, expect, PEOPLE, test } from './support/test.ts';

/* Messages between a client and its firm, without a task. */

test.use({ javaScriptEnabled: false });

const messages = (page: Page) => page.getByRole('list', { name: 'Messages, oldest first' });

test('a contact writes to the firm and reads the answer, and the firm sees that it was read', async ({
  page,
  browser,
  portal,
}) => {
  await enter(page, PEOPLE.olivia, 'home');
  await page.getByRole('link', { name: 'Write a message' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Messages with Maple & Hart CPAs');
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect(page.getByRole('alert')).toContainText('Enter a message.');
  await page
    .getByRole('textbox', { name: 'Your message' })
    .fill('We hired a baker.\nWhat is <b>missing</b>?');
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect(messages(page).getByRole('listitem')).toContainText('What is <b>missing</b>?');

  const firm = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await enter(firm, PEOPLE.eleanor, 'staff');
  await firm.getByRole('link', { name: '1 new message', exact: true }).click();
  await expect(messages(firm).getByRole('listitem')).toContainText('We hired a baker.');
  for (const [text, audience] of [
    ['Ask for her visa.', 'internal note'],
    ['Her W-4, please.', 'Juniper Street Bakery LLC'],
  ] as const) {
    await firm.getByRole('textbox', { name: 'Your message' }).fill(text);
    await firm.getByRole('radio', { name: audience }).check();
    await firm.getByRole('button', { name: 'Add message' }).click();
    await expect(messages(firm)).toContainText(text);
  }
  await expect(firm.getByText('Read by')).toHaveCount(0);

  await page.goto(`${portal.origin}/clientcenter/en-us/home`);
  const news = page.getByRole('region', { name: 'Messages from Maple & Hart CPAs' });
  await news.getByRole('link', { name: '1 new message' }).click();
  await expect(messages(page)).toContainText('Her W-4, please.');
  await expect(messages(page)).not.toContainText('visa');
  const { mail } = await linkInMailbox(page, 'New messages from Maple & Hart CPAs');
  expect(mail).not.toContain('W-4');
  await firm.reload();
  await expect(firm.getByText('Read by Olivia Bennett')).toBeVisible();
});
