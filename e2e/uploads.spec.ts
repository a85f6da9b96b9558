import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright/test';
import { pdf } from './kit/steps.ts';
import { PEOPLE, enter, expect, test } from './kit/test.ts';

const PARTS = '**/api/storage/v1/uploads/*';

/** Breaks the line after so many parts and counts what was lost since; `mend` brings it back. */
async function breakAfter(context: BrowserContext, parts: number): Promise<{ lost: () => number; mend: () => Promise<void> }> {
  let passed = 0;
  let lost = 0;
  await context.route(PARTS, async (route) => {
    if (route.request().method() === 'PATCH') passed += 1;
    if (passed <= parts) return route.continue();
    lost += 1;
    await route.abort('connectionreset');
  });
  return { lost: () => lost, mend: () => context.unroute(PARTS) };
}

test('a large file goes on by itself when the line is back, and in a new tab when the old one was closed', async ({ page, context, trouble }, info) => {
  test.setTimeout(90_000);
  trouble.expect(/request failed: net::ERR_CONNECTION_RESET .*\/uploads\//);
  const bytes = Buffer.concat([pdf('large'), randomBytes(20_000_000)]);
  const file = info.outputPath('Ledger of a year.pdf');
  writeFileSync(file, bytes);
  await enter(page, PEOPLE.olivia);
  const line = await breakAfter(context, 1);
  await page.locator('input[name="file[]"]').setInputFiles(file);
  await expect(page.getByText('Connection lost; it goes on by itself.')).toBeVisible({ timeout: 20_000 });
  await expect.poll(line.lost, 'it was tried again').toBeGreaterThan(2);
  await expect(page.getByText('20 % sent'), 'what was kept is not forgotten by a try that fails').toBeVisible();
  await line.mend();
  await expect(page.getByText('Stored', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('.upload-files code')).toHaveText(createHash('sha256').update(bytes).digest('hex'));
  await expect(page.locator('#alerts').getByText('Ledger of a year.pdf was uploaded.')).toBeVisible();

  const again = await breakAfter(context, 2);
  await page.locator('input[name="file[]"]').setInputFiles(file);
  await expect(page.getByText('Connection lost; it goes on by itself.')).toBeVisible({ timeout: 20_000 });
  await page.close();
  await again.mend();
  const next = await context.newPage();
  let parts = 0;
  next.on('request', (request) => void (request.method() === 'PATCH' && (parts += 1)));
  await next.goto('documents');
  await next.locator('.upload-choose').first().hover();
  await expect(next.getByText('Not finished yet. Choose the same file again, and it goes on where it stopped.')).toBeVisible();
  await expect(next.getByRole('button', { name: 'Discard Ledger of a year.pdf' })).toBeVisible();
  await next.locator('input[name="file[]"]').setInputFiles(file);
  await expect(next.getByText('Stored as Ledger of a year (1).pdf, because the first name was taken')).toBeVisible({ timeout: 30_000 });
  expect(parts).toBe(3); // two of five were there
  await expect(next.getByText('Not finished yet.')).toBeHidden();
});

test('what the line lost goes once more with one click; what is of the wrong type need not be tried again', async ({ page, context, trouble }) => {
  trouble.expect(/request failed: net::ERR_CONNECTION_RESET .*\/documents/);
  await enter(page, PEOPLE.olivia);
  const DOCUMENTS = /\/api\/storage\/v1\/.*\/documents\?/;
  await context.route(DOCUMENTS, (route) => route.abort('connectionreset'));
  await page.locator('input[name="file[]"]').setInputFiles({ name: 'Lost on the way.pdf', mimeType: 'application/pdf', buffer: pdf('lost') });
  await expect(page.getByText('Not stored. The connection was lost. Try again.')).toBeVisible();
  await context.unroute(DOCUMENTS);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Stored', { exact: true })).toBeVisible();
  await page.locator('input[name="file[]"]').setInputFiles({ name: 'Not really.pdf', mimeType: 'application/pdf', buffer: Buffer.from('this is no PDF') });
  await expect(page.getByText(/Not stored. It is of the wrong type/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText(/Not stored/)).toHaveCount(0);
});

test('alerts leave room for the page: the newest is on top, and what nobody closed is in the list of the header from the second page on', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await enter(page, PEOPLE.olivia);
  const names = ['one', 'two', 'three', 'four'].map((name) => `${name}.exe`);
  const alerts = page.locator('#alerts').getByRole('alert');
  for (const [i, name] of names.entries()) {
    await page.locator('input[name="file[]"]').setInputFiles({ name, mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
    await expect(alerts).toHaveCount(i + 1);
    await expect(alerts.first()).toContainText(name);
    await expect(alerts.first(), 'it is seen').toBeInViewport({ ratio: 1 });
  }
  expect((await page.locator('#alerts').boundingBox())?.height).toBeLessThanOrEqual(320);
  await page.locator('input[name="file[]"]').setInputFiles({ name: 'two.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
  await expect(alerts.first()).toContainText('two.exe');
  await expect(alerts, 'what says the same stands there once').toHaveCount(4);
  await page.goto('receipts');
  await expect(alerts).toHaveCount(4);
  await expect(alerts.first()).toContainText('two.exe');
  await page.goto('shares');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My shares');
  await page.locator('#past-alerts summary').click();
  for (const name of names) await expect(page.locator('#past-alerts').getByText(name)).toBeVisible();
  await expect(alerts).toHaveCount(0);
});

test('a folder that is gone meanwhile is named as the reason', async ({ page, portal }) => {
  await enter(page, PEOPLE.olivia);
  await page.getByText('New folder').click();
  await page.getByLabel('Name of the folder').fill('Of short life');
  await page.getByRole('button', { name: 'Make the folder' }).click();
  await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: /Of short life/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Of short life' })).toBeVisible();
  await portal.sql("delete from containers where name = 'Of short life'");
  await page.locator('input[name="file[]"]').setInputFiles({ name: 'Late.pdf', mimeType: 'application/pdf', buffer: pdf('late') });
  await expect(page.getByText('Not stored. Unable to retrieve the upload folder.')).toBeVisible();
});

test('a folder is handed in with the folders in it, twice into the same ones', async ({ page }, info) => {
  const folder = info.outputPath('Year 2025');
  for (const [place, name] of [['', 'Overview.pdf'], ['Receipts', 'Fuel.pdf'], ['Receipts/March', 'Fuel.pdf'], ['Receipts/March', '.DS_Store']] as const) {
    mkdirSync(path.join(folder, place), { recursive: true });
    writeFileSync(path.join(folder, place, name), pdf(`${place} ${name}`));
  }
  await enter(page, PEOPLE.olivia);
  await page.locator('.upload-choose').first().hover();
  for (const told of ['3 documents were uploaded.', 'Stored as Fuel (1).pdf']) {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await (await chooser).setFiles(folder);
    await expect(page.getByText(told).first()).toBeVisible({ timeout: 20_000 });
  }
  await page.reload();
  const tree = page.getByRole('navigation', { name: 'Folders' });
  for (const name of ['Year 2025', 'Receipts', 'March']) await tree.getByRole('link', { name: new RegExp(`^${name}`) }).click();
  await expect(page.getByRole('row', { name: /Fuel/ })).toHaveCount(2);
  await expect(page.getByRole('heading', { level: 1, name: 'March' })).toBeVisible();
});

test('what has a virus is shown without a way to open it, and is not sent', async ({ page, portal }) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('input[name="file[]"]').setInputFiles({ name: 'Invoice of nobody.pdf', mimeType: 'application/pdf', buffer: pdf('virus') });
  await expect(page.locator('#alerts').getByText('Invoice of nobody.pdf was uploaded.')).toBeVisible();
  await portal.sql(`update documents set scan = 'infected' where name = 'Invoice of nobody.pdf'`);
  await page.reload();
  const row = page.getByRole('row', { name: /Invoice of nobody/ });
  await expect(row).toContainText('It has a virus and cannot be opened.');
  await expect(row.getByRole('link')).toHaveCount(0);
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('someone@out.example');
  await page.getByLabel('Subject').fill('Papers');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('Not sent: a document was not checked for viruses yet')).toBeVisible();
});
