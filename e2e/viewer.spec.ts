import { expectUsable } from './support/accessibility.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* Documents in the viewer (product.md, Documents; threat-model.md T51). */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('a PDF opens in the page with selectable text, search, zoom and rotation', async ({
    page,
    portal,
  }) => {
    await portal.sql('delete from document_reads'); // another test may have read it
    await enter(page, PEOPLE.olivia, 'documents?view=flat&name=tax+return');
    await page.goto('documents?view=flat&name=tax+return');
    const row = page.getByRole('row', { name: /Tax return 2025/ });
    await expect(row).toContainText('unread');
    await row.getByRole('link', { name: /Tax return 2025/ }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tax return 2025 - for your review.pdf');

    const first = page.getByRole('region', { name: 'Page 1 of 6' });
    await expect(first.getByText('U.S. Individual Income Tax Return')).toBeAttached();
    await expect
      .poll(() => first.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(600);

    await page.getByLabel('Find in this document').fill('adjusted gross');
    await page.getByRole('button', { name: 'Find' }).click();
    await expect(page.getByRole('status').filter({ hasText: /“adjusted gross” was found/ })).toBeVisible();
    await page.getByRole('navigation', { name: 'Pages with matches' }).getByRole('link').first().click();
    await expect(page).toHaveURL(/#page-\d$/);
    await expect(page.locator('.page rect').first()).toBeAttached();

    await page.getByRole('link', { name: '200%' }).click();
    await expect(first.locator('img')).toHaveAttribute('width', String(612 * 2 * (96 / 72)));
    await page.getByLabel('Page', { exact: true }).fill('5');
    await page.getByRole('button', { name: 'Go' }).click();
    await expect(page.getByRole('heading', { level: 2 }).first()).toHaveText('Page 5 of 6');
    await expect(page.getByText(/“adjusted gross”/)).toBeVisible();

    await page.getByRole('link', { name: 'Back to documents' }).click();
    await page.goto('documents?view=flat&name=tax+return');
    await expect(row).not.toContainText('unread');
  });
});

test('a PDF with a password says so and offers the download; with the preview setting its details are shown first', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.olivia, 'documents?view=flat&name=bank+letter');
  await page.goto('documents?view=flat&name=bank+letter');
  await page.getByRole('link', { name: /^Bank letter/ }).click();
  await expect(page.getByText('This PDF is password-protected')).toBeVisible();
  await expectUsable(page, 'a document that cannot be shown');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('main').getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Bank letter (password protected).pdf');

  const [contact] = await portal.sql(
    `select company_id, contact_id from contacts where full_name = 'Olivia Bennett'`,
  );
  const who = [contact?.['company_id'], contact?.['contact_id']].map((id) => `'${String(id)}'`).join(', ');
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) values (${who}, 'permission', 'ShowPreviewB4CCViewer', 1)`,
  );
  await page.reload();
  await expect(page.getByRole('region', { name: 'About this document' })).toContainText('39.2 kB');
  await expectUsable(page, 'the details of a document');
  await page.getByRole('link', { name: 'Open' }).click();
  await expect(page.getByText('This PDF is password-protected')).toBeVisible();
  await portal.sql(`delete from access_settings where name = 'ShowPreviewB4CCViewer'`);
});

test('a table and a photo open in the viewer for everybody', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await page.goto('documents?view=flat&name=hours');
  await page
    .getByRole('link', { name: /^Hours/ })
    .first()
    .click();
  await expect(page.getByRole('columnheader', { name: 'Account' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Petty cash' })).toBeVisible();
  await expectUsable(page, 'a table');
  await page.goto('documents?view=flat&name=oven');
  await page.getByRole('link', { name: /^Oven repair/ }).click();
  await expect(page.getByRole('img', { name: 'Image: Oven repair receipt.jpg' })).toBeVisible();
  await expectUsable(page, 'a photo');
});
