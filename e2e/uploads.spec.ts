import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext } from 'playwright/test';
import { pdf, openPageMenu } from './support/steps.ts';
import { ONE_SIZE, PEOPLE, SIZES, WAYS, enter, expect, signIn, test } from './support/test.ts';

const PARTS = '**/api/storage/v1/uploads/*';

/** Drops the connection after a number of parts and counts the requests lost since; `reconnect` restores it. */
async function disconnectAfter(
  context: BrowserContext,
  parts: number,
): Promise<{ lost: () => number; reconnect: () => Promise<void> }> {
  let passed = 0;
  let lost = 0;
  await context.route(PARTS, async (route) => {
    if (route.request().method() === 'PATCH') passed += 1;
    if (passed <= parts) return route.continue();
    lost += 1;
    await route.abort('connectionreset');
  });
  return { lost: () => lost, reconnect: () => context.unroute(PARTS) };
}

test('a large upload resumes by itself when the connection is back, and in a new tab after the old one was closed', async ({
  page,
  context,
  trouble,
}, info) => {
  test.setTimeout(90_000);
  trouble.expect(/request failed: net::ERR_CONNECTION_RESET .*\/uploads\//);
  const bytes = Buffer.concat([pdf('large'), randomBytes(20_000_000)]);
  const file = info.outputPath('Ledger of a year.pdf');
  writeFileSync(file, bytes);
  await enter(page, PEOPLE.olivia);
  const connection = await disconnectAfter(context, 1);
  await page.locator('input[name="file[]"]').setInputFiles(file);
  await expect(page.getByText('Connection lost. The upload resumes when you’re back online.')).toBeVisible({
    timeout: 20_000,
  });
  await expect.poll(connection.lost, 'the upload was retried').toBeGreaterThan(2);
  await expect(page.getByText('20% uploaded'), 'a failed retry keeps the progress').toBeVisible();
  await connection.reconnect();
  await expect(page.getByText('Uploaded', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('.upload-files code')).toHaveText(
    createHash('sha256').update(bytes).digest('hex'),
  );
  await expect(page.locator('#alerts').getByText('Ledger of a year.pdf uploaded.')).toBeVisible();

  const again = await disconnectAfter(context, 2);
  await page.locator('input[name="file[]"]').setInputFiles(file);
  await expect(page.getByText('Connection lost. The upload resumes when you’re back online.')).toBeVisible({
    timeout: 20_000,
  });
  await page.close();
  await again.reconnect();
  const next = await context.newPage();
  let parts = 0;
  next.on('request', (request) => void (request.method() === 'PATCH' && (parts += 1)));
  await next.goto('documents');
  await next.locator('.upload-choose').first().hover();
  await expect(next.getByText('Upload interrupted. Choose the same file to resume.')).toBeVisible();
  await expect(next.getByRole('button', { name: 'Discard Ledger of a year.pdf' })).toBeVisible();
  await next.locator('input[name="file[]"]').setInputFiles(file);
  await expect(
    next.getByText('Uploaded as Ledger of a year (1).pdf, because a file with that name already exists'),
  ).toBeVisible({ timeout: 30_000 });
  expect(parts).toBe(3); // the first two of five were already stored
  await expect(next.getByText('Upload interrupted.')).toBeHidden();
});

const DOCUMENTS = /\/api\/storage\/v1\/.*\/documents(\?|$)/;
const LOST = 'Connection lost. The upload resumes when you’re back online.';

for (const viewport of ONE_SIZE) {
  test(`a small upload interrupted by a lost connection resumes by itself and is stored once, at ${viewport.width} px`, async ({
    page,
    context,
    portal,
    trouble,
  }) => {
    trouble.expect(/request failed: net::ERR_CONNECTION_RESET .*\/documents/);
    await page.setViewportSize(viewport);
    await enter(page, PEOPLE.olivia);
    const name = `Photo ${viewport.width}.pdf`;
    let sent = 0;
    await context.route(DOCUMENTS, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent += 1;
      if (sent === 2) await route.fetch(); // the request arrives, but its response is lost
      await (sent > 2 ? route.continue() : route.abort('connectionreset'));
    });
    await page
      .locator('input[name="file[]"]')
      .setInputFiles({ name, mimeType: 'application/pdf', buffer: pdf(name) });
    await expect(page.getByText(LOST)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await expect(page.getByText('Uploaded', { exact: true })).toBeVisible({ timeout: 20_000 });
    expect(
      await portal.sql(
        `select cast(count(*) as int) as stored from documents where name like 'Photo ${viewport.width}%'`,
      ),
    ).toEqual([{ stored: 1 }]);
  });
}

test('when new terms are due a link leads to them, and the upload continues after they are accepted', async ({
  page,
  context,
  portal,
}) => {
  await enter(page, PEOPLE.olivia);
  await portal.sql(
    'delete from terms_acceptances where contact_id = (select contact_id from sessions order by created_at desc limit 1)',
  );
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'Before terms.pdf', mimeType: 'application/pdf', buffer: pdf('terms') });
  const row = page.locator('.upload-files > li');
  await expect(row).toContainText('Your firm has published new terms.');
  const link = row.getByRole('link', { name: 'Read and accept the terms' });
  const [tab] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await tab.getByRole('button', { name: 'Accept and continue' }).click();
  await expect(tab).not.toHaveURL(/terms-and-conditions/);
  await tab.close();
  await row.getByRole('button', { name: 'Try again' }).click();
  await expect(row.getByText('Uploaded', { exact: true })).toBeVisible();
});

test('a refused upload states the actual reason, and can be retried where that can help', async ({
  page,
  context,
}) => {
  await enter(page, PEOPLE.olivia);
  const field = page.locator('input[name="file[]"]');
  const rows = page.locator('.upload-files > li');
  const refusal = (code: string) => ({ status: 403, json: { errors: [{ code }] } });
  const html = { contentType: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' };
  for (const [answer, text, tries] of [
    [{ status: 413, ...html }, 'The file is too large for the connection to the portal.', 0],
    [refusal('TERMS_REQUIRED'), 'Your firm has published new terms.', 1],
    [refusal('EMULATION_READ_ONLY'), 'You can’t upload while viewing the portal as a contact', 0],
    [refusal('NEW_OF_TOMORROW'), 'Something went wrong. Try again', 1],
  ] as const) {
    await context.route(DOCUMENTS, (route) => route.fulfill(answer));
    await field.setInputFiles({ name: 'Refused.pdf', mimeType: 'application/pdf', buffer: pdf('refused') });
    await expect(rows).toContainText(text);
    await expect(rows.getByRole('button', { name: 'Try again' })).toHaveCount(tries);
    await context.unroute(DOCUMENTS);
    await rows.getByRole('button', { name: 'Remove' }).click();
  }
  await field.setInputFiles({
    name: 'Not really.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('this is no PDF'),
  });
  await expect(page.getByText(/Upload failed. This file’s content doesn’t match its name/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
});

test('a large upload ends well when the person meanwhile switches to another account in another tab', async ({
  page,
  context,
  portal,
}, info) => {
  const name = 'Across accounts.pdf';
  const file = info.outputPath(name);
  writeFileSync(file, Buffer.concat([pdf(name), randomBytes(9_000_000)]));
  await enter(page, 'daniel@twofirms.example');
  // slow enough for the rest to come after the switch, and without an interception, which 8 MiB take long to go through
  const network = await context.newCDPSession(page);
  const limitUpload = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await limitUpload(50_000);
  const sending = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.locator('input[name="file[]"]').setInputFiles(file);
  await sending;
  const other = await context.newPage();
  await other.goto('account-switch');
  await other.locator('button[name=contactId]:not([aria-current])').click();
  await expect(other).not.toHaveURL(/account-switch/);
  // an earlier test may have published terms of that firm
  const accept = other.getByRole('button', { name: 'Accept and continue' });
  if (await accept.isVisible()) await accept.click();
  await limitUpload(-1);
  await expect(page.getByText('Uploaded', { exact: true })).toBeVisible({ timeout: 60_000 });
  const stored = `select firms.name from documents join firms using (company_id) where documents.name = '${name}'`;
  expect(await portal.sql(stored)).toEqual([{ name: 'Maple & Hart CPAs' }]);
});

for (const viewport of ONE_SIZE) {
  for (const size of [1000, 9_000_000]) {
    test(`files of ${size} bytes stay selected when the session expires, and are uploaded after signing in in another tab, at ${viewport.width} px`, async ({
      page,
      context,
      portal,
    }, info) => {
      await page.setViewportSize(viewport);
      await enter(page, PEOPLE.olivia);
      const created = page.waitForResponse('**/api/storage/v1/uploads');
      await page.locator('.upload-choose').hover();
      await created;
      await portal.sql('delete from sessions');
      const name = `After the end ${viewport.width} ${size}.pdf`;
      const file = info.outputPath(name);
      writeFileSync(file, Buffer.concat([pdf(name), randomBytes(size)]));
      await page.locator('input[name="file[]"]').setInputFiles(file);
      const panel = page
        .getByRole('alert')
        .filter({ hasText: 'You’ve been signed out. Your files are still here' });
      await expect(panel).toBeVisible();
      await expect(page.getByText(name)).toBeVisible();
      await expect(page.getByRole('table'), 'what others must not see is hidden').toBeHidden();
      await page.screenshot({ path: info.outputPath('signed-out.png') });
      const link = panel.getByRole('link', { name: 'Sign in' });
      await expect(link).toHaveAttribute('target', '_blank');
      const tab = await context.newPage();
      await tab.goto((await link.getAttribute('href')) ?? '');
      await signIn(tab, PEOPLE.olivia);
      await expect(tab.getByRole('heading', { level: 1, name: 'Documents' })).toBeVisible();
      await tab.evaluate(() => localStorage.removeItem('ccSessionEnds')); // as if closed before its scripts ran
      await tab.close();
      await page.bringToFront();
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await expect(page.getByText('Uploaded', { exact: true })).toBeVisible({ timeout: 20_000 });
      await expect(panel).toHaveCount(0);
      await expect(page.getByRole('table')).toBeVisible();
    });
  }
}

test('alerts do not cover the page: the newest is on top, and open ones are listed in the header of the next page', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await enter(page, PEOPLE.olivia);
  const names = ['one', 'two', 'three', 'four'].map((name) => `${name}.exe`);
  const alerts = page.locator('#alerts .alert');
  for (const [i, name] of names.entries()) {
    await page
      .locator('input[name="file[]"]')
      .setInputFiles({ name, mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
    await expect(alerts).toHaveCount(i + 1);
    await expect(alerts.first()).toContainText(name);
    await expect(alerts.first(), 'it is visible').toBeInViewport({ ratio: 1 });
  }
  expect((await page.locator('#alerts').boundingBox())?.height).toBeLessThanOrEqual(320);
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'two.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
  await expect(alerts.first()).toContainText('two.exe');
  await expect(alerts, 'alerts with the same text are shown once').toHaveCount(4);
  await page.goto('shares');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Shared');
  await page.locator('#bell summary').click();
  for (const name of names) await expect(page.locator('#past-alerts').getByText(name)).toBeVisible();
  await expect(alerts).toHaveCount(0);
});

test('an upload to a folder that was deleted meanwhile says so', async ({ page, portal }) => {
  await enter(page, PEOPLE.olivia);
  await openPageMenu(page);
  await page.getByText('New folder').click();
  await page.getByLabel('Folder name').fill('Of short life');
  await page.getByRole('button', { name: 'Create folder' }).click();
  await page
    .getByRole('navigation', { name: 'Folders' })
    .getByRole('link', { name: /Of short life/ })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Of short life' })).toBeVisible();
  await portal.sql("delete from containers where name = 'Of short life'");
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'Late.pdf', mimeType: 'application/pdf', buffer: pdf('late') });
  await expect(page.getByText('Upload failed. We couldn’t find the upload folder.')).toBeVisible();
});

test('a folder is uploaded with its subfolders, and a second time into the same ones', async ({
  page,
}, info) => {
  const folder = info.outputPath('Year 2025');
  for (const [place, name] of [
    ['', 'Overview.pdf'],
    ['Receipts', 'Fuel.pdf'],
    ['Receipts/March', 'Fuel.pdf'],
    ['Receipts/March', '.DS_Store'],
  ] as const) {
    mkdirSync(path.join(folder, place), { recursive: true });
    writeFileSync(path.join(folder, place, name), pdf(`${place} ${name}`));
  }
  await enter(page, PEOPLE.olivia);
  await page.locator('.upload-choose').first().hover();
  for (const message of ['3 documents uploaded.', 'Uploaded as Fuel (1).pdf']) {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await (await chooser).setFiles(folder);
    await expect(page.getByText(message).first()).toBeVisible({ timeout: 20_000 });
  }
  await page.reload();
  const tree = page.getByRole('navigation', { name: 'Folders' });
  for (const name of ['Year 2025', 'Receipts', 'March'])
    await tree.getByRole('link', { name: new RegExp(`^${name}`) }).click();
  await expect(page.getByRole('row', { name: /Fuel/ })).toHaveCount(2);
  await expect(page.getByRole('heading', { level: 1, name: 'March' })).toBeVisible();
});

test('an infected document cannot be opened or shared', async ({ page, portal }) => {
  await enter(page, PEOPLE.olivia);
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'Invoice of nobody.pdf', mimeType: 'application/pdf', buffer: pdf('virus') });
  await expect(page.locator('#alerts').getByText('Invoice of nobody.pdf uploaded.')).toBeVisible();
  await portal.sql(`update documents set scan = 'infected' where name = 'Invoice of nobody.pdf'`);
  await page.reload();
  const row = page.getByRole('row', { name: /Invoice of nobody/ });
  await expect(row).toContainText('It contains a virus and can’t be opened.');
  await expect(row.getByRole('link')).toHaveCount(0);
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('To', { exact: true }).fill('someone@out.example');
  await page.getByLabel('Subject').fill('Papers');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('A document hasn’t passed the virus check yet.')).toBeVisible();
});

for (const { viewport, javaScriptEnabled } of WAYS) {
  test.describe(`with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`staff choose the folder to publish in, never the client's own uploads, at ${viewport.width} px`, async ({
      page,
      portal,
    }) => {
      await enter(page, PEOPLE.eleanor);
      const [client] = await portal.sql(
        "select client_id from clients where name = 'Juniper Street Bakery LLC'",
      );
      const documents = `documents?client=${String(client?.['client_id'])}`;
      await page.goto(documents);
      await expect(page.getByRole('form', { name: 'Publish documents' })).toBeVisible();
      const choice = page.getByLabel('Folder', { exact: true });
      await expect(choice.getByRole('option', { name: 'From Maple & Hart CPAs' })).toHaveCount(1);
      await expect(choice.getByRole('option', { name: /uploads/i })).toHaveCount(0);
      await choice.selectOption({ label: 'From Maple & Hart CPAs' });
      const name = `Letter to the client ${viewport.width} ${javaScriptEnabled}.pdf`;
      await page
        .locator('input[name="file[]"]')
        .setInputFiles({ name, mimeType: 'application/pdf', buffer: pdf(name) });
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Upload' }).click();
      await expect(page.getByText(`${name} uploaded.`)).toBeVisible();
      const where = `select containers.product_type from documents join containers using (container_id) where documents.name = '${name}'`;
      expect(await portal.sql(where)).toEqual([{ product_type: 'FirmFolder' }]);
      await page.goto(documents);
      await expect(choice.locator('option:checked'), 'the last used folder is preselected').toHaveText(
        'From Maple & Hart CPAs',
      );
    });
  });
}

test('a client finds their uploads under a name in their language, whatever the folder is stored as', async ({
  page,
  portal,
}) => {
  await portal.sql(
    "update containers set name = 'Entregues por você' where product_type = 'ClientContactFolder'",
  );
  await enter(page, PEOPLE.olivia);
  await expect(page.locator('.upload-choose')).toHaveAttribute('title', 'Folder: Your uploads');
  await page
    .getByRole('navigation', { name: 'Folders' })
    .getByRole('link', { name: /^Your uploads/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your uploads');
  await expect(page.getByText('Entregues por você')).toHaveCount(0);
});

test('the firm is notified of each document of the same name, under the name it was stored as', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.olivia);
  const field = page.locator('input[name="file[]"]');
  await field.setInputFiles({ name: 'Told twice.pdf', mimeType: 'application/pdf', buffer: pdf('one') });
  await expect(page.getByText('Uploaded', { exact: true })).toBeVisible();
  await field.setInputFiles({ name: 'Told twice.pdf', mimeType: 'application/pdf', buffer: pdf('two') });
  await expect(page.getByText('Uploaded as Told twice (1).pdf')).toBeVisible();
  const notified =
    "select documents.name from upload_notices join documents using (document_id) where documents.name like 'Told twice%' order by documents.name";
  expect(await portal.sql(notified)).toEqual([{ name: 'Told twice (1).pdf' }, { name: 'Told twice.pdf' }]);
});

for (const viewport of SIZES) {
  test(`the upload form does not shift when it is hydrated, at ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await enter(page, PEOPLE.olivia);
    const form = page.locator('form', { has: page.locator('input[name="file[]"]') });
    const places = async () =>
      Promise.all((await form.locator('.button').all()).map((button) => button.boundingBox()));
    const before = await places();
    await page.locator('.upload-choose').hover();
    await expect(page.locator('astro-island[ssr]', { has: form })).toHaveCount(0);
    expect(await places()).toEqual(before);
  });
}

test('folder counts are correct after an upload and after a deletion', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  const folders = page.getByRole('navigation', { name: 'Folders' });
  const countOf = async (name: RegExp) =>
    Number(/\d+/.exec((await folders.getByRole('link', { name }).locator('small').textContent()) ?? '')?.[0]);
  const [all, own] = [await countOf(/^All documents/), await countOf(/^Your uploads/)];
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name: 'Counted.pdf', mimeType: 'application/pdf', buffer: pdf('counted') });
  await expect
    .poll(async () => [await countOf(/^All documents/), await countOf(/^Your uploads/)])
    .toEqual([all + 1, own + 1]);
  await page
    .getByRole('row', { name: /Counted/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect
    .poll(async () => [await countOf(/^All documents/), await countOf(/^Your uploads/)])
    .toEqual([all, own]);
});

test('stored files leave the panel below the bar by themselves; what failed stays until it is closed', async ({
  page,
  context,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await enter(page, PEOPLE.olivia);
  await page.clock.install();
  const field = page.locator('input[name="file[]"]');
  const panel = page.locator('.upload-panel');
  await field.setInputFiles({ name: 'Leaves.pdf', mimeType: 'application/pdf', buffer: pdf('leaves') });
  await expect(panel.getByText('Uploaded', { exact: true })).toBeVisible();
  await panel.getByText('Uploaded', { exact: true }).click();
  await page.clock.fastForward(9000);
  await expect(panel, 'its fingerprint is being read').toContainText('Leaves.pdf');
  await panel.getByText('Uploaded', { exact: true }).click();
  await page.getByRole('heading', { level: 1 }).focus();
  await page.mouse.move(0, 0);
  await page.clock.fastForward(9000);
  await expect(panel).toHaveCount(0);

  await context.route(DOCUMENTS, (route) => route.fulfill({ status: 413, body: '' }));
  await field.setInputFiles({ name: 'Stays.pdf', mimeType: 'application/pdf', buffer: pdf('stays') });
  await expect(panel).toContainText('Upload failed.');
  await page.clock.fastForward(30_000);
  await expect(panel).toContainText('Stays.pdf');
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(panel).toHaveCount(0);
  await expect(field).toBeFocused();
});
