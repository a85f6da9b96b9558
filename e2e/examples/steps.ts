import type { Page } from 'playwright/test';
import { openFolders } from '../support/steps.ts';

/** Submits the form of a page as it is, without the browser's own validation. */
export async function submitEmpty(page: Page, at: 'first' | 'last' = 'first'): Promise<void> {
  await page
    .locator('main form')
    [at]()
    .evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
      form.requestSubmit();
    });
  await page.locator('main [role=alert]').first().waitFor();
}

/** Enters a code that no email has. */
export async function checkUnknownCode(page: Page): Promise<void> {
  await page.locator('main input[name=code]').fill('0000-0000');
  await page.locator('main form button').click();
  await page.locator('main .alert').waitFor();
}

export async function openFolder(page: Page, name: RegExp): Promise<void> {
  await openFolders(page);
  await page.locator('#folder-list').getByRole('link', { name }).click();
}

/** Selects the first document of the list. */
export const selectFirst = (page: Page): Promise<void> =>
  page.locator('#document-list input[name=id]').first().check();

/** The id of the first document of the list. */
export const firstId = async (page: Page): Promise<string> =>
  (await page.locator('#document-list input[name=id]').first().getAttribute('value')) ?? '';
