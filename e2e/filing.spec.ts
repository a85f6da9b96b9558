import type { Locator } from 'playwright/test';
import { pdf } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

for (const scripts of ['on', 'off'])
  test.describe(`with scripts ${scripts}`, () => {
    test.use({ javaScriptEnabled: scripts === 'on' });

    test('a document is renamed from its row, moved, and the move undone', async ({ page }) => {
      const name = `Lease ${scripts}`;
      await enter(page, PEOPLE.olivia, 'documents');
      await page
        .locator('input[type=file]')
        .setInputFiles([{ name: `${name}.pdf`, mimeType: 'application/pdf', buffer: pdf(name) }]);
      if (scripts === 'off') await page.getByRole('button', { name: 'Upload' }).click();
      const row = (text: string) => page.getByRole('row').filter({ hasText: text });
      await expect(row(`${name}.pdf`)).toBeVisible();
      /** By the menu of the row; without scripts as with a selection. */
      const organize = async (one: Locator): Promise<void> => {
        if (scripts === 'on') {
          await one.getByRole('button', { name: 'More options' }).click();
          await page.locator('#row-menu').getByRole('link', { name: 'Rename' }).click();
        } else {
          await one.getByRole('checkbox').check();
          await page.locator('.more summary').click();
          await page.getByRole('button', { name: 'Move or copy' }).click();
        }
      };
      await organize(row(`${name}.pdf`));
      await page.getByLabel('New name').fill(`Contract ${scripts}`);
      await page.getByRole('button', { name: 'Rename' }).click();
      await expect(page.getByText(`Renamed to Contract ${scripts}.pdf.`)).toBeVisible();
      await organize(row(`Contract ${scripts}.pdf`));
      const target = page.getByLabel('To folder');
      const other = target
        .locator('option')
        .filter({ hasNotText: /uploads|^Not in a folder$|^$/i })
        .first();
      await target.selectOption(await other.getAttribute('value'));
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await expect(page.getByText('1 item moved.')).toBeVisible();
      await expect(row(`Contract ${scripts}.pdf`)).toBeVisible();
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect(
        page.getByRole('region', { name: /^Notifications/ }).getByText('1 item moved back.'),
      ).toBeVisible();
      await expect(row(`Contract ${scripts}.pdf`)).toHaveCount(0);
    });
  });
