import { readFile } from 'node:fs/promises';
import { linkInMailbox, pdf } from './support/steps.ts';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

test.use({ javaScriptEnabled: false });

test('the whole journey works with scripts off', async ({ page, browser }) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  await expect(page).toHaveURL(/\/documents$/);

  const bytes = pdf('Without scripts');
  await page.locator('input[type=file]').setInputFiles([
    { name: 'Plain form.pdf', mimeType: 'application/pdf', buffer: bytes },
    { name: 'Program.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') },
  ]);
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(page).toHaveURL(/\/documents$/);
  await expect(page.getByRole('status').first()).toContainText(
    'The following documents were unable to be uploaded',
  );
  await expect(page.getByText('Program.exe: This file type isn’t supported.')).toBeVisible();

  await page.getByRole('link', { name: 'Name', exact: true }).click();
  await expect(page).toHaveURL(/orderBy=name/);
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.getByText(/^101–/)).toBeVisible();
  const row = page.getByRole('row', { name: /Plain form\.pdf/ });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(await readFile(await download.path())).toEqual(bytes);

  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Share documents');
  await page.getByLabel('To', { exact: true }).fill('nobody at nowhere');
  await page.getByLabel('Subject').fill('');
  await page.getByRole('textbox', { name: /Message/ }).fill('What I typed stays.');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('Enter a subject');
  await expect(page.getByRole('textbox', { name: /Message/ })).toHaveValue('What I typed stays.');
  await page.getByLabel('To', { exact: true }).fill('plain@supplier.example; second@supplier.example');
  await page.getByLabel('Subject').fill('From a plain form');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('status').first()).toContainText(
    'Shared with plain@supplier.example, second@supplier.example',
  );

  const { link } = await linkInMailbox(page, 'From a plain form');
  const phone = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 640 } });
  const recipient = await phone.newPage();
  await recipient.goto(link);
  await recipient.getByRole('button', { name: 'View document' }).click();
  const [fetched] = await Promise.all([
    recipient.waitForEvent('download'),
    recipient.getByRole('link', { name: /Download/ }).click(),
  ]);
  expect(fetched.suggestedFilename()).toBe('Plain form.pdf');
  await phone.close();

  await page.getByRole('link', { name: 'English (United States)' }).click();
  await expect(page.getByRole('alert')).toContainText('is running on this computer');
  await page.getByRole('link', { name: 'Français (Canada)' }).click();
  await expect(page).toHaveURL(/\/clientcenter\/fr\//);
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr-CA');
});
