import { expect, type Browser, type JSHandle, type Locator, type Page } from 'playwright/test';
import { pdfOf } from '../../tests/support/pdf.ts';
import type { Portal } from './portal.ts';
import { enter } from './test.ts';

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
 * Lets the notifications about uploads leave without the half minute in which further uploads would be added to them, and
 * waits until their mails were delivered. The portal looks for due jobs every five seconds, and a page of the mailbox takes
 * seconds on a slow machine: a test that only looked at the mailbox for a while depended on both.
 */
export async function sendUploadNotices(portal: Portal): Promise<void> {
  await portal.sql('update upload_notices set created_at = created_at - 600000');
  // a later upload to the same place is announced by a job of its own
  await portal.sql("update notices set due_at = 1 where notice_key like 'uploads:%'");
  await portal.sql("update jobs set run_at = 1 where kind = 'uploads' and done_at is null");
  const waiting = async (): Promise<number> => {
    const [row] = await portal.sql(
      `select count(*) as n from jobs where done_at is null and (kind = 'uploads' or kind = 'mail' and run_at <= ${Date.now()})`,
    );
    return Number(row?.['n']);
  };
  await expect.poll(waiting, { message: 'the mails about uploads are delivered', timeout: 60_000 }).toBe(0);
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

/** Opens the form of a batch that gets a name, and types it; the page is that where publishing begins. */
export async function nameBatch(page: Page, name: string): Promise<void> {
  await page.getByText('With a name, folder or message').click();
  await page.getByLabel('Batch name').fill(name);
}

/** Opens the menu of the documents page, with what is done less often. */
export const openPageMenu = (page: Page): Promise<void> => page.locator('.page-menu > summary').click();

/** Opens the menu *View* of a grid, with its filters. */
export async function openView(page: Page): Promise<void> {
  const menu = page.locator('.view-menu');
  if (await menu.evaluate((details) => details.hasAttribute('open'))) return;
  await menu.locator(':scope > summary').focus();
  await page.keyboard.press('Enter');
}

/** Opens the menu of a row. */
export const openRowMenu = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();

/** An action in the open menu of a row: a link in the table, a menu item in the grid. */
export const rowAction = (page: Page, name: string): Locator =>
  page.getByRole('link', { name, exact: true }).or(page.getByRole('menuitem', { name, exact: true }));

/** The id of a client of the demo. */
export async function idOfClient(portal: Portal, name: string): Promise<string> {
  const [client] = await portal.sql(`select client_id from clients where name = '${name}'`);
  return String(client?.['client_id']);
}

/** Comments on the first document of a member of staff, in a browser of their own, which notifies the client's people. */
export async function commentOnFirstDocument(
  browser: Browser,
  email: string,
  comment: string,
  baseURL?: string,
): Promise<void> {
  const staff = await (await browser.newContext(baseURL === undefined ? {} : { baseURL })).newPage();
  await enter(staff, email, 'documents');
  await staff.getByRole('main').getByRole('checkbox', { name: /\.pdf/ }).first().check();
  await staff.getByText('More', { exact: true }).click();
  await staff.getByRole('button', { name: 'Comment', exact: true }).click();
  await staff.getByRole('textbox', { name: 'Your comment' }).fill(comment);
  await staff.getByRole('button', { name: 'Add comment' }).click();
  await staff.getByText(comment).waitFor();
  await staff.context().close();
}

/** The day so many days from now, as people in Brazil type it. */
export const brazilianDay = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).split('-').toReversed().join('/');
