import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { ONE_SIZE, PEOPLE, enter, expect, test } from './support/test.ts';

/* Every form is defined once (src/platform/forms/forms.server.ts), and works the same with and without scripts. */

for (const { width } of ONE_SIZE) {
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
      await expect(page.getByRole('status').filter({ hasText: 'Profile saved.' })).toBeVisible();
      await expect(page.locator('.error-summary')).toHaveCount(0);
    });
  });
}

for (const scripts of ['on', 'off'])
  test.describe(`with scripts ${scripts}`, () => {
    test.use({ javaScriptEnabled: scripts === 'on' });

    test('the only error of a short form is said once, beside the field that gets the focus', async ({
      page,
    }) => {
      await enter(page, PEOPLE.olivia, 'profile/phrase');
      await page.goto('profile/phrase');
      const field = page.getByRole('textbox', { name: /^Phrase/ });
      await field.fill('x');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const error = await page.getByRole('alert').innerText();
      await expect(page.getByText(error)).toHaveCount(1);
      await expect(field).toBeFocused();
      await expect(field).toHaveAccessibleDescription(new RegExp(error.replaceAll('.', '\\.')));
      await expectUsable(page, 'a short form with an error');
    });
  });

test('a form in a dialog shows its errors in the dialog', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'documents');
  await page.goto('documents');
  await page.locator('details.menu').filter({ hasText: 'Olivia' }).locator('summary').click();
  await page.getByRole('link', { name: 'Profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Profile' });
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

test('an error from the server and one from a script show the same icon', async ({
  page,
  browser,
  baseURL,
}) => {
  const iconOf = async (profile: Page): Promise<string> => {
    await profile.goto('profile');
    await profile.getByRole('textbox', { name: 'First name' }).fill('');
    await profile.getByRole('button', { name: 'Save' }).click();
    const error = profile.locator('.field-error', { hasText: 'Enter your first name.' });
    const markup = await error.evaluate((element) => element.innerHTML.replaceAll(/\s+/g, ' ').trim());
    return markup.replace(/<\/svg>.*/, '');
  };
  await enter(page, PEOPLE.olivia, 'profile');
  const storageState = await page.context().storageState();
  const withoutScripts = await browser.newContext({
    ...(baseURL !== undefined && { baseURL }),
    storageState,
    javaScriptEnabled: false,
  });
  const fromServer = await iconOf(await withoutScripts.newPage());
  expect(fromServer).toContain('<svg');
  expect(await iconOf(page)).toBe(fromServer);
  await withoutScripts.close();
});

test('input is saved automatically as a draft and restored when the page is opened again, until it is submitted or discarded', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia, 'documents');
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents/${id}/comments`);
  const comment = page.getByRole('textbox', { name: 'Your comment' });
  await comment.fill('Half a thought');
  await expect(page.getByText('Draft saved.')).toBeVisible();
  await page.reload();
  await expect(comment).toHaveValue('Half a thought');
  await expect(page.getByText('We restored what you had typed.')).toBeVisible();
  await expectUsable(page, 'a restored draft');

  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('textbox', { name: 'Your comment' }).fill('A whole thought');
  await expect(other.getByText('Draft saved.')).toBeVisible();
  await comment.fill('Another thought');
  await expect(page.getByText('This draft was changed in another tab or window.')).toBeVisible();
  await page.reload();
  await expect(comment).toHaveValue('A whole thought');

  await page.getByRole('button', { name: 'Discard draft' }).click();
  await expect(comment).toHaveValue('');
  await comment.fill('The last thought');
  await expect(page.getByText('Draft saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Add comment' }).click();
  await expect(page.getByText('Comment added.')).toBeVisible();
  await expect(comment).toHaveValue('');
});

test('a form that was only looked at has no draft, and one ticked before the script arrived has', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia, 'documents');
  const id = await page.locator('#document-list input[name=id]').last().getAttribute('value');
  await page.clock.install();
  const script = page.waitForResponse(/\/autosave[^/]*\.js$/);
  await page.goto(`documents/send?id=${id}`);
  const saves: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && saves.push(request.url()));
  await page.getByLabel('Subject').focus();
  const address = (await script).url();
  await page.evaluate(async (url) => void (await import(url)), address); // it has run
  await page.clock.runFor(2000);
  expect(saves).toEqual([]);

  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/autosave[^/]*\.js$/, async (route) => {
    await promise;
    await route.continue();
  });
  await page.reload();
  await expect(page.getByText('We restored what you had typed.')).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Send me a copy' }).check();
  resolve();
  await expect(async () => {
    await page.clock.runFor(1000);
    await expect(page.getByText('Draft saved.')).toBeVisible({ timeout: 500 });
  }).toPass();
});

test('the form of the style guide, which has no draft, answers as one that has', async ({ page }) => {
  await page.goto('kit');
  await page.getByRole('textbox', { name: 'Multiple lines' }).fill('Half a thought');
  await expect(page.getByText('Draft saved.')).toBeVisible();
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

  test('without scripts a button saves a draft, which is not restored for other documents', async ({
    page,
  }) => {
    await enter(page, PEOPLE.olivia, 'documents');
    const boxes = page.locator('#document-list input[name=id]');
    await boxes.first().check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('Subject').fill('Half a letter');
    await page.getByRole('checkbox', { name: /code/ }).check();
    await page.getByRole('textbox', { name: /code/i }).fill('secret-code');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await expect(page.getByText('Draft saved.')).toBeVisible();
    await expect(page.getByLabel('Subject')).toHaveValue('Half a letter');
    await expect(page.getByRole('textbox', { name: /code/i })).toHaveValue('');
    await page.goto('documents');
    await boxes.nth(1).check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await expect(page.getByLabel('Subject')).toHaveValue('Documents from Juniper Street Bakery LLC');
  });

  test('without scripts rows can be added to a group and removed, and the Enter key submits the form', async ({
    page,
  }) => {
    await page.goto('kit');
    const rows = page.getByRole('group', { name: /^Bank accounts \d/ });
    await expect(rows).toHaveCount(2);
    await page.getByRole('button', { name: 'Add account' }).click();
    await expect(rows).toHaveCount(3);
    await expect(page.getByRole('button', { name: 'Add account' })).toHaveCount(0);
    await rows.nth(2).getByRole('textbox').first().fill('Third');
    await page.getByRole('button', { name: 'Remove account 1' }).click();
    await expect(rows.nth(1).getByRole('textbox').first()).toHaveValue('Third');
    await rows.nth(1).getByRole('textbox').first().press('Enter');
    await expect(page.getByRole('alert').getByRole('link')).toHaveCount(2);
    await expect(rows).toHaveCount(2);
  });
});
