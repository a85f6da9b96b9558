import type { Browser, Locator, Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { linkInMailbox, openFolders, openPageMenu } from './support/steps.ts';
import { ONE_SIZE, PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/** Opens a link as a recipient without an account; returns the status. */
async function openAsStranger(browser: Browser, link: string): Promise<number> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const status = (await page.goto(link))?.status() ?? 0;
  const button = page.getByRole('button', { name: /View document/ });
  if (await button.isVisible()) await button.click();
  await context.close();
  return status;
}

async function sendFrom(page: Page, to: string, subject: string): Promise<void> {
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByLabel('Subject').fill(subject);
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/^Shared with /).first()).toBeVisible();
  const done = page.getByRole('button', { name: 'Done' }); // only in the dialog
  if (await done.isVisible()) await done.click();
}

/** Opens the menu of a recipient's row, and what it offers. */
async function chooseFor(row: Locator, name: string): Promise<void> {
  await row.locator('summary').click();
  await row.getByRole('link', { name: new RegExp(`^${name} `) }).click();
}

/** Checks that links can be inspected, extended, ended and sent again from the list of shares. */
async function manageShares(page: Page, browser: Browser, subject: string): Promise<void> {
  const { link } = await linkInMailbox(page, subject, 2); // one for each of the two recipients
  await page.goto('documents');
  expect(await openAsStranger(browser, link)).toBe(200);

  await page.goto('documents');
  const notice = page.getByText(/^(first|second)@supplier\.example opened the documents you shared$/);
  await expect(notice).toBeVisible();
  await page.goto('documents');
  await expect(
    page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: /^Shared \d+ newly opened$/ }),
  ).toBeVisible();
  await expect(notice, 'a second time').toBeHidden();
  await page
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name: /^Shared \d+/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Shared');
  await expect(page.getByText('New: Opened').first()).toBeVisible();
  const ofThisShare = page.getByRole('row').filter({ hasText: 'supplier.example' });
  const rows = ofThisShare.filter({ has: page.locator('th') });
  const first = rows.filter({ hasText: 'first@supplier.example' }).first();
  const second = rows.filter({ hasText: 'second@supplier.example' }).first();
  const statuses = [await first.innerText(), await second.innerText()];
  const opened = statuses.filter((text) => /Opened \w{3} \d+, \d+:\d\d\s[AP]M \(1×\)/.test(text));
  const unopened = statuses.filter((text) => text.includes('Not opened yet'));
  expect([opened.length, unopened.length], statuses.join()).toEqual([1, 1]);

  await first.getByRole('link', { name: 'first@supplier.example', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(subject);
  const share = page.getByRole('article', { name: subject });
  await expect(share).toContainText('Not required');
  await expect(share.getByRole('row').filter({ hasText: 'Opened 1 time' })).toHaveCount(1);
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Shared(?: \d|$)/ })
    .click();

  await chooseFor(first, 'Extend');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Extend access to “${subject}”`);
  await page.getByLabel('Link expires').selectOption('AfterTwoWeeks');
  await page.getByRole('button', { name: 'Extend' }).click();
  await expect(page.getByText(`“${subject}” now expires`)).toBeVisible();

  await chooseFor(first, 'Revoke');
  await expect(page.getByText('This can’t be undone.')).toBeVisible();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(first).not.toContainText('Revoked');
  await chooseFor(first, 'Revoke');
  await page.getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('Access for first@supplier.example revoked')).toBeVisible();
  await expect(first).toContainText('Revoked');
  await expect(second).not.toContainText('Revoked');

  await chooseFor(first, 'Resend');
  await page.getByRole('button', { name: 'Resend' }).click();
  await expect(page.getByText('New link sent to first@supplier.example')).toBeVisible();
  await expect(first, 'the new link').not.toContainText('Revoked');
  const { link: again } = await linkInMailbox(page, subject, 3);
  expect(again).not.toBe(link);
  expect(await openAsStranger(browser, again)).toBe(200);

  await page.goto('shares');
  await first.getByRole('link', { name: 'first@supplier.example', exact: true }).click();
  await page.getByRole('article').getByRole('link', { name: 'Revoke all' }).click();
  await page.getByRole('button', { name: 'Revoke all' }).click();
  await expect(page.getByText(`Access to “${subject}” revoked`)).toBeVisible();
  expect(await openAsStranger(browser, again)).toBe(410);
}

for (const { viewport, javaScriptEnabled } of WAYS) {
  const subject = `Looked after at ${viewport.width}, scripts ${javaScriptEnabled ? 'on' : 'off'}`;
  test.describe(subject, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a sender manages the links of a share at ${viewport.width} px`, async ({ page, browser }) => {
      await enter(page, PEOPLE.olivia);
      await page.locator('#document-list input[name=id]').first().check();
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await sendFrom(page, 'first@supplier.example, second@supplier.example', subject);
      await manageShares(page, browser, subject);
    });
  });
}

for (const { width } of ONE_SIZE) {
  test.describe('with scripts off', () => {
    test.use({ javaScriptEnabled: false });

    test(`a folder is shared and opened with its subfolders, at ${width} px`, async ({ page, browser }) => {
      await page.setViewportSize({ width, height: 800 });
      await enter(page, PEOPLE.olivia);
      await openFolders(page);
      await page.getByRole('link', { name: /^Tax return 2025 \d/ }).click();
      await openPageMenu(page);
      await page.getByRole('link', { name: 'Share this folder' }).click();
      await expect(page.getByText(/Tax return 2025 \(folder with \d+ documents\)/)).toBeVisible();
      await sendFrom(page, 'folder@supplier.example', `A folder at ${width}`);
      const { link } = await linkInMailbox(page, `A folder at ${width}`);
      const phone = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 640 } });
      const recipient = await phone.newPage();
      await recipient.goto(link);
      await recipient.getByRole('button', { name: /View document/ }).click();
      await expect(recipient.getByText('Tax return 2025 / Bank statements').first()).toBeVisible();
      const [archive] = await Promise.all([
        recipient.waitForEvent('download'),
        recipient.getByRole('link', { name: /Download all as ZIP/ }).click(),
      ]);
      expect(archive.suggestedFilename()).toMatch(/\.zip$/);
      await phone.close();
    });
  });
}

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('the share form lists all errors at once, sends nothing and keeps the input', async ({
    page,
    portal,
  }) => {
    await enter(page, PEOPLE.sophie);
    await page.locator('#document-list input[name=id]').first().check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByLabel('Link expires')).toHaveValue('AfterThreeDays');
    const shares = async () => (await portal.sql('select count(*) as n from shares'))[0]?.['n'];
    const before = await shares();
    await expect(page.getByLabel('Subject')).toHaveValue(/^Documents from /);
    await page.getByLabel('Subject').fill('');
    await page.getByRole('textbox', { name: /Message/ }).fill('What I typed stays.');
    await page.getByLabel('Require an access code').check();
    await page.getByLabel('Link expires').selectOption('AfterOneWeek');
    await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByRole('alert').getByRole('link')).toHaveText([
      'Enter an email address',
      'Enter a subject',
      'Enter an access code or turn off “Require an access code”',
    ]);
    await expect(page.locator('.input[aria-invalid=true]')).toHaveCount(3);
    await expect(page.getByRole('textbox', { name: /Message/ })).toHaveValue('What I typed stays.');
    await expect(page.getByLabel('Link expires')).toHaveValue('AfterOneWeek');
    await page
      .getByLabel('To', { exact: true })
      .fill('x@supplier.example; y@supplier.example z@supplier.example');
    await page.getByLabel('Subject').fill('A code without its box');
    await page.getByLabel('Require an access code').uncheck();
    await page.getByLabel('Access code', { exact: true }).fill('croissant-41');
    await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByRole('alert').getByRole('link')).toHaveText([
      'Turn on “Require an access code” to use this code, or remove it',
    ]);
    expect(await shares(), 'nothing was sent').toBe(before);
    await page.getByLabel('Require an access code').check();
    await page.getByLabel(/Send me a copy/).check();
    await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
    await expect(
      page.getByText('Shared with x@supplier.example, y@supplier.example and 2 more'),
    ).toBeVisible();
  });

  test('the share form lets the sender continue without a document that was deleted meanwhile, after saying so', async ({
    page,
    portal,
  }) => {
    await enter(page, PEOPLE.sophie);
    for (const row of [0, 1]) await page.locator('#document-list input[name=id]').nth(row).check();
    const id = await page.locator('#document-list input[name=id]').nth(0).getAttribute('value');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('To', { exact: true }).fill('x@supplier.example');
    await page.getByLabel('Subject').fill('One is gone');
    await portal.sql(`update documents set deleted_at = 1 where document_id = '${id ?? ''}'`);
    await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('Some documents are no longer available.');
    await expect(page.getByLabel('Subject')).toHaveValue('One is gone');
    await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByText('Shared with x@supplier.example')).toBeVisible();
    await portal.sql(`update documents set deleted_at = null where document_id = '${id ?? ''}'`);
  });
});

test('the access code of the share form can be typed only while it is required', async ({ page }) => {
  await enter(page, PEOPLE.sophie);
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents/send?id=${id ?? ''}`);
  const code = page.getByLabel('Access code', { exact: true });
  await expect(code).toBeHidden();
  await page.getByLabel('Require an access code').check();
  await expect(code).toBeEnabled();
  await page.getByLabel('Require an access code').uncheck();
  await expect(code).toBeHidden();
  await expect(code).toBeDisabled();
});

test('when sharing fails, the dialog says so, stays open, and keeps the input', async ({
  page,
  portal,
  trouble,
}) => {
  trouble.expect(/answered 500: fetch/);
  trouble.expect(/the portal logged .*"request.failed"/);
  await enter(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('To', { exact: true }).fill('fails@supplier.example');
  await page.getByLabel('Subject').fill('It fails');
  await portal.refuse('shares', `'no'`);
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('alert')).toContainText('Couldn’t share.');
  await expect(dialog.getByRole('alert')).toBeFocused();
  await portal.accept('shares');
  await expect(page.getByLabel('Subject')).toHaveValue('It fails');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: /^Shared with / })).toBeVisible();
});

test('owners see what their firm and its contacts shared about a client, and can filter by sender', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await sendFrom(page, 'firm@supplier.example', 'Seen by the firm');
  const client = await page.evaluate(
    () => document.querySelector<HTMLElement>('#session-info')?.dataset['client'] ?? '',
  );
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/auth/); // her alerts are gone with her session
  await enter(page, PEOPLE.eleanor, `documents?client=${client}`);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await sendFrom(page, 'owner@supplier.example', 'Sent by the owner');
  await page.goto(`shares?client=${client}`);
  const row = page.getByRole('row').filter({ hasText: 'firm@supplier.example' }).first();
  await expect(row).toContainText('Olivia Bennett');
  await row.locator('summary').click();
  await expect(row.getByRole('link', { name: /^Revoke / })).toBeVisible();
  await expect(row.getByRole('link', { name: /^(Resend|Extend) / })).toHaveCount(0);
  await page.getByLabel('Sender').selectOption('Olivia Bennett');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'owner@supplier.example' })).toHaveCount(0);
  await chooseFor(row, 'Revoke');
  await page.getByRole('button', { name: 'Revoke all' }).click();
  await expect(row).toContainText('Revoked');
});

test('on a phone each recipient takes two lines in the list of shares, and one tap leads there from the documents', async ({
  page,
  portal,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await enter(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await sendFrom(page, 'the-lending-department@first-bank.example, b@supplier.example', 'On two lines');
  await page.goto('documents');
  await page.getByRole('link', { name: /^Shared(?: \d|$)/ }).click();
  const row = page.getByRole('row').filter({ hasText: 'the-lending-department@' }).first();
  await expect(row.getByText('Not opened yet')).toBeInViewport({ ratio: 1 });
  expect((await row.boundingBox())?.height).toBeLessThan(68);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await row.locator('summary').click();
  await expect(row.getByRole('link', { name: /^Resend / })).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 320, height: 640 });
  for (const hour of [12, 18]) {
    // in one of the two the time has the most digits, whatever the time zone
    const at = Date.UTC(2026, 10, 26, hour, 36);
    await portal.sql(
      `update share_recipients set first_opened_at = ${at}, last_opened_at = ${at}, opens = 12`,
    );
    await page.goto('shares');
    await expect(row.getByText(/Opened Nov 26, \d+:36/)).toBeVisible();
    // bold, as before the sender has seen it
    await row
      .locator('time')
      .last()
      .evaluate((time) => time.classList.add('is-new'));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
});

test('without a connection the share dialog stays open with its input, and sends once it is back', async ({
  page,
  context,
  trouble,
}) => {
  trouble.expect(/ERR_INTERNET_DISCONNECTED .*sharing\/share/);
  await enter(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').first().check();
  const prepared = page.waitForResponse(/\/http\.[^/]+\.js$/);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await (await prepared).finished();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('To', { exact: true })).toBeFocused();
  await dialog.getByLabel('To', { exact: true }).fill('later@supplier.example');
  await dialog.getByLabel('Subject').fill('Without a line');
  await context.setOffline(true);
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('You’re offline.');
  await expect(dialog.getByLabel('Subject')).toHaveValue('Without a line');
  await context.setOffline(false);
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: /^Shared with / })).toBeVisible();
});

test('a generated access code can be copied before and after sending', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await enter(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('To', { exact: true }).fill('code@supplier.example');
  await page.getByLabel('Subject').fill('With a code');
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.getByLabel('Require an access code').check();
  const field = page.getByLabel('Access code', { exact: true });
  await expect(field).toBeInViewport({ ratio: 1 });
  await expect(field).toHaveValue(/^\w{8}$/);
  const first = await field.inputValue();
  await page.getByRole('button', { name: 'Generate code' }).click();
  const code = await field.inputValue();
  expect(code).not.toBe(first);
  await page.getByRole('button', { name: 'Copy code' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  const sent = page.getByRole('dialog', { name: 'Shared with code@supplier.example' });
  await expect(sent.getByRole('heading')).toBeFocused();
  await expect(sent.getByText(code)).toBeVisible();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await sent.getByRole('button', { name: 'Copy code' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await sent.getByRole('button', { name: 'Done' }).click();
  await expect(sent).toBeHidden();
});

test('the share dialog is compact, names its documents, and suggests a subject and recent recipients', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter(page, PEOPLE.olivia);
  const boxes = page.locator('#document-list input[name=id]');
  for (const row of [0, 1, 2, 3, 4]) await boxes.nth(row).check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAccessibleName('Share 5 documents');
  const box = await dialog.boundingBox();
  expect(box?.width).toBe(560);
  expect(box?.height).toBeLessThanOrEqual(720);
  await expect(dialog.getByLabel('Link expires')).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByLabel('Require an access code')).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole('button', { name: 'Share', exact: true })).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole('list', { name: 'Documents' }).getByRole('listitem')).toHaveCount(3);
  await dialog.getByText('and 2 more').click();
  await expect(dialog.getByRole('listitem').filter({ visible: true })).toHaveCount(5);
  const to = dialog.getByLabel('To', { exact: true });
  await expect(to).toHaveAttribute('autocomplete', 'off');
  await expect(dialog.getByLabel('Subject')).toHaveValue(/^Documents from \S/);
  await expect(dialog.getByLabel('Link expires').locator('option')).toHaveText([
    /^in 1 day \(\w{3}, \w{3} \d+\)$/,
    /^in 3 days \(/,
    /^in 1 week \(/,
    /^in 2 weeks \(/,
  ]);
  await expect(dialog.getByLabel('Access code', { exact: true })).toHaveCount(0);
  await to.fill('often@supplier.example');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: 'Shared with often@supplier.example' })).toBeFocused();
  await expect(dialog.getByText(/^Expires /)).toBeVisible();
  await dialog.getByRole('link', { name: 'View in Shared' }).click();
  await expect(page).toHaveURL(/\/shares/);

  await page.goto('documents');
  await boxes.first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const suggestion = page.locator('#share-to-list option[value$="often@supplier.example"]');
  await expect(suggestion).toHaveCount(1);
  await page.locator('#share-to').fill('new@supplier.example, o');
  await expect(suggestion).toHaveAttribute('value', 'new@supplier.example, often@supplier.example');
});

for (const { viewport, javaScriptEnabled } of WAYS)
  test(`a recipient searches in a shared document and enlarges it at ${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    page,
    browser,
  }) => {
    const subject = `To search at ${viewport.width}, scripts ${javaScriptEnabled ? 'on' : 'off'}`;
    await enter(page, PEOPLE.olivia);
    await page.goto('documents?view=flat&name=for+your+review');
    await page.locator('#document-list tr', { hasText: 'Tax return 2025' }).locator('input[name=id]').check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await sendFrom(page, 'searches@supplier.example', subject);
    const { link } = await linkInMailbox(page, subject);
    const context = await browser.newContext({ javaScriptEnabled, viewport });
    const recipient = await context.newPage();
    await recipient.goto(link);
    await recipient.getByRole('button', { name: 'View document' }).click();
    await recipient.getByRole('link', { name: /^Open / }).click();

    await recipient.locator('summary[aria-label="Find in this document"]').click();
    await recipient.getByRole('searchbox').fill('adjusted gross');
    await recipient.getByRole('button', { name: 'Find' }).click();
    await expect(recipient.getByRole('status').filter({ hasText: /“adjusted gross” found/ })).toBeVisible();
    await expect(recipient.locator('.page rect').first()).toBeAttached();

    await recipient.locator('summary[aria-label="Zoom: Fit width"]').click();
    await recipient.getByRole('link', { name: '200%' }).click();
    const image = recipient.locator('.page-image').first();
    await expect(image).toHaveAttribute('width', String(612 * 2 * (96 / 72)));
    await recipient.getByRole('textbox', { name: 'Page' }).fill('5');
    await recipient.getByRole('textbox', { name: 'Page' }).press('Enter');
    await expect(recipient.getByRole('region', { name: 'Page 5 of 6' })).toBeInViewport();
    expect(await recipient.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    if (javaScriptEnabled) await expectUsable(recipient, 'a shared document');
    await context.close();
  });

test('a recipient reads whose documents they are, sees their first pages, and reads each name to its extension', async ({
  page,
  browser,
  portal,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.goto('documents?view=flat&name=engagement+letter');
  const box = page.locator('#document-list tr', { hasText: '.pdf' }).locator('input[name=id]').first();
  const id = (await box.getAttribute('value')) ?? '';
  await box.check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await sendFrom(page, 'looks@supplier.example', 'To look at');
  const [stored] = await portal.sql(`select name from documents where document_id = '${id}'`);
  const name = `${'A long name '.repeat(9)}of a letter.pdf`;
  await portal.sql(`update documents set name = '${name}' where document_id = '${id}'`);
  const { link, mail } = await linkInMailbox(page, 'To look at');
  expect(mail).toContain('Juniper Street Bakery LLC shared 1 document');
  const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
  const recipient = await context.newPage();
  await recipient.goto(link);
  await expect(recipient.getByRole('heading', { level: 1 })).toHaveText(
    'Juniper Street Bakery LLC shared 1 document',
  );
  await expect(recipient.getByText('Olivia Bennett · via Maple & Hart CPAs')).toBeVisible();
  await recipient.getByRole('button', { name: 'View document' }).click();
  const card = recipient.getByRole('listitem');
  await expect(card.locator('bdi')).toHaveText(name);
  await expect(card.locator('bdi span').last()).toHaveText('a letter.pdf');
  await expect(card.locator('bdi span').last()).toBeInViewport({ ratio: 1 });
  const image = card.locator('img');
  await expect
    .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
    .toBeGreaterThan(100);
  await expect(card.getByRole('link', { name: `Download ${name}` })).toBeVisible();
  for (const [width, expected] of [
    [768, 640],
    [1280, 640],
  ] as const) {
    await recipient.setViewportSize({ width, height: 800 });
    expect((await recipient.locator('.card').boundingBox())?.width).toBe(expected);
  }
  await recipient.setViewportSize({ width: 620, height: 800 });
  expect((await card.locator('small').boundingBox())?.height, 'the size is on one line').toBeLessThan(30);
  await recipient.setViewportSize({ width: 360, height: 640 });
  await card.getByRole('link', { name: `Open ${name}` }).click();
  await expect(recipient.getByRole('heading', { level: 1 })).toHaveText(name);
  const firstPage = recipient.locator('.page-image').first();
  await expect
    .poll(() => firstPage.evaluate((element: HTMLImageElement) => element.naturalWidth))
    .toBeGreaterThan(300);
  expect(await recipient.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const openedUrl = recipient.url();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(openedUrl);
  await expect(stranger, 'people who have not opened the link are sent to its page').toHaveURL(link);
  await stranger.context().close();
  await recipient.getByRole('link', { name: 'Back to documents' }).click();
  await expect(card).toHaveCount(1);
  const [sent] = await portal.sql(
    `select downloads from share_recipients where first_opened_at is not null order by first_opened_at desc limit 1`,
  );
  expect(Number(sent?.['downloads']), 'looking is no download').toBe(0);
  await portal.sql(`update documents set name = '${String(stored?.['name'])}' where document_id = '${id}'`);
  await context.close();
});

test('in the dialog a corrected address is no problem any more, and sharing ends the selection with one message', async ({
  page,
}) => {
  await enter(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const to = dialog.getByLabel('To', { exact: true });
  const send = dialog.getByRole('button', { name: 'Share', exact: true });
  await to.fill('nobody');
  await send.click();
  await expect(to).toHaveAttribute('aria-invalid', 'true');
  await to.fill('nobody@supplier.example');
  await expect(to).toBeFocused();
  await expect(to).not.toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Subject').fill('Corrected');
  await send.click();
  await expect(dialog.getByRole('heading', { name: 'Shared with nobody@supplier.example' })).toBeFocused();
  await expect(page.locator('#alerts .alert')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.locator('#document-list input:checked')).toHaveCount(0);
});
