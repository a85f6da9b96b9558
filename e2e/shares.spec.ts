import type { Browser, Page } from 'playwright/test';
import { linkInMailbox, openFolders, openPageMenu } from './support/steps.ts';
import { PEOPLE, SIZES, enter, expect, test } from './support/test.ts';

/** Opens a link as a recipient without an account; returns the status. */
async function openAsStranger(browser: Browser, link: string): Promise<number> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const status = (await page.goto(link))?.status() ?? 0;
  const button = page.getByRole('button', { name: /Open the document/ });
  if (await button.isVisible()) await button.click();
  await context.close();
  return status;
}

async function sendFrom(page: Page, to: string, subject: string): Promise<void> {
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByLabel('Subject').fill(subject);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText(/The documents are on their way to/)).toBeVisible();
}

/** Checks that a share can be inspected, extended, ended and sent again. */
async function manageShares(page: Page, browser: Browser, subject: string): Promise<void> {
  const { link } = await linkInMailbox(page, subject, 2); // one for each of the two recipients
  expect(await openAsStranger(browser, link)).toBe(200);

  await page.goto('documents');
  await page.locator('#account summary').click();
  await page.getByRole('link', { name: 'My shares' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My shares');
  const share = page.getByRole('article', { name: subject });
  await expect(share.first()).toContainText('not required');
  await expect(share.first().getByRole('row').filter({ hasText: 'first@supplier.example' })).toContainText(
    /opened 1 time|not opened yet/,
  );
  await expect(
    share
      .first()
      .getByRole('row')
      .filter({ hasText: /supplier\.example.*opened 1 time/ }),
  ).toHaveCount(1);

  await share.first().getByRole('link', { name: 'Extend' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Extend the links of “${subject}”`);
  await page.getByLabel('The link works for').selectOption('AfterTwoWeeks');
  await page.getByRole('button', { name: 'Extend' }).click();
  await expect(page.getByText(`The links of “${subject}” work until`)).toBeVisible();

  await share.first().getByRole('link', { name: 'End the link first@supplier.example' }).click();
  await expect(page.getByText('It happens at once and cannot be undone.')).toBeVisible();
  await page.getByRole('link', { name: 'Keep it as it is' }).click();
  await expect(share.first()).not.toContainText('link ended');
  await share.first().getByRole('link', { name: 'End the link first@supplier.example' }).click();
  await page.getByRole('button', { name: 'End the link' }).click();
  await expect(page.getByText('The link of first@supplier.example is over.')).toBeVisible();
  await expect(share.first().getByRole('row').filter({ hasText: 'first@supplier.example' })).toContainText(
    'link ended',
  );

  await share.first().getByRole('link', { name: 'Send again first@supplier.example' }).click();
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('A new link is on its way to first@supplier.example.')).toBeVisible();
  await expect(share).toHaveCount(2);
  await expect(share.first()).toContainText('Works until');
  const { link: again } = await linkInMailbox(page, subject, 3);
  expect(again).not.toBe(link);
  expect(await openAsStranger(browser, again)).toBe(200);

  await page.goto('shares');
  await share.first().getByRole('link', { name: 'End all links' }).click();
  await page.getByRole('button', { name: 'End all links' }).click();
  await expect(page.getByText(`The links of “${subject}” are over.`)).toBeVisible();
  expect(await openAsStranger(browser, again)).toBe(410);
}

for (const { width } of SIZES) {
  for (const javaScriptEnabled of [true, false]) {
    const subject = `Looked after at ${width}, scripts ${javaScriptEnabled ? 'on' : 'off'}`;
    test.describe(subject, () => {
      test.use({ javaScriptEnabled });

      test(`a sender manages the links of a share at ${width} px`, async ({ page, browser }) => {
        await page.setViewportSize({ width, height: 800 });
        await enter(page, PEOPLE.olivia);
        await page.locator('#document-list input[name=id]').first().check();
        await page.getByRole('button', { name: 'Send by e-mail' }).click();
        await sendFrom(page, 'first@supplier.example, second@supplier.example', subject);
        await manageShares(page, browser, subject);
      });
    });
  }

  test.describe('with scripts off', () => {
    test.use({ javaScriptEnabled: false });

    test(`a folder is shared and opened with its subfolders, at ${width} px`, async ({ page, browser }) => {
      await page.setViewportSize({ width, height: 800 });
      await enter(page, PEOPLE.olivia);
      await openFolders(page);
      await page.getByRole('link', { name: /^Tax return 2025 \d/ }).click();
      await openPageMenu(page);
      await page.getByRole('link', { name: 'Send this folder by e-mail' }).click();
      await expect(page.getByText(/Tax return 2025 \(folder with \d+ documents\)/)).toBeVisible();
      await sendFrom(page, 'folder@supplier.example', `A folder at ${width}`);
      const { link } = await linkInMailbox(page, `A folder at ${width}`);
      const phone = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 640 } });
      const recipient = await phone.newPage();
      await recipient.goto(link);
      await recipient.getByRole('button', { name: /Open the document/ }).click();
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
    await page.getByRole('button', { name: 'Send by e-mail' }).click();
    await expect(page.getByLabel('The link works for')).toHaveValue('AfterThreeDays');
    const shares = async () => (await portal.sql('select count(*) as n from shares'))[0]?.['n'];
    const before = await shares();
    await page.getByRole('textbox', { name: /Message/ }).fill('What I typed stays.');
    await page.getByLabel('Require an authorization code').check();
    await page.getByLabel('The link works for').selectOption('AfterOneWeek');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByRole('alert').getByRole('link')).toHaveText([
      'Enter at least one e-mail address under To.',
      'Enter a subject.',
      'Enter an authorization code, or untick the box above it.',
    ]);
    await expect(page.locator('.input[aria-invalid=true]')).toHaveCount(3);
    await expect(page.getByRole('textbox', { name: /Message/ })).toHaveValue('What I typed stays.');
    await expect(page.getByLabel('The link works for')).toHaveValue('AfterOneWeek');
    await page
      .getByLabel('To', { exact: true })
      .fill('x@supplier.example; y@supplier.example z@supplier.example');
    await page.getByLabel('Subject').fill('A code without its box');
    await page.getByLabel('Require an authorization code').uncheck();
    await page.getByLabel('Authorization code', { exact: true }).fill('croissant-41');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByRole('alert').getByRole('link')).toHaveText([
      'You typed a code. Tick “Require an authorization code” to use it, or remove it.',
    ]);
    expect(await shares(), 'nothing was sent').toBe(before);
    await page.getByLabel('Require an authorization code').check();
    await page.getByLabel(/Send me a copy/).check();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByText('The documents are on their way to 4 recipients.')).toBeVisible();
  });

  test('the share form lets the sender continue without a document that was deleted meanwhile, after saying so', async ({
    page,
    portal,
  }) => {
    await enter(page, PEOPLE.sophie);
    for (const row of [0, 1]) await page.locator('#document-list input[name=id]').nth(row).check();
    const id = await page.locator('#document-list input[name=id]').nth(0).getAttribute('value');
    await page.getByRole('button', { name: 'Send by e-mail' }).click();
    await page.getByLabel('To', { exact: true }).fill('x@supplier.example');
    await page.getByLabel('Subject').fill('One is gone');
    await portal.sql(`update documents set deleted_at = 1 where document_id = '${id ?? ''}'`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('Not all of these documents are there any more');
    await expect(page.getByLabel('Subject')).toHaveValue('One is gone');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByText('The documents are on their way to 1 recipient.')).toBeVisible();
    await portal.sql(`update documents set deleted_at = null where document_id = '${id ?? ''}'`);
  });
});

test('the access code of the share form can be typed only while it is required', async ({ page }) => {
  await enter(page, PEOPLE.sophie);
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents/send?id=${id ?? ''}`);
  const code = page.getByLabel('Authorization code', { exact: true });
  await expect(code).toBeDisabled();
  await page.getByLabel('Require an authorization code').check();
  await expect(code).toBeEnabled();
  await page.getByLabel('Require an authorization code').uncheck();
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
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('fails@supplier.example');
  await page.getByLabel('Subject').fill('It fails');
  await portal.refuse('shares', `'no'`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Send documents by e-mail' });
  await expect(dialog.getByRole('alert')).toContainText('The documents were not sent.');
  await expect(dialog.getByRole('alert')).toBeFocused();
  await portal.accept('shares');
  await expect(page.getByLabel('Subject')).toHaveValue('It fails');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('The documents are on their way to 1 recipient.')).toBeVisible();
});

test('owners see what their firm and its contacts shared about a client, and can filter by sender', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await sendFrom(page, 'firm@supplier.example', 'Seen by the firm');
  const client = await page.evaluate(
    () => document.querySelector<HTMLElement>('#session-info')?.dataset['client'] ?? '',
  );
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/\/auth/); // her alerts are gone with her session
  await enter(page, PEOPLE.eleanor, `documents?client=${client}`);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await sendFrom(page, 'owner@supplier.example', 'Sent by the owner');
  await page.goto(`shares?client=${client}`);
  await expect(page.getByRole('article', { name: 'Seen by the firm' })).toContainText('Olivia Bennett');
  await expect(
    page.getByRole('article', { name: 'Seen by the firm' }).getByRole('link', { name: 'Send again' }),
  ).toHaveCount(0);
  await page.getByLabel('Sender').selectOption('Olivia Bennett');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('article', { name: 'Sent by the owner' })).toHaveCount(0);
  await page
    .getByRole('article', { name: 'Seen by the firm' })
    .getByRole('link', { name: 'End all links' })
    .click();
  await page.getByRole('button', { name: 'End all links' }).click();
  await expect(page.getByRole('article', { name: 'Seen by the firm' })).toContainText('Ended');
});

test('without a connection the share dialog stays open with its input, and sends once it is back', async ({
  page,
  context,
  trouble,
}) => {
  trouble.expect(/ERR_INTERNET_DISCONNECTED .*sharing\/share/);
  await enter(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send documents by e-mail' });
  await expect(dialog.getByRole('textbox', { name: 'To', exact: true })).toBeFocused();
  await dialog.getByRole('textbox', { name: 'To', exact: true }).fill('later@supplier.example');
  await dialog.getByLabel('Subject').fill('Without a line');
  await context.setOffline(true);
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('You’re offline.');
  await expect(dialog.getByLabel('Subject')).toHaveValue('Without a line');
  await context.setOffline(false);
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('The documents are on their way to 1 recipient.')).toBeVisible();
});

test('a generated access code can be copied before and after sending', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await enter(page, PEOPLE.sophie);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('code@supplier.example');
  await page.getByLabel('Subject').fill('With a code');
  await page.getByLabel('Require an authorization code').check();
  await page.getByRole('button', { name: 'Make a code' }).click();
  const code = await page.getByLabel('Authorization code', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'Copy code' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const sent = page.getByRole('dialog', { name: 'Documents shared' });
  await expect(sent.getByRole('heading')).toBeFocused();
  await expect(sent.getByText(code)).toBeVisible();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await sent.getByRole('button', { name: 'Copy code' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await sent.getByRole('button', { name: 'Done' }).click();
  await expect(sent).toBeHidden();
});
