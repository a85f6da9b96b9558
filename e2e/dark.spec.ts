import { expectReadable } from './support/accessibility.ts';
import { openFolders } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * The dark scheme with the colors of each firm of the demo: text on the page, on panels, and in selected or
 * hovered rows.
 */

test.use({ colorScheme: 'dark' });

for (const [firm, person] of [
  ['Maple & Hart', PEOPLE.olivia],
  ['Aurora', PEOPLE.ana],
  ['Northern Ledger', PEOPLE.sophie],
] as const) {
  test(`all text is readable in dark mode with the colors of ${firm}`, async ({ page }) => {
    await enter(page, person);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.mouse.move(0, 0);
      const row = page.locator('#document-list tbody tr').first();
      await row.getByRole('checkbox').uncheck();
      await expectReadable(page, `documents, ${width} px`);
      await row.hover();
      await expectReadable(page, `a hovered row, ${width} px`);
      await row.getByRole('checkbox').check();
      await expectReadable(page, `a selected row, ${width} px`);
    }
    await page.goto('receipts');
    await expectReadable(page, 'receipts');
    await page.locator('main tbody tr').first().hover();
    await expectReadable(page, 'a hovered receipt');
  });
}

for (const [firm, person] of [
  ['Maple & Hart', PEOPLE.eleanor],
  ['Aurora', PEOPLE.lima],
] as const)
  test(`the staff area is readable in dark mode with the colors of ${firm}`, async ({ page }) => {
    await enter(page, person, 'staff/inbox');
    for (const path of ['staff/inbox', 'staff/clients', 'staff/tasks', 'staff/settings']) {
      await page.goto(path);
      await expectReadable(page, path);
    }
    await page.goto('staff/clients');
    await page.getByRole('table').hover();
    await expect(page.getByRole('table')).toHaveCount(0); // a grid from then on
    const row = page.getByRole('grid').getByRole('row').nth(1);
    await row.hover();
    await expectReadable(page, 'a hovered client');
    await row.getByRole('checkbox').check();
    await expectReadable(page, 'a selected client');
  });

test('a part of the page that is loading stays readable', async ({ page }) => {
  await enter(page, PEOPLE.ana);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page
      .locator('[data-wakes-with-selection] astro-island')
      .evaluate((island) => island.setAttribute('aria-busy', 'true'));
    await expectReadable(page, colorScheme);
  }
  await expect(page.locator('astro-island[aria-busy=true]')).toHaveCount(1);
});

for (const width of [360, 1280]) {
  test(`where the device chooses the colors, the current tab and folder and unread documents stand out at ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ forcedColors: 'active' });
    await enter(page, PEOPLE.olivia);
    const folder = page.locator('#folder-list a[href*="folder="]').first();
    await page.goto((await folder.getAttribute('href')) ?? '');
    if (width === 360) await openFolders(page);
    const looks = (selector: string): Promise<string[]> =>
      page.locator(selector).evaluateAll((links) =>
        links
          .filter((link) => link.checkVisibility())
          .map((link) => {
            const style = getComputedStyle(link);
            return [
              style.borderTopColor,
              style.borderBlockEndColor,
              style.borderBlockEndWidth,
              style.backgroundColor,
              style.color,
              style.outline,
            ].join();
          }),
      );
    for (const [current, others] of [
      ['.tabs a[aria-current]', '.tabs a:not([aria-current])'],
      ['#folder-list a[aria-current]', '#folder-list a:not([aria-current])'],
    ] as const) {
      const [[look], rest] = [await looks(current), await looks(others)];
      expect(look, current).toBeDefined();
      expect(rest.length, others).toBeGreaterThan(0);
      expect(rest, current).not.toContain(look);
    }
    await page.goto('documents?read=no');
    const dot = page.locator('#document-list .dot').first();
    const [ground, under] = await dot.evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(document.body).backgroundColor,
    ]);
    expect(ground).not.toBe(under);
  });
}
