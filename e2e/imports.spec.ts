import { readFile } from 'node:fs/promises';
import { enter, expect, test } from './support/test.ts';

const row = (number: number): string =>
  number === 7
    ? 'E-7,,business,\n' // its name is missing
    : number === 9
      ? 'E-9,Client 9,business,12-34\n' // no EIN
      : `E-${number},Client ${number},business,\n`;
const FILE = `Number,Name,Type,EIN\n${Array.from({ length: 200 }, (_, index) => row(index + 1)).join('')}`;

test('200 clients are imported from a file, with two corrected problems, and undone', async ({ page }) => {
  await enter(page, 'hart@maplehart.example', 'staff/imports');
  const file = { name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('button', { name: 'Check rows' }).click();
  await expect(page.getByText('198 new records')).toBeVisible();
  await expect(page.getByText('2 rows with problems')).toBeVisible();

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download rows with problems (CSV)' }).click();
  const problems = await readFile(await (await downloading).path(), 'utf8');
  expect(problems).toContain('Name is missing.');
  expect(problems).toContain('isn’t a valid number');

  await page.getByRole('button', { name: 'Import 198 rows' }).click();
  await expect(page.getByRole('heading', { name: 'Import finished' })).toBeVisible();

  await page.getByRole('link', { name: 'Upload another file' }).click();
  const corrected = problems.replace('E-7,,', 'E-7,Client 7,').replace('12-34', '12-3456789');
  await page.getByLabel('File', { exact: true }).setInputFiles({ ...file, buffer: Buffer.from(corrected) });
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('button', { name: 'Check rows' }).click();
  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await expect(page.getByText('2 rows imported.')).toBeVisible();

  const exported = await page.request.get('staff/export/clients.csv');
  expect(await exported.text()).toContain('E-7,Client 7,business');

  await page.getByRole('button', { name: 'Undo the import' }).click();
  await expect(page.getByRole('heading', { name: 'Import undone' })).toBeVisible();
  await expect(page.getByText('2 rows undone.')).toBeVisible();
  expect(await (await page.request.get('staff/export/clients.csv')).text()).not.toContain('Client 7,');
});
