import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright/test';
import { sheet, workbook } from '../tests/support/workbook.ts';
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

  await page.getByRole('button', { name: 'Undo import' }).click();
  await expect(page.getByRole('heading', { name: 'Import undone' })).toBeVisible();
  await expect(page.getByText('2 rows undone.')).toBeVisible();
  expect(await (await page.request.get('staff/export/clients.csv')).text()).not.toContain('Client 7,');
});

test('without a file the page asks for one', async ({ page }) => {
  await enter(page, 'hart@maplehart.example', 'staff/imports');
  const choice = page.getByLabel('File', { exact: true });
  await choice.evaluate((field: HTMLInputElement) => (field.required = false)); // as browsers that do not check it
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page.locator('#file-error')).toHaveText('Choose a CSV or Excel file first.');
});

const CONTACTS = [
  'E-mail;Given name;Surname;Remark',
  'nia@bakery.example;Nia;Newman;new',
  'pat@bakery.example;Pat;Porter;new',
  'not an address;Ola;Odd;',
  'hart@maplehart.example;Eleanor;Hart;works here',
  'nia@bakery.example;Nia;Newman;again',
].join('\n');
const LINKS = [
  'Client no;E-mail',
  'JB-1042;nia@bakery.example',
  'jb-1042;pat@bakery.example',
  'NONE-1;nia@bakery.example',
  'JB-1042;stranger@bakery.example',
].join('\n');

async function upload(page: Page, kind: string, csv: string): Promise<void> {
  await page.getByLabel('What the file contains').selectOption({ label: kind });
  const buffer = Buffer.from(csv);
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page.getByRole('heading', { name: 'Assign columns' })).toBeVisible();
}

/** The row of a problem; they are listed first. */
const problemOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name }).first();

/** Nothing is wider than the screen but what scrolls in itself. */
const expectFits = async (page: Page): Promise<void> => {
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
};

for (const { name, ...context } of [
  { name: 'on a desktop', viewport: { width: 1280, height: 800 } },
  { name: 'on a phone', viewport: { width: 360, height: 740 } },
  { name: 'without scripts', viewport: { width: 360, height: 740 }, javaScriptEnabled: false },
])
  test.describe(name, () => {
    test.use(context);

    test('contacts and their links are imported from files, those without access invited, and both undone', async ({
      page,
    }) => {
      await enter(page, 'hart@maplehart.example', 'staff/imports');
      await upload(page, 'Contacts', CONTACTS);
      await expect(page.getByLabel('E-mail')).toHaveValue('email');
      await expect(page.getByLabel('Given name')).toHaveValue('firstName');
      await page.getByLabel('Surname').selectOption({ label: 'Not imported' });
      await page.getByLabel('Remark').selectOption({ label: 'Last name' });
      await page.getByLabel('E-mail').selectOption({ label: 'Not imported' });
      await expectFits(page);
      await page.getByRole('button', { name: 'Check rows' }).click();
      await expect(page.getByText('Choose a column for: Email.')).toBeVisible();
      await expect(page.getByLabel('Remark')).toHaveValue('lastName');
      await page.getByLabel('Remark').selectOption({ label: 'Not imported' });
      await page.getByLabel('Surname').selectOption({ label: 'Last name' });
      await page.getByLabel('E-mail').selectOption({ label: 'Email' });
      await page.getByRole('button', { name: 'Check rows' }).click();

      await expect(page.getByText('2 new records')).toBeVisible();
      await expect(page.getByText('3 rows with problems')).toBeVisible();
      await expect(problemOf(page, 'not an address')).toContainText('Email isn’t a valid email address.');
      await expect(problemOf(page, 'hart@maplehart.example')).toContainText(
        'This email address belongs to a member of your team.',
      );
      await expect(problemOf(page, 'nia@bakery.example')).toContainText(
        'The same record is already on line 2.',
      );
      await expectFits(page);
      const invites = page.getByLabel('Invite the contacts who can’t sign in yet');
      await expect(invites).not.toBeChecked();
      await invites.check();
      await page.getByRole('button', { name: 'Import 2 rows' }).click();
      await expect(page.getByRole('heading', { name: 'Import finished' })).toBeVisible();
      await expect(page.getByText('2 rows imported.')).toBeVisible();
      await expect(page.getByText('2 invitations queued.')).toBeVisible();
      await expectFits(page);
      const contacts = page.url();

      await page.getByRole('link', { name: 'Upload another file' }).click();
      await upload(page, 'Links between contacts and clients', LINKS);
      await page.getByRole('button', { name: 'Check rows' }).click();
      await expect(page.getByText('2 changed')).toBeVisible();
      await expect(problemOf(page, 'NONE-1')).toContainText('No client has this number');
      await expect(problemOf(page, 'stranger@bakery.example')).toContainText(
        'No contact has this email address.',
      );
      await page.getByRole('button', { name: 'Import 2 rows' }).click();
      await expect(page.getByText('2 rows imported.')).toBeVisible();
      await expect(page.getByText(/invitations? queued/)).toBeHidden();

      const linked = page.url();
      // the same file again changes nothing, but its people can still be invited
      await page.getByRole('link', { name: 'Upload another file' }).click();
      await upload(page, 'Links between contacts and clients', LINKS);
      await page.getByRole('button', { name: 'Check rows' }).click();
      await expect(page.getByText('You can still invite the contacts in this file')).toBeVisible();
      await expectFits(page);
      await page.getByRole('button', { name: 'Invite them' }).click();
      await expect(page.getByText('0 rows imported.')).toBeVisible();
      const links = await (await page.request.get('staff/export/links.csv')).text();
      expect(links).toContain('JB-1042,nia@bakery.example');

      for (const address of [linked, contacts]) {
        await page.goto(address);
        await page.getByRole('button', { name: 'Undo import' }).click();
        await expect(page.getByRole('heading', { name: 'Import undone' })).toBeVisible();
        await expect(page.getByText('2 rows undone.')).toBeVisible();
      }
      expect(await (await page.request.get('staff/export/contacts.csv')).text()).not.toContain(
        'bakery.example',
      );
    });
  });

test('a report with titles is read from its second line on, and zeros that a spreadsheet dropped are put back', async ({
  page,
}) => {
  await enter(page, 'hart@maplehart.example', 'staff/imports');
  const report = 'Clients of Aurora;;\nNumber;Name;CPF\nQ-1;Fulano;1234567890\nQ-2;Sicrana;1,23E+10\n';
  const file = { name: 'report.csv', mimeType: 'text/csv', buffer: Buffer.from(report) };
  await page.getByText('The table isn’t at the top of the first sheet').click();
  await expect(page.getByLabel('Line with the column names')).toBeVisible();
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page.getByText('The column names were found in line 2.')).toBeVisible();
  await page.getByRole('button', { name: 'Check rows' }).click();
  await expect(page.getByText('CPF has lost zeros at its beginning. Is it 012.345.678-90?')).toBeVisible();
  await expect(page.getByText('CPF was shortened by the spreadsheet.')).toBeVisible();
  await page.getByRole('button', { name: 'Use 012.345.678-90' }).click();
  await expect(page.getByText('1 new record')).toBeVisible();
  await expect(page.getByText('1 row with problems')).toBeVisible();
});

test('another sheet of a workbook is read without sending the file again', async ({ page }) => {
  await enter(page, 'hart@maplehart.example', 'staff/imports');
  const cells = (...texts: string[]): string =>
    texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('');
  const buffer = workbook(sheet([cells('Number', 'Name'), cells('W-1', 'Workbook one')]), undefined, {
    Archive: sheet([cells('Clients of 2025'), cells('Number', 'Name'), cells('W-9', 'Workbook nine')]),
  });
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'book.xlsx', mimeType, buffer });
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page.getByText('Workbook one')).toBeVisible();
  await page.getByLabel('Sheet').selectOption('Archive');
  await page.getByRole('button', { name: 'Read again' }).click();
  await expect(
    page.getByText('Read from sheet “Archive”, with the column names in line 2.', { exact: true }),
  ).toBeVisible();
  await page.getByLabel('Line with the column names').fill('77');
  await page.getByRole('button', { name: 'Read again' }).click();
  await expect(page.locator('#headingLine-error')).toHaveText('The file has no rows below the column names.');
  await page.getByRole('button', { name: 'Check rows' }).click();
  await expect(page.getByText('1 new record')).toBeVisible();
  await expect(page.getByRole('rowheader', { name: 'W-9 · Workbook nine' })).toBeVisible();
});
