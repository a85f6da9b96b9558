import { expectReadable } from './support/accessibility.ts';
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
