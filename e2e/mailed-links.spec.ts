import type { Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { openPageMenu } from './support/steps.ts';
import { enter, expect, PEOPLE, signIn, test } from './support/test.ts';

/*
 * A link in an email opens in the account that it is about, and says so; no link switches accounts by itself.
 */

const DANIEL = 'daniel@twofirms.example';

interface Company {
  firm: string;
  client: string;
}

async function companyOf(portal: Portal, name: string): Promise<Company> {
  const [row] = await portal.sql(`select company_id, client_id from clients where name = '${name}'`);
  return { firm: String(row?.['company_id']), client: String(row?.['client_id']) };
}

const linkTo = ({ firm, client }: Company): string => `documents?firm=${firm}&client=${client}`;
const main = (page: Page) => page.getByRole('main');
const bar = (page: Page) => page.locator('.client-bar');

/** Returns the firm of the account that this page is signed in to. */
async function firmOf(page: Page, portal: Portal): Promise<string> {
  const answer = await page.request.get(`${portal.origin}/api/security/v1/session`);
  const { bindings } = (await answer.json()) as {
    bindings: { ApplicationConfiguration: { CompanyId: string } };
  };
  return bindings.ApplicationConfiguration.CompanyId;
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a link about the other firm asks whether to switch accounts, names both, and opens there', async ({
      page,
      portal,
    }) => {
      const [us, ca] = [
        await companyOf(portal, 'Cho Imports Inc'),
        await companyOf(portal, 'Cho Canada Ltd'),
      ];
      await enter(page, DANIEL, linkTo(ca));
      if ((await firmOf(page, portal)) !== ca.firm) await main(page).getByRole('button').click();
      await page.goto(linkTo(us));
      await expect(main(page).getByRole('heading', { level: 1 })).toHaveText(
        'This is about Cho Imports Inc at Maple & Hart CPAs.',
      );
      await expect(main(page)).toContainText(
        'You’re signed in at Northern Ledger. To open this page, continue in your account at Maple & Hart CPAs.',
      );
      expect(await firmOf(page, portal), 'opening the link changes nothing').toBe(ca.firm);
      await page.getByRole('button', { name: 'Continue at Maple & Hart CPAs' }).click();
      await expect(page).toHaveURL(new RegExp(`/documents\\?client=${us.client}$`));
      await expect(bar(page)).toContainText('Cho Imports Inc');
      await expect(page.getByText('This is about Cho Imports Inc at Maple & Hart CPAs.')).toBeVisible();
      expect(await firmOf(page, portal)).toBe(us.firm);
    });

    test('a link followed before signing in opens the account that it is about', async ({ page, portal }) => {
      for (const name of ['Cho Canada Ltd', 'Cho Imports Inc']) {
        const company = await companyOf(portal, name);
        await page.context().clearCookies();
        await page.goto(linkTo(company));
        await signIn(page, DANIEL);
        await expect(page).toHaveURL(new RegExp(`/documents\\?client=${company.client}$`));
        await expect(bar(page)).toContainText(name);
        await expect(page.getByText(`This is about ${name} at`)).toBeVisible();
        expect(await firmOf(page, portal)).toBe(company.firm);
      }
    });
  });
}

test('company/ and ?client= links to another account ask whether to switch, and those of strangers are refused', async ({
  page,
  portal,
}) => {
  const [us, ca] = [await companyOf(portal, 'Cho Imports Inc'), await companyOf(portal, 'Cho Canada Ltd')];
  const stranger = await companyOf(portal, 'Café da Serra ME');
  await enter(page, DANIEL, linkTo(us));
  if ((await firmOf(page, portal)) !== us.firm) await main(page).getByRole('button').click();
  for (const address of [
    `documents?client=${ca.client}`,
    `company/${ca.client}`,
    `documents/trash?client=${ca.client}`,
  ]) {
    await page.goto(address);
    await expect(main(page).getByRole('heading', { level: 1 })).toHaveText(
      'This is about Cho Canada Ltd at Northern Ledger.',
    );
  }
  await page.goto(`company/${ca.firm}`);
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText(
    'This is about your account at Northern Ledger.',
  );
  for (const address of [
    `documents?client=${stranger.client}`,
    `documents?firm=${stranger.firm}`,
    `company/${stranger.firm}`,
    'documents?client=client_0',
    `documents?firm=${ca.firm}&client=${us.client}`,
  ]) {
    await page.goto(address);
    await expect(page, address).toHaveURL(/\/not-authorized\?because=account$/);
  }
  await expect(main(page)).toContainText('sign in with the address the email was sent to');
  await page.goto(`company/${ca.client}`);
  await page.getByRole('button', { name: 'Continue at Northern Ledger' }).click();
  await expect(bar(page)).toContainText('Cho Canada Ltd');
});

test('a person with several clients at one firm sees which one a link is about', async ({ page, portal }) => {
  const cafe = await companyOf(portal, 'Café da Serra ME');
  await enter(page, PEOPLE.ana);
  await page.goto(linkTo(cafe));
  await expect(page.getByText('This is about Café da Serra ME at Contábil Aurora.')).toBeVisible();
  await expect(bar(page)).toContainText('Café da Serra ME');
});

test('a form submitted after another tab switched accounts is not lost', async ({ page, portal }) => {
  const [us, ca] = [await companyOf(portal, 'Cho Imports Inc'), await companyOf(portal, 'Cho Canada Ltd')];
  await enter(page, DANIEL, linkTo(us));
  if ((await firmOf(page, portal)) !== us.firm) await main(page).getByRole('button').click();
  await page.goto(`documents?client=${us.client}`);
  const other = await page.context().newPage();
  await other.goto(linkTo(ca));
  await other.getByRole('button', { name: 'Continue at Northern Ledger' }).click();
  await expect(bar(other)).toContainText('Cho Canada Ltd');
  await openPageMenu(page);
  await page.getByText('New folder').click();
  await page.getByRole('textbox', { name: 'Folder name' }).fill('Customs 2026');
  await page.getByRole('textbox', { name: 'Folder name' }).press('Enter');
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText(
    'This is about Cho Imports Inc at Maple & Hart CPAs.',
  );
  await page.getByRole('button', { name: 'Continue at Maple & Hart CPAs' }).click();
  await expect(main(page).locator('input[name=folderName]')).toHaveValue('Customs 2026');
});

test('a short link leads to its page, also when it is followed before signing in, and an unknown one says that it leads nowhere', async ({
  page,
  portal,
}) => {
  const company = await companyOf(portal, 'Cho Imports Inc');
  const target = `/clientcenter/en-us/${linkTo(company)}`;
  await portal.sql(
    `insert into mail_links (code, mail_id, page, created_at) values ('k7mq2wv9xp4t0z', 'mail_1', '${target}', ${Date.now()})`,
  );
  const head = await page.request.head(`${portal.origin}/m/k7mq2wv9xp4t0z`, { maxRedirects: 0 });
  expect([head.status(), head.headers()['location']]).toEqual([303, target]);
  await page.goto(`${portal.origin}/m/k7mq2wv9xp4t0z`);
  await signIn(page, DANIEL);
  await expect(page).toHaveURL(new RegExp(`/documents\\?client=${company.client}$`));
  await expect(bar(page)).toContainText('Cho Imports Inc');
  const unknown = await page.goto(`${portal.origin}/m/00000000000000`);
  expect(unknown?.status()).toBe(404);
  await expect(main(page).getByRole('heading', { level: 1 })).toBeVisible();
});
