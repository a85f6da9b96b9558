import type { Page } from 'playwright/test';
import { PEOPLE, enter, expect, test } from './support/test.ts';

const create = async (page: Page, name: string, number: string): Promise<void> => {
  await page.goto('staff/clients/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.locator('input[name="code"]').fill(number);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
};

for (const scripts of ['on', 'off'])
  test.describe(`with scripts ${scripts}`, () => {
    test.use({ javaScriptEnabled: scripts === 'on' });

    test('a client whose number is almost that of another is named with it, and created only deliberately', async ({
      page,
    }) => {
      const number = scripts === 'on' ? '7101' : '7102';
      await enter(page, PEOPLE.eleanor, 'staff/clients');
      await create(page, `First ${number}`, number);
      await expect(page.getByRole('heading', { name: `First ${number}` })).toBeVisible();
      await create(page, `Second ${number}`, `0${number}`);
      const summary = page.getByRole('alert').filter({ hasText: 'The client wasn’t saved' });
      await expect(summary).toContainText(`This is almost the number of ${number} · First ${number}.`);
      await expect(summary.getByRole('link', { name: 'Open that client' })).toBeVisible();
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue(`Second ${number}`);
      await page.getByRole('button', { name: 'Create anyway' }).click();
      await expect(page.getByRole('heading', { name: `Second ${number}` })).toBeVisible();
      await page.goto('staff/imports');
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'clients.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`Number,Name\n00${number},Third\n`),
      });
      await page.getByRole('button', { name: 'Upload' }).click();
      await page.getByRole('button', { name: 'Check rows' }).click();
      await expect(page.getByText('1 possible duplicate, left out')).toBeVisible();
      const row = page.getByRole('row').filter({ hasText: 'Third' });
      await expect(row).toContainText(`Possible duplicate of ${number} · First ${number}.`);
      await expect(row.getByRole('link', { name: /^Possible duplicate of/ })).toBeVisible();
      await row.getByRole('button', { name: 'Update existing' }).click();
      await expect(row).toContainText('Changed');
      await page.getByRole('button', { name: 'Import 1 row' }).click();
      await expect(page.getByText('1 row imported.')).toBeVisible();
    });

    test('of three clients that are alike, two are merged, and the rest are marked as different and not listed again', async ({
      page,
    }) => {
      const name = scripts === 'on' ? 'Twin Bakery' : 'Twin Butcher';
      await enter(page, PEOPLE.eleanor, 'staff/clients');
      for (const number of [1, 2, 3]) await create(page, `${name}${number === 3 ? ', Inc.' : ' Inc'}`, '');
      await expect(page.getByRole('heading', { name: 'Possible duplicates' })).toBeVisible();
      await expect(page.getByRole('button', { name: /^Not a duplicate/ })).toHaveCount(2);
      await page.goto('staff/clients');
      await page.getByRole('link', { name: 'Possible duplicates' }).click();
      const pairs = page.getByRole('row').filter({ hasText: name });
      await expect(pairs).toHaveCount(3);
      await expect(pairs.first()).toContainText('Name');
      await pairs
        .first()
        .getByRole('link', { name: /^Merge/ })
        .click();
      const other = page.getByRole('link', { name: new RegExp(`^Keep ${name}`) });
      await expect(page.getByText('Use this if')).toHaveCount(0);
      const before = page.url();
      await other.click();
      expect(page.url()).not.toBe(before);
      await page.getByRole('button', { name: 'Merge clients' }).click();
      await expect(page.getByText(/was merged into/).first()).toBeVisible();
      await page.goto('staff/clients/duplicates');
      await expect(pairs).toHaveCount(1);
      await pairs.getByRole('button', { name: /^Not a duplicate/ }).click();
      await expect(page.getByText(/won’t be listed as duplicates again\.$/).first()).toBeVisible();
      await expect(pairs).toHaveCount(0);
    });
  });
