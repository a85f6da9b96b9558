import { expect, type Page } from 'playwright/test';

/** A small PDF that opens. */
export const pdf = (text: string): Buffer =>
  Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length ${text.length + 30}>>stream
BT /F1 12 Tf 20 50 Td (${text}) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`);

/** Waits for a mail in the demo mailbox and answers its text and the link in it. */
export async function linkInMailbox(page: Page, subject: string): Promise<{ link: string; mail: string }> {
  const here = page.url();
  const mailbox = here.replace(/(\/clientcenter\/[^/]+\/).*/, '$1mailbox');
  const entry = page.getByRole('main').getByRole('link', { name: new RegExp(subject) });
  await expect(async () => {
    await page.goto(mailbox);
    await expect(entry.first()).toBeVisible({ timeout: 100 });
  }).toPass({ timeout: 10_000 });
  await entry.first().click();
  const text = page.locator('.text');
  const mail = await text.innerText();
  const link = await text.getByRole('link').first().getAttribute('href');
  await page.goto(here);
  return { link: link ?? '', mail };
}

/** On a narrow screen the folders lie behind their heading. */
export async function openFolders(page: Page): Promise<void> {
  const first = page.getByRole('navigation', { name: 'Folders' }).getByRole('link').first();
  const heading = page.getByRole('heading', { name: 'Folders' });
  await heading.waitFor(); // before the page is there, nothing of it can be seen on a wide screen either
  await page.waitForLoadState();
  if (!(await first.isVisible())) await heading.click();
}
