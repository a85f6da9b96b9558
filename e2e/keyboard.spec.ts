import type { Page } from 'playwright/test';
import { PEOPLE, enter, expect, test } from './support/test.ts';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';

/**
 * Presses Tab until the focused element has this name; fails at a keyboard trap or an unreachable control.
 */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element
        ? (
            element.getAttribute('aria-label') ??
            (element instanceof HTMLInputElement
              ? (element.labels?.[0]?.textContent ?? '')
              : (element.textContent ?? ''))
          ).trim()
        : '';
    });
    if (name.test(focused)) return;
  }
  throw new Error(`Pressing Tab 60 times did not reach ${name}`);
}

test('signing in, selecting documents, the share dialog and the menus work with the keyboard alone', async ({
  page,
}) => {
  // By name, since documents that other tests uploaded may come first.
  await page.goto('documents?name=Tax%20return%202025');
  await tabTo(page, /^Email address/);
  await page.keyboard.type(PEOPLE.olivia);
  await tabTo(page, /^Password/);
  await page.keyboard.type(DEMO_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/documents\?name=Tax%20return%202025$/);

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, /^Select Tax return 2025/);
  await page.keyboard.press('Space');
  await expect(page.getByText('1 document selected')).toBeVisible();
  await page.keyboard.press('Shift+Tab');
  for (
    let step = 0;
    step < 60 &&
    !(await page
      .getByRole('button', { name: 'Share', exact: true })
      .evaluate((button) => button === document.activeElement));
    step += 1
  )
    await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Share \d+ documents?$/ });
  await expect(dialog).toBeVisible();
  await tabTo(page, /^To$/);
  await page.keyboard.type('keys@');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toBeFocused();
  await expect(dialog.getByRole('alert')).toContainText('“keys@” isn’t a valid email address');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeFocused();

  await page.getByText('Olivia Bennett').first().focus();
  await page.locator('#account summary').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeHidden();
});

test('the error summary of a form takes the focus', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'verify');
  await page.locator('#verify').evaluate((form: HTMLFormElement) => form.setAttribute('novalidate', ''));
  await page.locator('#verify button').last().click();
  await expect(page.locator('.error-summary')).toBeFocused();
});

test('the number of selected documents is announced', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().check();
  await expect(page.getByRole('status').filter({ hasText: '1 document selected' })).toHaveCount(1);
});
