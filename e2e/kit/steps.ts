import { expect, type Page } from 'playwright/test';
import { pdfOf } from '../../tests/kit/pdf.ts';

/** A small PDF that opens. */
export const pdf = (text: string): Buffer => pdfOf([text]);

/** Waits until so many mails of a subject are in the demo mailbox and answers the text of the newest, the link in it and its address. */
export async function linkInMailbox(page: Page, subject: string, mails = 1): Promise<{ link: string; mail: string; address: string }> {
  const here = page.url();
  const mailbox = here.replace(/(\/clientcenter\/[^/]+\/).*/, '$1mailbox');
  const entry = page.getByRole('main').getByRole('link', { name: new RegExp(subject) });
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

/** On a narrow screen the folders lie behind their heading. */
export async function openFolders(page: Page): Promise<void> {
  const first = page.getByRole('navigation', { name: 'Folders' }).getByRole('link').first();
  const heading = page.getByRole('heading', { name: 'Folders' });
  await heading.waitFor(); // before the page is there, nothing of it can be seen on a wide screen either
  await page.waitForLoadState();
  if (!(await first.isVisible())) await heading.click();
}
