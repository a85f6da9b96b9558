import { expect, type Page } from 'playwright/test';
import { pdfOf } from '../../tests/support/pdf.ts';

/** A small valid PDF. */
export const pdf = (text: string): Buffer => pdfOf([text]);

/**
 * Waits for a number of mails with a subject, or of a person, in the demo mailbox. Returns the text of the newest, the
 * link in it, and its URL.
 */
export async function linkInMailbox(
  page: Page,
  subject: string,
  mails = 1,
  to = '',
): Promise<{ link: string; mail: string; address: string }> {
  const here = page.url();
  const mailbox = here.replace(/(\/clientcenter\/[^/]+\/).*/, '$1mailbox');
  const entry = page
    .getByRole('row')
    .filter({ hasText: to })
    .getByRole('link', { name: new RegExp(subject) });
  await expect(async () => {
    await page.goto(mailbox);
    expect(await entry.count()).toBeGreaterThanOrEqual(mails);
  }).toPass({ timeout: 10_000 });
  await entry.first().click();
  const text = page.locator('.text');
  const mail = await text.innerText();
  const link = await text.getByRole('link').first().getAttribute('href');
  const address = page.url();
  await page.goto(here);
  return { link: link ?? '', mail, address };
}

/** Opens the list of folders, which is a sheet on narrow screens. */
export async function openFolders(page: Page): Promise<void> {
  const first = page.locator('#folder-list').getByRole('link', { includeHidden: true }).first();
  await first.waitFor({ state: 'attached' }); // before the page has loaded, nothing is visible on a wide screen either
  await page.waitForLoadState();
  if (!(await first.isVisible())) await page.locator('.folder-chip').click();
}

/** Opens the menu of the documents page, with what is done less often. */
export const openPageMenu = (page: Page): Promise<void> => page.locator('.page-menu > summary').click();
