import { DESK, PEOPLE, PHONE, enter, expect, test } from './support/test.ts';

/*
 * The search of everything, the menu of what can be begun, and the keys of the firm's side. What is found is tested in
 * tests/features/search/.
 */

test.describe('with scripts', () => {
  test.use({ viewport: DESK });

  test('a member of staff searches, begins and moves by keys alone, which never act while typing', async ({
    page,
  }) => {
    await enter(page, PEOPLE.eleanor, 'staff/inbox');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('load');
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: /^Search clients/ });
    await expect(field).toBeFocused();
    await page.keyboard.type('juniper');
    const list = page.getByRole('listbox');
    const option = list.getByRole('option', { name: 'Juniper Street Bakery LLC' }).first();
    await expect(option).toBeVisible();
    await expect(field).toHaveAttribute('aria-expanded', 'true');
    await page.keyboard.press('ArrowDown');
    await expect(option).toHaveAttribute('aria-selected', 'true');
    await expect(field).toHaveAttribute('aria-activedescendant', (await option.getAttribute('id')) ?? '');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Juniper Street Bakery LLC' })).toBeVisible();

    await page.waitForLoadState('load');
    await page.keyboard.press('/');
    await expect(list.getByRole('group', { name: 'Recently opened' })).toContainText('Juniper Street Bakery');
    await page.keyboard.press('Escape');
    await expect(field).toHaveAttribute('aria-expanded', 'false');
    await page.keyboard.type('g n?/');
    await expect(field).toHaveValue('g n?/');

    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible();
    await page.waitForLoadState('load');
    await page.keyboard.press('n');
    await expect(page.locator('#new a').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.locator('#new > summary')).toBeFocused();

    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(keys).toContainText('Go to Clients');
    await keys.getByLabel('Use keyboard shortcuts').uncheck();
    await keys.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Keyboard shortcuts are off.').first()).toBeVisible();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('/');
    await expect(page.locator('.search-form input:focus')).toHaveCount(0);
  });
});

test.describe('without scripts', () => {
  test.use({ viewport: PHONE, javaScriptEnabled: false });

  test('contacts and staff search on a page, on a phone too, and begin from a menu', async ({ page }) => {
    await enter(page, PEOPLE.olivia, 'documents');
    await page.locator('header').getByRole('link', { name: 'Search' }).click();
    await page.getByRole('main').getByRole('searchbox').fill('tax');
    await page.getByRole('main').getByRole('searchbox').press('Enter');
    await expect(page.getByRole('main').getByRole('heading', { level: 2, name: 'Documents' })).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: /Tax/ }).first().click();
    await expect(page).not.toHaveURL(/search/);

    await page.context().clearCookies();
    await enter(page, PEOPLE.eleanor, 'staff/inbox');
    await page.locator('header').getByRole('link', { name: 'Search' }).click();
    await page.getByRole('main').getByRole('searchbox').fill('juniper');
    await page.getByRole('main').getByRole('searchbox').press('Enter');
    await expect(page.getByRole('link', { name: /^Juniper Street Bakery LLC/ }).first()).toBeVisible();
    await page.locator('#new > summary').click();
    await page.locator('#new').getByRole('link', { name: 'Signatures' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(page.url()).toContain('staff/tasks/sign');
  });
});
