import { expectUsable } from './support/accessibility.ts';
import { PEOPLE, SIZES, enter, expect, test } from './support/test.ts';

/* Every form is defined once (src/platform/forms.server.ts), and works the same with and without scripts. */

for (const { width } of SIZES) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('a form with errors keeps its input, and names each error beside its field and in a summary', async ({
      page,
    }) => {
      await enter(page, PEOPLE.olivia, 'profile');
      await page.goto('profile');
      const firstName = page.getByRole('textbox', { name: 'First name' });
      await firstName.fill(' ');
      await page.getByRole('textbox', { name: /^Suffix/ }).fill('<b>');
      await page.getByRole('button', { name: 'Save' }).click();
      const summary = page.getByRole('alert').filter({ has: page.getByRole('heading', { level: 2 }) });
      await expect(summary).toBeFocused();
      await expect(summary.getByRole('link')).toHaveCount(2);
      await expect(firstName).toHaveAttribute('aria-invalid', 'true');
      await expect(firstName).toHaveAccessibleDescription('Enter your first name.');
      await expectUsable(page, 'a form with errors');
      await summary.getByRole('link').first().click();
      await expect(firstName).toBeFocused();
      await firstName.fill('Olivia');
      await page.getByRole('textbox', { name: /^Suffix/ }).fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'Your profile was saved.' })).toBeVisible();
      await expect(page.locator('.error-summary')).toHaveCount(0);
    });
  });
}

test('a form in a dialog shows its errors in the dialog', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'documents');
  await page.goto('documents');
  await page.locator('details.menu').filter({ hasText: 'Olivia' }).locator('summary').click();
  await page.getByRole('link', { name: 'Profile settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Profile settings' });
  await dialog.getByRole('textbox', { name: 'Last name' }).fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('link', { name: 'Enter your last name.' })).toBeVisible();
  await expect(page).toHaveURL(/\/documents$/);
});

test('a form that fails on the server says so and keeps its input', async ({ page, trouble }) => {
  trouble.expect(/answered 503/);
  await enter(page, PEOPLE.olivia, 'profile');
  await page.goto('profile');
  await page.getByRole('textbox', { name: 'First name' }).fill('Olive');
  await page.route('**/profile', (route) => route.fulfill({ status: 503, body: 'Service unavailable' }), {
    times: 1,
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'What you typed is still here.' })).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'First name' })).toHaveValue('Olive');
});

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('a form with errors comes back with its input and names each error without scripts', async ({
    page,
  }) => {
    await enter(page, PEOPLE.olivia, 'profile');
    await page.goto('profile');
    const firstName = page.getByRole('textbox', { name: 'First name' });
    await firstName.fill('');
    await page.getByRole('textbox', { name: 'Last name' }).fill('Bennett-Ross');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('link', { name: 'Enter your first name.' })).toHaveAttribute(
      'href',
      '#profile-form-firstName',
    );
    await expect(firstName).toHaveAccessibleDescription('Enter your first name.');
    await expect(page.getByRole('textbox', { name: 'Last name' })).toHaveValue('Bennett-Ross');
  });
});
