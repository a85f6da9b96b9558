import type { Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { openPageMenu } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';

/*
 * Roles, locks and download limits, mostly without scripts: staff lock a folder and assign a role, and a
 * person who downloads too much must authenticate again.
 */

const DANIEL = 'daniel@twofirms.example';
const folders = (page: Page) => page.getByRole('navigation', { name: 'Folders' });

/** Pretends that Daniel has downloaded as many documents within this hour as the limit allows. */
async function exhaustDownloadLimit(portal: Portal): Promise<void> {
  await portal.sql("delete from limits where limit_key like 'fetch%'");
  await portal.sql(
    `insert into limits (limit_key, used, resets_at) select 'fetched-files:' || contact_id || ':0', 500, ${Date.now() + 3_600_000} from contacts where full_name = 'Daniel Cho'`,
  );
}

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('staff grant and revoke a role, lock and unlock a folder, and the contact sees the effect', async ({
    page,
    browser,
    portal,
  }) => {
    await enter(page, PEOPLE.eleanor, 'clients?searchTerm=Cho');
    await page.goto('clients?searchTerm=Cho');
    await page.getByRole('button', { name: 'Cho Imports Inc' }).click();
    await page.goto('documents');
    await folders(page)
      .getByRole('link', { name: /Tax return 2024/ })
      .click();
    await openPageMenu(page);
    await page.getByRole('link', { name: 'Permissions & locks' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Permissions & locks: Tax return 2024');
    await page.getByRole('button', { name: 'Make editor Daniel Cho' }).click();
    await expect(page.getByText('Daniel Cho is now an editor here.')).toBeVisible();
    await expect(
      page.getByRole('listitem').filter({ hasText: 'Daniel Cho' }).getByText('Editor (set here)'),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Remove role Daniel Cho' }).click();
    await expect(
      page.getByRole('listitem').filter({ hasText: 'Daniel Cho' }).getByText('Contributor (default)'),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Lock' }).click();
    await expect(page.getByText('Tax return 2024 locked.')).toBeVisible();
    await expect(page.getByText(/Locked by Eleanor Hart: .*C[SD]T/)).toBeVisible();

    const daniel = await (
      await browser.newContext({ javaScriptEnabled: false, baseURL: `${portal.origin}/clientcenter/en-us/` })
    ).newPage();
    await enter(daniel, DANIEL);
    await openPageMenu(daniel);
    await expect(daniel.getByRole('link', { name: 'Trash' })).toBeVisible();
    await expect(daniel.getByRole('link', { name: 'Permissions & locks' })).toHaveCount(0);
    await expect(folders(daniel).getByRole('link', { name: /Tax return 2024.*locked/ })).toBeVisible();
    await expect(daniel.getByRole('row', { name: /as filed.*locked/ })).toBeVisible();

    await page.getByRole('button', { name: 'Unlock' }).click();
    await expect(page.getByText('It isn’t locked.')).toBeVisible();
    await daniel.goto('documents');
    await expect(folders(daniel).getByRole('link', { name: /As filed.*locked/ })).toBeVisible();
    await expect(folders(daniel).getByRole('link', { name: /Tax return 2024.*locked/ })).toHaveCount(0);
  });

  test('step-up authentication is required after too many downloads in an hour, and then continues', async ({
    page,
    portal,
  }) => {
    await enter(page, DANIEL);
    await exhaustDownloadLimit(portal);
    await page
      .getByRole('row', { name: /Customs invoice\.pdf/ })
      .getByRole('link', { name: 'Download' })
      .click();
    await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible();
    await expect(page.getByText(/You’ve accessed a lot of documents/)).toBeVisible();
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).first().click();
    await expect(page).toHaveURL(/\/documents$/);
    const download = page.waitForEvent('download');
    await page
      .getByRole('row', { name: /Customs invoice\.pdf/ })
      .getByRole('link', { name: 'Download' })
      .click();
    expect((await download).suggestedFilename()).toBe('Customs invoice.pdf');
  });
});

test('after too many shares in an hour a person authenticates in another tab and sends the same message', async ({
  page,
  portal,
}) => {
  await enter(page, DANIEL);
  await page
    .getByRole('row', { name: /Customs invoice\.pdf/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('To', { exact: true }).fill('desk@supplier.example');
  await page.getByLabel('Subject').fill('The invoice');
  await page.getByRole('textbox', { name: /^Message/ }).fill('First line\nand the second');
  await exhaustDownloadLimit(portal);
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(
    page.getByRole('alert').getByText(/You’ve accessed a lot of documents in a short time/),
  ).toBeVisible();
  await expect(page.getByLabel('To', { exact: true })).toHaveValue('desk@supplier.example');
  await expect(page.getByRole('textbox', { name: /^Message/ })).toHaveValue('First line\nand the second');
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Confirm it’s me' }).click();
  const other = await opening;
  await other.getByLabel('Password').fill(DEMO_PASSWORD);
  await other.getByRole('button', { name: 'Confirm' }).first().click();
  await expect(other).toHaveURL(/\/documents$/);
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('Shared with desk@supplier.example').first()).toBeVisible();
});

test('a firm can restrict sharing to some domains, and the share dialog names them beside the field', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.lima, 'staff/sharing');
  await page.goto('staff/sharing');
  await page.getByLabel('Allowed domains').fill('not a domain');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toHaveText(/Not a valid domain: not, a, domain/);
  await page.getByLabel('Allowed domains').fill('Bank.example\n*.gov.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved. Sharing is limited to 2 domains.').first()).toBeVisible();
  await page.goto(`${portal.origin}/clientcenter/en-us/documents`);
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('To', { exact: true }).fill('x@out.example');
  await page.getByLabel('Subject').fill('Papers');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.locator('#share-to-error')).toHaveText(
    /only allows sharing with: \*\.gov\.example, bank\.example$/,
  );
  await page.getByLabel('To', { exact: true }).fill('x@bank.example');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText('Shared with x@bank.example').first()).toBeVisible();
  await page.goto('staff/sharing');
  await page.getByLabel('Allowed domains').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved. Sharing is allowed with any address.').first()).toBeVisible();
});
