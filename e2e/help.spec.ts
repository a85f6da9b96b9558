import { enter, expect, PEOPLE, test } from './support/test.ts';

/* The help: its menu, search and articles, for people and for visitors, and what they say about it. */

test('the help menu suggests articles for the page, and its search opens a new tab', async ({
  page,
  context,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.goto('documents/trash');
  await page.locator('#help summary').click();
  const menu = page.locator('#help');
  await expect(menu.getByRole('list', { name: 'For this page' }).getByRole('link').first()).toHaveText(
    'Deleted by mistake',
  );
  await menu.getByRole('searchbox', { name: 'Search help' }).fill('forgot password');
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    menu.getByRole('button', { name: 'Search' }).click(),
  ]);
  await expect(tab.getByRole('heading', { level: 2 })).toContainText('found for “forgot password”');
  await tab.getByRole('main').getByRole('link').nth(0).click();
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('You forgot your password');
  expect(await tab.evaluate(() => window.opener as unknown)).toBeNull();
});

test('an article names the buttons of the portal in the language of the reader', async ({ page, portal }) => {
  await enter(page, PEOPLE.olivia);
  await page.goto(`${portal.origin}/clientcenter/fr/help/trash`);
  const article = page.locator('.article');
  await expect(article).toContainText('Choisissez Restaurer.');
  await article.getByRole('link', { name: 'Corbeille' }).click();
  await expect(page).toHaveURL(/\/fr\/documents\/trash$/);
});

test('a contact says that an article did not help, and those who manage the firm read it', async ({
  page,
  browser,
  portal,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.goto('help/tasks');
  await page.getByRole('link', { name: 'No', exact: true }).click();
  await expect(page.getByText('About the help article “What your firm asks of you”')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Not good' })).toBeChecked();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('Enter a message.');
  await page.getByLabel('Message').fill('I <b>looked</b> for the due date.');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('status').first()).toContainText('Thank you.');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('What your firm asks of you');

  const owner = await browser.newPage({ baseURL: `${portal.origin}/clientcenter/en-us/` });
  await enter(owner, PEOPLE.eleanor);
  await owner.goto('staff/inbox');
  await owner.getByRole('link', { name: 'Olivia Bennett sent feedback' }).click();
  const row = owner.getByRole('row', { name: /looked/ });
  await expect(row).toContainText('I <b>looked</b> for the due date.');
  await expect(row).toContainText('What your firm asks of you');
  await row.getByRole('button', { name: /Mark as read/ }).click();
  await expect(row.getByRole('button')).toHaveCount(0);
  await owner.goto('staff/inbox');
  await expect(owner.getByText('Olivia Bennett sent feedback')).toHaveCount(0);
  await owner.close();
});

test('feedback in general is offered where the firm asks for it', async ({ page, portal }) => {
  await enter(page, PEOPLE.olivia);
  await page.goto('documents');
  await page.locator('#help summary').click();
  await expect(page.locator('#help').getByRole('link', { name: 'Give feedback' })).toHaveCount(0);
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) select company_id, '', 'flag', 'feedbackRequest', 1 from firms where name = 'Maple & Hart CPAs'`,
  );
  await page.reload();
  await page.locator('#help summary').click();
  await page.locator('#help').getByRole('link', { name: 'Give feedback' }).click();
  await page.getByLabel('Message').fill('A tidy portal.');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('status').first()).toContainText('Thank you.');
});

test.describe('for visitors with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('the sign-in page leads to the help, whose search finds articles for visitors only', async ({
    page,
  }) => {
    await page.goto('auth');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Help' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Help');
    await expect(page.getByRole('link', { name: 'Clients: add, import, merge' })).toHaveCount(0);
    await page.getByRole('searchbox', { name: 'Search help' }).fill('lost my phone');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'You lost your phone' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You lost your phone');
    await expect(page.getByText('Did this help?')).toHaveCount(0);
    await page.getByRole('link', { name: 'on this page' }).click();
    await expect(page).toHaveURL(/\/auth\/rescue$/);
  });

  test('an article that is not for visitors is not found', async ({ page }) => {
    expect((await page.goto('help/staff-clients'))?.status()).toBe(404);
    expect((await page.goto('help/no-such-article'))?.status()).toBe(404);
  });
});
