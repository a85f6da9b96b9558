import { expect, type JSHandle, type Page } from 'playwright/test';
import { pdfOf } from '../../tests/support/pdf.ts';

/** A small valid PDF. */
export const pdf = (text: string): Buffer => pdfOf([text]);

/** A PDF to drop on a page. */
export const pdfToDrop = (page: Page, name: string): Promise<JSHandle<DataTransfer>> =>
  page.evaluateHandle(
    ([fileName, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([bytes], fileName, { type: 'application/pdf' }));
      return data;
    },
    [name, pdf(name).toString()] as const,
  );

/** Drags a PDF over a row of the list of documents, until the page shows that it can be dropped. Returns what drops it. */
export async function dragOverRow(page: Page, name: string): Promise<() => Promise<void>> {
  const dataTransfer = await pdfToDrop(page, name);
  const row = page.locator('#document-list tbody tr').nth(2);
  await row.dispatchEvent('dragenter', { dataTransfer });
  await expect(async () => {
    await row.dispatchEvent('dragover', { dataTransfer });
    await expect(page.locator('html')).toHaveAttribute('data-dropping', '', { timeout: 500 });
  }).toPass();
  return () => row.dispatchEvent('drop', { dataTransfer });
}

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
  const href = (await entry.first().getAttribute('href')) ?? '';
  await page.goto(new URL(href, mailbox).href);
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
