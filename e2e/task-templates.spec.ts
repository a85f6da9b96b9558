import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * Templates of tasks: a ready-made one is adapted, published and used for one client; many clients are asked at once,
 * which is shown before, and undone afterwards.
 */

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a template is adapted, published and used at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
    }) => {
      const name = `Organizer ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks/templates');
      await page.locator('a[href*="starter-uk-personal"]').click();
      await page.getByRole('button', { name: 'Copy and adapt' }).click();
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.locator('#details').getByRole('button', { name: 'Save' }).click();
      await expect(page.locator('body')).toContainText('Draft saved');
      await page.locator('main section a').first().click();
      await page.getByLabel('Document or question').first().fill('Which of these happened to you?');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.locator('body')).toContainText('Draft saved');
      await page.getByRole('link', { name: 'Back to template', exact: true }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      await page.getByRole('button', { name: 'Publish' }).click();
      await expect(page.locator('body')).toContainText('New tasks use this version');
      await page.locator('main details > summary').first().click();
      await expect(page.getByRole('main')).toContainText('Which of these happened to you?');

      await page.getByRole('link', { name: 'New task from template' }).click();
      await page.getByRole('searchbox').fill('juniper');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('main .choices a').first().click();
      await page.getByLabel('Title', { exact: true }).fill(name);
      await page.getByLabel('Tax year').fill('2026');
      await page.getByRole('button', { name: 'Create task' }).click();
      await expect(page.locator('body')).toContainText('Task created for');
      await expect(page.getByRole('link', { name: new RegExp(name) }).first()).toBeVisible();
    });

    test(`a template of a document review is created and used at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
    }) => {
      const name = `Accounts review ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks/templates/new');
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByLabel('For document reviews').check();
      await page.getByLabel('Document or question').fill('May we file them?');
      await page.getByLabel('Answer type').selectOption('yesNo');
      await page.getByRole('button', { name: 'Create draft' }).click();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('link', { name: 'New task from template' }).click();
      await page.getByRole('searchbox').fill('juniper');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('main .choices a').first().click();
      await expect(page.getByLabel('Template')).toHaveValue(/./);
      await page.getByRole('group', { name: 'Documents to review' }).getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Send for review' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
      await expect(page.getByRole('main')).toContainText('May we file them?');
    });

    test(`tasks for many clients are reviewed, created and undone at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
    }) => {
      const title = `Documents of all ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks/new');
      await page.getByRole('link', { name: 'Ask many clients' }).click();
      await page.getByLabel('Tag', { exact: true }).selectOption('Reed Holdings');
      await page.getByLabel('Title', { exact: true }).fill(title);
      await page.getByLabel('Client numbers').fill('RH-ABA ZZ-99');
      await page.getByRole('button', { name: 'Review' }).click();
      await expect(page.locator('.error-summary')).toContainText('Enter at least one document or question.');
      await page.getByLabel('Document or question').fill('Bank statements');
      await page.getByRole('button', { name: 'Review' }).click();
      await expect(page.locator('.error-summary')).toContainText('ZZ-99');
      await page.getByLabel('Client numbers').fill('');
      await page.getByRole('button', { name: 'Review' }).click();
      await expect(page.getByRole('heading', { name: 'Review' })).toBeVisible();
      await page.getByRole('button', { name: /^Create \d+ tasks$/ }).click();
      await expect(page.getByRole('main')).toContainText(/\d+ tasks created/, { timeout: 30_000 });
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect(page.getByRole('main')).toContainText(/\d+ undone/, { timeout: 30_000 });
    });
  });

test('a draft tax return is sent for review with the ready-made template', async ({ page }) => {
  const title = 'Review of the draft tax return';
  await enter(page, PEOPLE.eleanor, 'staff/tasks/templates');
  await page.locator('a[href*="starter-us-draft-review"]').click();
  await page.getByRole('link', { name: 'New task from template' }).click();
  await page.getByRole('searchbox').fill('juniper');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('main .choices a').first().click();
  await expect(page.getByLabel('Template').locator('option:checked')).toHaveText(`${title} (United States)`);
  await page.getByRole('group', { name: 'Documents to review' }).getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Send for review' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await expect(page.getByRole('main')).toContainText('Is all of your income in the draft?');
});
