import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { PEOPLE, enter, expect, signIn, test } from './support/test.ts';
import { linkInMailbox, pdf } from './support/steps.ts';

test('a client signs in, uploads a document, finds, downloads and shares it, and the recipient opens it', async ({
  page,
  browser,
  portal,
}) => {
  await page.goto('documents');
  await expect(page).toHaveURL(/\/clientcenter\/en-us\/auth\?r=/);
  await signIn(page, PEOPLE.olivia);
  await expect(page).toHaveURL(/\/clientcenter\/en-us\/documents$/);
  await expect(page.getByRole('banner')).toContainText('Juniper Street Bakery LLC');
  await expect(page.getByRole('link', { name: 'Documents', exact: true })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await expect(page.getByText(/^1–100 of 1\d\d$/)).toBeVisible();

  const bytes = pdf('The oven invoice');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'Oven invoice.pdf', mimeType: 'application/pdf', buffer: bytes });
  await expect(page.getByText('Oven invoice.pdf uploaded.')).toBeVisible();
  await page.getByText('Uploaded', { exact: true }).click();
  await expect(page.locator('.upload-files code')).toHaveText(
    createHash('sha256').update(bytes).digest('hex'),
  );
  const row = page.getByRole('row', { name: /Oven invoice\.pdf/ });
  await expect(row).toContainText('You');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Oven invoice.pdf');
  expect(await readFile(await download.path())).toEqual(bytes);

  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Share \d+ documents?$/ });
  await dialog.getByLabel('To', { exact: true }).fill('mara@supplier.example');
  await dialog.getByLabel('Subject').fill('The oven');
  await dialog.getByLabel('Message').fill('As promised.');
  await dialog.getByLabel('Require an access code').check();
  await dialog.getByLabel('Access code', { exact: true }).fill('croissant-41');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Shared with mara@supplier.example' })).toBeFocused();

  const { link, mail } = await linkInMailbox(page, 'The oven');
  expect(mail).toContain('Olivia Bennett · via Maple & Hart CPAs');
  expect(mail).not.toContain('croissant-41');
  expect(link).toContain(portal.origin);

  const phone = await browser.newContext({ viewport: { width: 360, height: 640 } });
  const recipient = await phone.newPage();
  await recipient.goto(link);
  await expect(recipient.getByRole('heading', { level: 1 })).toHaveText(
    'Juniper Street Bakery LLC shared 1 document',
  );
  await expect(recipient.getByText('Oven invoice.pdf')).toHaveCount(0);
  await recipient.getByLabel('Access code').fill('wrong-code');
  await recipient.getByRole('button', { name: 'View document' }).click();
  await expect(recipient.getByRole('alert')).toContainText('4 attempts left');
  await recipient.getByLabel('Access code').fill('croissant-41');
  await recipient.getByRole('button', { name: 'View document' }).click();
  const [fetched] = await Promise.all([
    recipient.waitForEvent('download'),
    recipient.getByRole('link', { name: /Download/ }).click(),
  ]);
  expect(await readFile(await fetched.path())).toEqual(bytes);
  await phone.close();
});

test('previewing a link does not open it: neither a mail scanner with scripts nor repeated visits', async ({
  page,
  browser,
  portal,
}) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').nth(0).check();
  await page.locator('#document-list input[name=id]').nth(1).check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('To', { exact: true }).fill('scanner@supplier.example');
  await page.getByLabel('Subject').fill('For the scanner');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Shared with scanner@supplier.example' })).toBeVisible();
  const { link } = await linkInMailbox(page, 'For the scanner');

  const scanner = await browser.newContext();
  const eyes = await scanner.newPage();
  for (let visit = 0; visit < 5; visit += 1) await eyes.goto(link);
  const head = await scanner.request.head(link);
  expect(head.status()).toBe(200);
  expect(await scanner.cookies()).toEqual([]);
  await expect(eyes.getByRole('link', { name: /Download/ })).toHaveCount(0);
  const names = await eyes.locator('.files bdi').allTextContents();
  expect(names).toHaveLength(2);

  await eyes.getByRole('button', { name: 'View documents' }).click();
  const [archive] = await Promise.all([
    eyes.waitForEvent('download'),
    eyes.getByRole('link', { name: /Download all as ZIP/ }).click(),
  ]);
  expect(archive.suggestedFilename()).toMatch(/^documents-\d{4}-\d\d-\d\d\.zip$/);
  expect((await readFile(await archive.path())).subarray(0, 2).toString()).toBe('PK');
  await scanner.close();

  const missing = await page.goto(`${portal.origin}/clientcenter/en-us/share/${'a'.repeat(43)}`);
  expect(missing?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Link not found');
});

test('signing out ends the session on the server: an old cookie, another tab and the back button show nothing', async ({
  page,
  context,
  portal,
}) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Documents');
  const cookies = await context.cookies();
  const otherTab = await context.newPage();
  await otherTab.goto(`${portal.origin}/clientcenter/en-us/documents`);

  await page.getByText('Olivia Bennett').first().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'You’ve signed out' })).toBeVisible();
  expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await expect(page.getByText('Engagement letter')).toHaveCount(0);

  await otherTab.reload();
  await expect(otherTab.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await context.addCookies(cookies);
  await otherTab.goto(`${portal.origin}/clientcenter/en-us/documents`);
  await expect(otherTab.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
});

test('each refused sign-in says why and what to do', async ({ page }) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.leo);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('The portal is temporarily unavailable');
  for (const text of ['Closed Books LLC', '+1 206 555 0133'])
    await expect(page.locator('body')).toContainText(text);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, PEOPLE.priya);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up two‑step verification');
  await page.context().clearCookies();
  await page.goto('auth/mfa-required');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two-step verification required');
  await page.goto('auth?code=forged&state=forged');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('We couldn’t sign you in');
});

test('the activity says how and from where a sign-in failed, and what was shared with whom', async ({
  page,
}) => {
  await page.goto('documents');
  await page.getByLabel('Email address').fill(PEOPLE.ana);
  await page.getByLabel('Password').fill('not her password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await enter(page, PEOPLE.ana, 'profile/activity');
  const failed = page.getByRole('row').filter({ hasText: 'Failed sign-in' }).first();
  await expect(failed).toContainText(/Failed sign-in \(password\) from [\d.:a-f]+/);
});

test('a contact without clients sees what will be shown here', async ({ page }) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.nora);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'No company is linked to your account yet',
  );
});

test('a contact with forty clients finds one by name and keeps it selected', async ({ page }) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.marcus);
  await page.getByRole('button', { name: 'Switch company' }).click();
  await page.getByRole('button', { name: 'All companies' }).click();
  await expect(page.getByText('1–25 of 40')).toBeVisible();
  await page.getByRole('dialog').getByRole('searchbox').fill('dover wine');
  await page.getByText('Dover Winery LLC').click();
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await expect(page.getByRole('banner')).toContainText('Dover Winery LLC');
  await page.reload();
  await expect(page.getByRole('banner')).toContainText('Dover Winery LLC');
});
