import { pdf } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

const FILES = 20;

test('staff publish twenty payslips by number, correct the one that no client matches, and undo it', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, 'staff/publish');
  await page.getByLabel('Name of the batch').fill('Payslips November');
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
    await expect(page.getByText('20 of 20 files are published.')).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.getByRole('button', { name: 'Undo publishing' }).click();
  await expect(page.getByText('20 documents are in the trash.')).toBeVisible();
});
