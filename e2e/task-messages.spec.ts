import { linkInMailbox } from './support/steps.ts';
import { createTask, openTask, STATEMENTS_AND_MILES } from './support/tasks.ts';
import { expect, test } from './support/test.ts';
import type { Page } from 'playwright/test';

/* A contact and the firm write to each other about a task. */

const TITLE = 'Mileage of the van';
const messages = (page: Page) => page.getByRole('list', { name: 'Messages, oldest first' });

test.describe('on a phone with scripts', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('a contact asks about a task, the firm answers and notes something for itself, and the contact sees the answer alone', async ({
    page,
    browser,
    portal,
  }) => {
    const firm = await (
      await browser.newContext({
        viewport: { width: 1280, height: 800 },
        javaScriptEnabled: false,
        baseURL: `${portal.origin}/clientcenter/en-us/`,
      })
    ).newPage();
    await createTask(firm, TITLE, STATEMENTS_AND_MILES);
    await openTask(page, TITLE);
    await page.getByRole('link', { name: /^Ask .* a question$/ }).click();
    await page.getByRole('button', { name: 'Send message' }).click();
    await expect(page.getByRole('alert')).toContainText('Enter a message.');
    await page.getByRole('textbox', { name: 'Your message' }).fill('Which year?\nIs <b>2026</b> right?');
    await page.getByRole('button', { name: 'Send message' }).click();
    await expect(messages(page).getByRole('listitem')).toContainText('Is <b>2026</b> right?');
    await expect(page.getByRole('textbox', { name: 'Your message' })).toHaveValue('');

    await firm.goto('staff/inbox?of=all');
    await firm.getByRole('link', { name: `${TITLE}: 1 new message` }).click();
    await expect(messages(firm).getByRole('listitem')).toContainText('Which year?');
    await firm.goto('staff/inbox?of=all');
    await expect(firm.getByRole('link', { name: `${TITLE}: 1 new message` })).toHaveCount(0);
    await firm.goBack();
    const write = async (text: string, audience: RegExp, said: string): Promise<void> => {
      await firm.getByRole('textbox', { name: 'Your message' }).fill(text);
      await firm.getByRole('radio', { name: audience }).check();
      await firm.getByRole('button', { name: 'Add message' }).click();
      await expect(firm.getByRole('status').first()).toContainText(said);
    };
    await write('Asks every year.', /internal note/, 'Internal note added.');
    await write('Yes, 2026.', / and /, 'Message sent.');
    await expect(messages(firm).getByRole('listitem').nth(1)).toContainText('Internal note: only');

    await page.goto('tasks');
    const card = page.getByRole('listitem').filter({ hasText: TITLE });
    await expect(card).toContainText('1 new message');
    await card.getByRole('link').click();
    await page.getByRole('link', { name: '1 new message' }).click();
    await expect(messages(page)).toContainText('Yes, 2026.');
    await expect(page.getByRole('main')).not.toContainText('Asks every year.');
    await page.goto('tasks');
    await expect(page.getByRole('listitem').filter({ hasText: TITLE })).not.toContainText('new message');

    const { mail } = await linkInMailbox(page, `New messages: ${TITLE}`);
    expect(mail).not.toContain('2026');

    await page.getByRole('link', { name: TITLE }).click();
    await messages(page)
      .getByRole('link', { name: /^Delete/ })
      .click();
    await page.getByRole('button', { name: 'Delete message' }).click();
    await expect(messages(page)).toContainText('Deleted by its author');
    await expect(messages(page)).not.toContainText('Which year?');
    await firm.reload();
    await expect(messages(firm)).toContainText('Deleted by its author');
    await firm.context().close();
  });

  test('what somebody types in a message is kept while they are away', async ({ page }) => {
    await openTask(page, 'Sales tax return for October');
    await page.getByRole('textbox', { name: 'Your message' }).fill('Half a thought');
    await expect(page.getByText('Draft saved')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('textbox', { name: 'Your message' })).toHaveValue('Half a thought');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await expect(page.getByRole('textbox', { name: 'Your message' })).toHaveValue('');
  });
});
