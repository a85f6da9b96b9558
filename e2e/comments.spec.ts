import type { Page } from 'playwright/test';
import { linkInMailbox, pdf, sendUploadNotices } from './support/steps.ts';
import { PEOPLE, enter, expect, signIn, test } from './support/test.ts';

/* Comments on documents, read state, and notifications. */

const row = (page: Page, name: string) =>
  page.getByRole('row', { name: new RegExp(name.replaceAll('.', '\\.')) });
const thread = (page: Page) => page.getByRole('list', { name: 'Comments, oldest first' });

async function choose(page: Page, name: string): Promise<void> {
  await row(page, name).getByRole('checkbox').check();
}

async function use(page: Page, act: string): Promise<void> {
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: act, exact: true }).click();
}

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('a contact and the firm exchange comments about a document', async ({ page, browser, portal }) => {
    const NAME = 'Tax return 2025 - for your review.pdf';
    await enter(page, PEOPLE.olivia);
    // the buttons appear only with a selection, so this is what an old page would send
    const answer = await page.request.post('documents', {
      form: { act: 'comment' },
      headers: { Origin: portal.origin },
    });
    expect(await answer.text()).toContain('Select a document first.');
    await choose(page, NAME);
    await use(page, 'Comment');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Comments on ${NAME}`);
    await expect(page.getByText('No comments yet')).toBeVisible();

    await page.getByLabel('Your comment').fill('   ');
    await page.getByRole('button', { name: 'Add comment' }).click();
    await expect(page.getByRole('alert')).toContainText('Enter a comment.');
    await page.getByLabel('Your comment').fill('Line 12 looks too high.\nIs it <b>right</b>?');
    await page.getByRole('button', { name: 'Add comment' }).click();
    await expect(page.getByRole('status').first()).toContainText('Comment added.');
    await expect(thread(page).getByRole('listitem')).toContainText(
      'Olivia Bennett Juniper Street Bakery LLC',
    );
    await expect(thread(page).getByRole('listitem')).toContainText('Is it <b>right</b>?');

    await page.getByRole('link', { name: 'Back to documents' }).click();
    await expect(row(page, NAME).getByRole('link', { name: '1 comment' })).toBeVisible();

    const { link, mail } = await linkInMailbox(page, `New comments on ${NAME}`);
    expect(mail).not.toContain('Line 12');
    const staff = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await staff.goto(`${portal.origin}/clientcenter/en-us/staff`);
    await signIn(staff, PEOPLE.eleanor);
    await staff.goto(link);
    await expect(thread(staff).getByRole('listitem')).toContainText('Line 12 looks too high.');
    await expect(thread(staff).getByRole('link', { name: 'Delete' })).toHaveCount(0);
    await staff.getByLabel('Your comment').fill('It is right.');
    await staff.getByRole('button', { name: 'Add comment' }).click();
    await expect(thread(staff).getByRole('listitem').nth(1)).toContainText('Eleanor Hart Maple & Hart CPAs');

    await row(page, NAME).getByRole('link', { name: '1 comment' }).click();
    await thread(page).getByRole('link', { name: 'Delete' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete comment');
    await page.getByRole('button', { name: 'Delete comment' }).click();
    await expect(page.getByRole('status').first()).toContainText('Comment deleted.');
    await expect(thread(page).getByRole('listitem')).toHaveCount(1);
  });

  test('documents can be marked as unread and as read', async ({ page }) => {
    await enter(page, PEOPLE.sophie);
    for (const [button, said, isNew] of [
      ['Mark as read', '1 document marked as read.', false],
      ['Mark as unread', '1 document marked as unread.', true],
    ] as const) {
      await choose(page, 'P60 2025-26.pdf');
      await use(page, button);
      await expect(page.getByRole('status').first()).toContainText(said);
      await expect(row(page, 'P60 2025-26.pdf').getByText('(unread)')).toHaveCount(isNew ? 1 : 0);
    }
  });
});

test('staff get one mail about all files dropped together, even if the person leaves the page right after the upload', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.sophie);
  await page.locator('input[type=file]').setInputFiles(
    ['Told one.pdf', 'Told two.pdf'].map((name) => ({
      name,
      mimeType: 'application/pdf',
      buffer: pdf(name),
    })),
  );
  for (const name of ['Told one.pdf', 'Told two.pdf']) await expect(row(page, name)).toBeVisible();
  await sendUploadNotices(portal);
  const { mail } = await linkInMailbox(page, '2 nouveaux documents d');
  expect(mail).toMatch(/Told one\.pdf\s+- Told two\.pdf/);
});
