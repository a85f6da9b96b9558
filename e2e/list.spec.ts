import type { Page } from 'playwright/test';
import { pdf } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * The list of documents for people who use a keyboard, a screen reader, a phone or a magnified page: focus,
 * headings, columns.
 */

const PHONE = { width: 360, height: 740 };
const columns = (page: Page) => page.locator('#document-list').getByRole('columnheader');
const title = (page: Page) => page.getByRole('heading', { name: 'Document list' });

test('focus stays on the sorted column, and moves to the top of the list after changing the page', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  const name = columns(page).getByRole('link', { name: 'Name' });
  await name.focus();
  await page.keyboard.press('Enter');
  await expect(columns(page).filter({ hasText: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(name).toBeFocused();
  await page.getByRole('link', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  await expect(title(page)).toBeFocused();
  await expect(page.locator('#status')).toContainText('101–');
  expect((await page.locator('#document-list').boundingBox())?.y).toBeGreaterThan(0);
  await expect(page.locator('#document-list tbody tr').first()).toBeInViewport();
});

test('focus stays on the sorted column when what keeps it arrives after htmx', async ({ page }) => {
  let release = (): void => undefined;
  const isPowered = new Promise<void>((resolve) => (release = resolve));
  await page.route(/document-swaps[^/]*\.js/, async (route) => {
    await isPowered;
    await route.continue();
  });
  await enter(page, PEOPLE.olivia);
  const name = columns(page).getByRole('link', { name: 'Name' });
  await name.focus();
  await page.keyboard.press('Enter');
  await expect(name).toHaveAttribute('data-htmx-powered', 'true');
  release();
  await expect(columns(page).filter({ hasText: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(name).toBeFocused();
});

test('a second skip link leads to the document list, which has its own heading', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to documents' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(title(page)).toBeFocused();
  await expect(page.getByRole('region', { name: 'Document list' })).toBeVisible();
});

test('on a phone the document list can be sorted, shows folder and sender, and keeps its column headings', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await enter(page, PEOPLE.olivia);
  await expect(columns(page)).toHaveCount(6);
  await page.locator('.page-menu > summary').click();
  await page.getByRole('button', { name: 'Sort' }).click();
  await page.locator('#sort-menu').getByRole('link', { name: 'Size' }).click();
  await expect(columns(page).filter({ hasText: 'Size' })).toHaveAttribute('aria-sort', 'descending');
  await expect(page.locator('.page-menu > summary')).toBeFocused();
  await expect(page).toHaveURL(/orderBy=originalItemSize/);
  const cells = page.locator('#document-list tbody tr').first().getByRole('cell');
  await expect(cells).toHaveCount(5);
  for (const cell of await cells.all()) await expect(cell).toBeVisible();
});

for (const lang of ['en-us', 'es', 'fr', 'pt'])
  test(`the filters are whole at 1280 px, and on a phone who gave each document and the pages, in ${lang}`, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await enter(page, PEOPLE.olivia);
    await page.goto(`../${lang}/documents`);
    expect(await page.locator('.chips').evaluate((chips) => chips.scrollWidth <= chips.clientWidth)).toBe(
      true,
    );
    expect((await page.getByRole('searchbox').boundingBox())?.width).toBeGreaterThanOrEqual(140);
    expect((await page.locator('#document-list tbody tr').first().boundingBox())?.y).toBeLessThanOrEqual(240);
    await page.setViewportSize(PHONE);
    const givers = page.locator('#document-list tbody td:nth-child(5)');
    expect(
      await givers.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
    ).toBe(0);
    const pages = page.locator('.pager .button');
    const [previous, next] = [await pages.first().boundingBox(), await pages.last().boundingBox()];
    expect(previous?.y).toBe(next?.y);
    await expect(page.locator('.pager > span').first()).toHaveText(/^1–100 \S+ 1\d\d$/);
  });

test('the filters of staff are whole at 1280 px in every language, and their search is there', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter(page, PEOPLE.eleanor);
  for (const lang of ['en-us', 'es', 'fr', 'pt']) {
    await page.goto(`../${lang}/documents`);
    await expect(page.locator('.upload-place select')).toBeVisible();
    const overflow = await page.locator('.chips').evaluate((chips) => chips.scrollWidth - chips.clientWidth);
    expect(overflow, lang).toBe(0);
  }
  await page.goto('../en-us/documents');
  await page.getByRole('searchbox').click();
  await page.keyboard.type('letter');
  expect((await page.getByRole('searchbox').boundingBox())?.width).toBeGreaterThanOrEqual(140);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/name=letter/);
});

test('after deleting documents on a phone the focus is on the list', async ({ page }) => {
  await page.setViewportSize(PHONE);
  await enter(page, PEOPLE.sophie);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'Gone.pdf', mimeType: 'application/pdf', buffer: pdf('gone') });
  await page
    .getByRole('row', { name: /Gone\.pdf/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete 1 document' }).click();
  await expect(page.getByRole('row', { name: /Gone\.pdf/ })).toHaveCount(0);
  await expect(title(page)).toBeFocused();
});

test('at 400% zoom the selection toolbar scrolls with the page', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await enter(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().check();
  await expect(page.locator('.tools')).toHaveCSS('position', 'static');
});

test('after the profile dialog closes the focus returns to the account menu', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('#account summary').click();
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('dialog', { name: 'Profile' }).getByLabel('First name').waitFor();
  await page.keyboard.press('Escape');
  await expect(page.locator('#account summary')).toBeFocused();
});

test('the new documents on the home page open with a click anywhere on their row', async ({ page }) => {
  await enter(page, PEOPLE.ana, 'home');
  const first = page.locator('li', { has: page.locator('time') }).first();
  const name = (await first.locator('bdi').first().textContent()) ?? '';
  await first.locator('time').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
});

test("people's names are not broken inside a word", async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'receipts');
  for (const width of [768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const broken = await page.locator('.person bdi').evaluateAll((names) =>
      names.flatMap((name) => {
        const text = name.firstChild;
        if (!text) return [];
        return [...(name.textContent ?? '').matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1 ? [word] : [];
        });
      }),
    );
    expect(broken, `${width} px`).toEqual([]);
  }
});
