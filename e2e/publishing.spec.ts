import { pdf } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

const FILES = 20;

test('staff publish twenty payslips by number, correct the one that no client matches, and undo it', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/publish');
  await page.getByLabel('Batch name').fill('Payslips November');
  await page.getByLabel('Folder').fill('Payroll {year}/Payslips');
  await page.getByRole('button', { name: 'Create batch' }).click();
  const names = Array.from({ length: FILES }, (_, index) =>
    index === 0 ? 'Wrong 0.pdf' : `JB-1042 payslip ${index}.pdf`,
  );
  await page
    .getByLabel('Files', { exact: true })
    .setInputFiles(names.map((name) => ({ name, mimeType: 'application/pdf', buffer: pdf(name) })));
  await page.getByRole('button', { name: 'Add files' }).click();
  await expect(page.getByText('20 files added.')).toBeVisible();
  await page.getByRole('button', { name: 'Match files to clients' }).click();
  const wrong = page.getByRole('row').filter({ hasText: 'Wrong 0.pdf' });
  await expect(wrong).toContainText('No client found');
  await expect(page.getByText('19 of 20 files are ready')).toBeVisible();
  await wrong.getByRole('link', { name: /Choose client/ }).click();
  await page.getByLabel('Client name or number').fill('Juniper');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('button', { name: /Juniper Street Bakery/ }).click();
  await expect(page.getByText('20 of 20 files are ready')).toBeVisible();
  await page.getByRole('button', { name: 'Publish 20 files' }).click();
  await expect(async () => {
    await page.reload();
    await expect(page.getByText('20 of 20 files published')).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.getByRole('button', { name: 'Undo publishing' }).click();
  await expect(page.getByText('20 documents moved to trash.')).toBeVisible();
});

for (const scripts of ['on', 'off'])
  test.describe(`with scripts ${scripts}`, () => {
    test.use({ javaScriptEnabled: scripts === 'on' });

    test('staff publish to one client, into a new folder, with a message that an error does not lose', async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/publish');
      await page.getByLabel('Client name or number').fill('Juniper');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: 'Juniper Street Bakery LLC JB-1042' }).click();
      await page.getByLabel('Folder', { exact: true }).selectOption({ label: 'New folder' });
      await page.getByLabel('Service').selectOption('Payroll');
      await page.getByLabel(/^Message to the contacts/).fill('Please sign <page 2>.');
      await page.getByRole('button', { name: 'Continue to files' }).click();
      await expect(page.getByText('Enter a folder name.').first()).toBeVisible();
      await expect(page.getByLabel(/^Message to the contacts/)).toHaveValue('Please sign <page 2>.');
      await expect(page.getByLabel('Folder', { exact: true })).toHaveValue('new');
      await expect(page.getByLabel('Service')).toHaveValue('Payroll');
      await page.getByLabel(/^New folder name/).fill(`Payroll, scripts ${scripts}`);
      await page.getByRole('button', { name: 'Continue to files' }).click();
      await expect(page.getByText('Please sign <page 2>.')).toBeVisible();
      await page
        .getByLabel('Files', { exact: true })
        .setInputFiles([{ name: 'Signed.pdf', mimeType: 'application/pdf', buffer: pdf(scripts) }]);
      await page.getByRole('button', { name: 'Add files' }).click();
      await expect(page.getByText('1 of 1 files are ready')).toBeVisible();
      await page.getByRole('button', { name: 'Publish 1 file' }).click();
      await expect(async () => {
        await page.reload();
        await expect(page.getByText('1 of 1 files published')).toBeVisible({ timeout: 1000 });
      }).toPass();
    });
  });
