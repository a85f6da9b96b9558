import type { Page } from 'playwright/test';
import { createTask, openSubmission, openTask, STATEMENT, submitTask } from './support/tasks.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * A task from the firm's question to its accepted end: asked by the firm, answered with a file, submitted, returned,
 * changed, submitted again and accepted.
 */

async function ask(page: Page, title: string): Promise<void> {
  await createTask(page, title, [
    { label: 'Bank statements' },
    { label: 'Miles driven', answer: 'number', isRequired: true },
  ]);
  // other journeys of the same portal may have filled the first page of the list
  await page.goto(`staff/tasks?searchTerm=${encodeURIComponent(title)}`);
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible();
}

async function answer(page: Page, title: string): Promise<void> {
  await openTask(page, title);
  await page.getByLabel('Miles driven').fill('many');
  await page.getByRole('button', { name: 'Save and check' }).click();
  await expect(page.getByLabel('Miles driven')).toHaveValue('many');
  await expect(page.getByLabel('Miles driven')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Miles driven').fill('1,250');
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  await page.getByLabel('Comment').fill('The rest follows in May.');
  await page.getByRole('button', { name: 'Save and check' }).click();
  await expect(page.getByRole('heading', { name: 'Review and submit' })).toBeVisible();
  await expect(page.getByRole('link', { name: /^statement/ })).toBeVisible();
  await submit(page, title);
}

/** Submits the open task and returns to it, since the next one opens. */
async function submit(page: Page, title: string): Promise<void> {
  await submitTask(page, title);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(title);
  await page.goto('tasks?show=done');
  await page.getByRole('main').getByRole('link', { name: title }).click();
  await expect(page.getByRole('main')).toContainText('is reviewing it');
}

async function review(page: Page, title: string, decide: () => Promise<void>): Promise<void> {
  await openSubmission(page, title);
  await expect(page.getByRole('main')).toContainText('1,250');
  await expect(page.getByRole('main')).toContainText('The rest follows in May.');
  await decide();
}

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a task is asked, answered, returned, changed and accepted at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
      context,
    }) => {
      const title = `Documents ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await ask(page, title);
      await context.clearCookies();
      await answer(page, title);
      await context.clearCookies();
      await review(page, title, async () => {
        await page.locator('summary', { hasText: 'Return to client' }).click();
        await page.getByRole('button', { name: 'Return to client' }).click();
        await expect(page.locator('.error-summary')).toContainText('Enter a reason.');
        await page
          .locator('details', { hasText: 'Return to client' })
          .getByLabel('What needs to change?')
          .fill('Page 2 is missing.');
        await page.getByRole('button', { name: 'Return to client' }).click();
        await expect(page.locator('body')).toContainText('Returned. The client will get an email.');
      });
      await context.clearCookies();
      await enter(page, PEOPLE.olivia, 'tasks');
      await expect(page.getByRole('listitem').filter({ hasText: title })).toContainText('Needs a change');
      await page.getByRole('link', { name: title }).click();
      await expect(page.getByRole('main')).toContainText('Page 2 is missing.');
      await submit(page, title);
      await page.getByRole('button', { name: 'Withdraw' }).click();
      await submit(page, title);
      await context.clearCookies();
      await review(page, title, async () => {
        await page.getByRole('button', { name: 'Accept all' }).click();
        await expect(page.getByRole('main')).toContainText('Accepted');
      });
      await context.clearCookies();
      await enter(page, PEOPLE.olivia, 'tasks?show=done');
      await expect(page.getByRole('listitem').filter({ hasText: title })).toContainText('Accepted');
    });
  });

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('the server asks for the reason why a task does not apply', async ({ page, context }) => {
    await ask(page, 'Lease contracts');
    await context.clearCookies();
    await openTask(page, 'Lease contracts');
    await page.locator('summary', { hasText: 'Remove Task' }).click();
    await page.getByRole('button', { name: 'Remove Task' }).click();
    await expect(page.locator('.error-summary')).toContainText('Enter a reason.');
    await page.getByLabel('Provide your reason for removing this task:').fill('We own the building.');
    await page.getByRole('button', { name: 'Remove Task' }).click();
    await expect(page.locator('body')).toContainText('“Lease contracts” doesn’t apply');
  });
});

test('a task that does not apply needs a reason, and tells the firm', async ({ page, context }) => {
  await ask(page, 'Payroll documents');
  await context.clearCookies();
  await openTask(page, 'Payroll documents');
  await page.locator('summary', { hasText: 'Remove Task' }).click();
  const remove = page.locator('form').getByRole('button', { name: 'Remove Task' });
  await expect(remove).toBeDisabled();
  await page.getByLabel('Provide your reason for removing this task:').fill('We have no staff.');
  await remove.click();
  const dialog = page.getByRole('dialog', { name: 'Remove this task?' });
  await dialog.getByRole('button', { name: 'Cancel' }).last().click();
  await expect(dialog).toBeHidden();
  await remove.click();
  await dialog.getByRole('button', { name: 'Remove Task' }).click();
  await expect(page.locator('body')).toContainText('“Payroll documents” doesn’t apply');
  await page.goto('tasks?show=done');
  await page.getByRole('link', { name: 'Payroll documents' }).click();
  await expect(page.getByRole('main')).toContainText('Reason: We have no staff.');
});
