import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { enter, expect, test } from './support/test.ts';

/** Reloads until the page says so: the work goes on in the background. */
const reloadUntil = async (page: Page, text: RegExp): Promise<void> => {
  await expect(async () => {
    await page.reload();
    await expect(page.getByText(text).first()).toBeVisible({ timeout: 500 });
  }).toPass();
};

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('an owner exports the firm, follows the progress, downloads the archive in full and in part, and removes it', async ({
    page,
  }) => {
    await enter(page, 'hart@maplehart.example', 'staff/data-exports');
    await page.getByRole('button', { name: 'Export firm' }).click();
    await reloadUntil(page, /available until/);
    const address = (await page.getByRole('link', { name: /^Download/ }).getAttribute('href')) ?? '';
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download/ }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^firm-\d{4}-\d\d-\d\d\.zip$/);
    const bytes = await readFile(await file.path());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    const part = await page.request.get(address, { headers: { range: 'bytes=2-5' } });
    expect([part.status(), await part.body()]).toEqual([206, bytes.subarray(2, 6)]);
    await page.getByRole('button', { name: /^Remove file/ }).click();
    await expect(page.getByText('File removed')).toBeVisible();
  });

  test('an owner previews and applies retention periods', async ({ page }) => {
    await enter(page, 'hart@maplehart.example', 'staff/retention');
    await expect(page.getByText('No periods are set, so all documents are kept.')).toBeVisible();
    await page.getByLabel('Client uploads').selectOption('7 years');
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('heading', { name: 'Documents that will move to the trash' })).toBeVisible();
    await page.getByRole('button', { name: 'Apply periods' }).click();
    await expect(page.getByText(/^These periods apply from/)).toBeVisible();
    await expect(page.getByLabel('Client uploads')).toHaveValue('7');
  });

  test('an owner reviews access, one by one and a whole page at once', async ({ page }) => {
    await enter(page, 'hart@maplehart.example', 'staff/access-review');
    await page.getByRole('button', { name: 'Start a review' }).click();
    await page.getByRole('button', { name: /^Confirm Eleanor Hart/ }).click();
    await expect(page.getByText(/^1 of \d+ decided/)).toBeVisible();
    await page.getByRole('button', { name: /^Confirm all \d+ on this page$/ }).click();
    await expect(page.getByText(/^Finished/)).toBeVisible();
    await page.getByRole('link', { name: 'Show all' }).click();
    await expect(page.getByText(/Confirmed by Eleanor Hart on/).first()).toBeVisible();
    await page.getByRole('link', { name: 'Print view' }).click();
    await expect(page.getByRole('cell', { name: 'Eleanor Hart' }).first()).toBeVisible();
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Download CSV' })).toBeHidden();
    const headings = page.getByRole('table').locator('thead');
    await expect(headings, 'repeated on every page').toHaveCSS('display', 'table-header-group');
    await expect(headings).toContainText('Decided by');
    await expect(page.getByRole('table').locator('tbody tr').first()).toHaveCSS('display', 'table-row');
  });
});
