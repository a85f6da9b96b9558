import type { Page } from 'playwright/test';
import { dragOverRow, openFolders, openPageMenu } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

const rows = (page: Page) => page.locator('#document-list input[name=id]');
const widerThanScreen = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** Where the first row begins, and how many rows are wholly visible, also above a bar at the bottom. */
async function listOnScreen(page: Page): Promise<{ first: number; count: number }> {
  await rows(page).first().waitFor();
  return page.evaluate(() => {
    const bar = document.querySelector('.upload-ways');
    const end =
      bar && getComputedStyle(bar).position === 'fixed' ? bar.getBoundingClientRect().top : innerHeight;
    const places = [...document.querySelectorAll('#document-list tbody tr')].map((row) =>
      row.getBoundingClientRect(),
    );
    return { first: places[0]?.top ?? NaN, count: places.filter(({ bottom }) => bottom <= end).length };
  });
}

for (const { viewport, javaScriptEnabled } of WAYS) {
  test.describe(`${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('a contact browses folders and creates one, and an invalid name is explained', async ({ page }) => {
      await enter(page, PEOPLE.olivia);
      await openFolders(page);
      const bank = page.getByRole('link', { name: /^Bank statements \d+ documents/ });
      const count = Number(/\d+/.exec((await bank.textContent()) ?? ''));
      expect(count).toBeGreaterThanOrEqual(12); // other tests may have uploaded more
      await bank.click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bank statements');
      await expect(rows(page)).toHaveCount(count);
      const path = page.getByRole('navigation', { name: 'Breadcrumb' });
      await expect(path.getByRole('listitem')).toHaveText([
        'Documents',
        'Tax return 2025',
        'Bank statements',
      ]);

      const made = `Receipts ${viewport.width} ${String(javaScriptEnabled)}`;
      const submit = async (typed: string): Promise<void> => {
        if (!(await page.getByLabel('Folder name').isVisible())) {
          await openPageMenu(page);
          await page.getByText('New folder').click();
        }
        await page.getByLabel('Folder name').fill(typed);
        await page.getByRole('button', { name: 'Create folder' }).click();
      };
      await submit(made);
      await expect(page.getByRole('status').filter({ hasText: `Folder ${made} created.` })).toBeVisible();
      await submit(made.toUpperCase());
      await expect(page.getByRole('alert')).toContainText('A folder with this name already exists.');
      await expect(page.getByLabel('Folder name')).toHaveValue(made.toUpperCase());
      await submit('a/b');
      await expect(page.getByRole('alert')).toContainText('Names can’t include');
      expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);

      await openPageMenu(page); // which was open with the error: it closes
      await openFolders(page);
      await page.getByRole('link', { name: new RegExp(`^${made}`) }).click();
      await expect(path.getByRole('listitem')).toHaveText([
        'Documents',
        'Tax return 2025',
        'Bank statements',
        made,
      ]);
      await expect(page.getByText('This folder is empty.')).toBeVisible();
      await path.getByRole('link', { name: 'Tax return 2025' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tax return 2025');
    });

    test('a contact searches documents by word prefixes, filters unread ones, and lists all without folders', async ({
      page,
    }) => {
      await enter(page, PEOPLE.olivia);
      await page.getByRole('searchbox').fill('state 2026-0');
      await page.getByRole('searchbox').press('Enter');
      await expect(rows(page)).toHaveCount(9);
      await expect(page).toHaveURL(/name=state/);
      await page.getByRole('searchbox').fill('zzz');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByText('No documents match “zzz”.')).toBeVisible();
      await page.getByRole('link', { name: 'Clear search' }).click();
      await expect(rows(page)).toHaveCount(100);
      await page.getByRole('link', { name: 'Unread' }).click();
      await expect(page.locator('.documents tbody tr:not(.is-new)')).toHaveCount(0);
      await expect(page.locator('.documents tbody tr').first()).toBeVisible();
      await openPageMenu(page);
      await page.getByRole('link', { name: 'List view' }).click();
      await expect(page.getByRole('navigation', { name: 'Folders' })).toHaveCount(0);
      await openPageMenu(page);
      await page.getByRole('link', { name: 'Folder view' }).click();
      await openFolders(page);
      await expect(page.getByRole('navigation', { name: 'Folders' })).toBeVisible();
      expect(await widerThanScreen(page)).toBeLessThanOrEqual(0);
    });
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'on a phone' : 'on a phone without scripts', () => {
    test.use({ viewport: { width: 360, height: 740 }, javaScriptEnabled });

    test('on a phone the list begins within 210 px with six documents, and the actions appear at the bottom after selecting one', async ({
      page,
    }) => {
      await enter(page, PEOPLE.olivia);
      const { first, count } = await listOnScreen(page);
      expect(first).toBeLessThanOrEqual(210);
      expect(count).toBeGreaterThanOrEqual(6);
      await expect(page.getByRole('button', { name: 'Delete' })).toBeHidden();
      await rows(page).nth(1).scrollIntoViewIfNeeded();
      const before = await rows(page).nth(1).boundingBox();
      await rows(page).nth(1).check();
      expect(await rows(page).nth(1).boundingBox(), 'rows do not move when one is selected').toEqual(before);
      for (const name of ['Download', 'Delete', 'Share'])
        await expect(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
      await page.locator('.more summary').click();
      await expect(page.getByRole('button', { name: 'Comment' })).toBeInViewport({ ratio: 1 });
    });
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'on a desktop' : 'on a desktop without scripts', () => {
    test.use({ viewport: { width: 1280, height: 800 }, javaScriptEnabled });

    test('the list begins within 240 px with nine documents', async ({ page }) => {
      await enter(page, PEOPLE.olivia);
      const { first, count } = await listOnScreen(page);
      expect(first).toBeLessThanOrEqual(240);
      expect(count).toBeGreaterThanOrEqual(9);
    });

    test('filters combine, and are turned off one by one', async ({ page }) => {
      await enter(page, PEOPLE.olivia);
      const filters = page.getByRole('navigation', { name: 'Filters' });
      await filters.getByRole('button', { name: 'From' }).click();
      await page.getByRole('link', { name: 'From the firm' }).click();
      await expect(page.getByRole('cell', { name: 'You', exact: true })).toHaveCount(0);
      await expect(page.getByRole('cell', { name: /^Maple & Hart CPAs/ }).first()).toBeVisible();
      await filters.getByRole('link', { name: 'Unread' }).click();
      await expect(page).toHaveURL(/read=no&by=firm/);
      await expect(page.locator('.documents tbody tr:not(.is-new)')).toHaveCount(0);
      await filters.getByRole('button', { name: 'From the firm' }).click();
      await page.locator('#sides').getByRole('link', { name: 'All' }).click();
      await expect(page).not.toHaveURL(/by=/);
      await filters.getByRole('link', { name: 'All' }).click();
      await filters.getByRole('button', { name: 'Year' }).click();
      await page.locator('#years').getByRole('link', { name: '2026' }).click();
      await expect(filters.getByRole('button', { name: '2026' })).toBeVisible();
      await expect(rows(page).first()).toBeVisible();
      await page.goto('documents?by=firm&year=1999');
      await expect(page.getByText('No document matches these filters.')).toBeVisible();
    });
  });
}

test('a row opens its document wherever it is clicked, and its menu has what can be done with it', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  const row = page.getByRole('row', { name: /Oven repair receipt\.jpg/ });
  await row.getByRole('button', { name: 'More options' }).click();
  const menu = page.locator('#row-menu');
  await expect(menu.getByText('Oven repair receipt.jpg')).toBeVisible();
  await expect(menu.getByRole('listitem')).toHaveText([
    'Open',
    'Download',
    'Share',
    'Comment',
    'Rename',
    'Move or copy',
    'Delete',
  ]);
  await menu.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('link', { name: 'Cancel' }).click();
  await expect(page.locator('[data-selection]')).toHaveText('1 document selected');
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeHidden();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row
      .getByRole('button', { name: 'More options' })
      .click()
      .then(() => menu.getByRole('link', { name: 'Download' }).click()),
  ]);
  expect(download.suggestedFilename()).toBe('Oven repair receipt.jpg');
  await page.goto('documents');
  await row.scrollIntoViewIfNeeded(); // other tests upload documents above it
  const origin = await row.getByText('You', { exact: true }).boundingBox();
  if (!origin) throw new Error('The row does not say who uploaded the document.');
  await page.mouse.click(origin.x + 4, origin.y + 4);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Oven repair receipt.jpg');
});

test('files dropped anywhere on the page are uploaded', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  const drop = await dragOverRow(page, 'Dropped on a row.pdf');
  await drop();
  await expect(page.locator('#alerts').getByText('Dropped on a row.pdf uploaded.')).toBeVisible();
});

test('rows are selected with the keyboard one by one, as a range and all at once, and the count is shown', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  const status = page.locator('[data-selection]');
  await rows(page).nth(1).focus();
  await page.keyboard.press('Space');
  await expect(status).toHaveText('1 document selected');
  await rows(page).nth(5).focus();
  await page.keyboard.press('Shift+Space');
  await expect(status).toHaveText('5 documents selected');
  await rows(page)
    .nth(8)
    .click({ modifiers: ['Shift'] });
  await expect(status).toHaveText('8 documents selected');
  await rows(page)
    .nth(7)
    .click({ modifiers: ['Shift'] });
  await expect(status).toHaveText('7 documents selected');
  await page.locator('[data-select-all]').focus();
  await page.keyboard.press('Space');
  await expect(status).toHaveText('100 documents selected');
});

test('a range can start at a row that was selected before the scripts loaded', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await rows(page).first().waitFor();
  const gate = Promise.withResolvers<void>();
  await page.route(/\.js$/, (route) => gate.promise.then(() => route.continue()));
  await page.reload({ waitUntil: 'commit' });
  await rows(page).nth(1).check();
  gate.resolve();
  await expect(page.locator('[data-selection]')).toHaveText('1 document selected');
  await rows(page)
    .nth(4)
    .click({ modifiers: ['Shift'] });
  await expect(page.locator('[data-selection]')).toHaveText('4 documents selected');
});

test('a click before the scripts have loaded still sorts the list without a page load', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await rows(page).first().waitFor();
  await page.waitForLoadState();
  const gate = Promise.withResolvers<void>();
  await page.route(/\.js$/, (route) => gate.promise.then(() => route.continue()));
  await page.evaluate(() => document.body.classList.add('same-page'));
  await page.getByRole('link', { name: 'Size' }).click();
  gate.resolve();
  await expect(page).toHaveURL(/orderBy=originalItemSize/);
  await expect(page.locator('body.same-page')).toBeVisible();
  await page.goBack();
  await expect(page).not.toHaveURL(/orderBy/);
  await expect(rows(page)).toHaveCount(100);
});

test('when loading a list fails, the portal says so and the previous list stays', async ({
  page,
  trouble,
}) => {
  trouble.expect(/answered 503/);
  await enter(page, PEOPLE.olivia);
  await rows(page).first().waitFor();
  await page.waitForLoadState(); // before the scripts have loaded, the link opens a page
  await page.route(/partials\/documents/, (route) => route.fulfill({ status: 503, body: 'away' }));
  await page.getByRole('link', { name: 'Size' }).click();
  await expect(page.locator('#alerts')).toContainText('Unable to retrieve documents.');
  await expect(rows(page)).toHaveCount(100);
});
