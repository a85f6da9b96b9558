import type { Page } from 'playwright/test';
import { operatorOf, PHONE_BY_KEYBOARD, test, type Operator } from './support/operator.ts';
import {
  createTask,
  openListed,
  openSubmission,
  openTask,
  saveAndCheck,
  STATEMENT,
  submitTask,
} from './support/tasks.ts';
import { PEOPLE, enter, expect } from './support/test.ts';

/*
 * A task from the firm's question to its accepted end: asked by the firm, answered with a file, submitted, returned,
 * changed, submitted again and accepted.
 */

async function ask(by: Page | Operator, title: string): Promise<void> {
  const { page } = operatorOf(by);
  await createTask(by, title, [
    { label: 'Bank statements' },
    { label: 'Miles driven', answer: 'number', isRequired: true },
  ]);
  // other journeys of the same portal may have filled the first page of the list
  await page.goto(`staff/tasks?searchTerm=${encodeURIComponent(title)}`);
  await expect(page.getByRole('link', { name: title, exact: true })).toBeVisible();
}

async function answer(operator: Operator, title: string): Promise<void> {
  const { page, says } = operator;
  const miles = page.getByLabel('Miles driven');
  await openTask(operator, title);
  await operator.fill(miles, 'many');
  await saveAndCheck(operator);
  await expect(miles).toHaveValue('many');
  await expect(miles).toHaveAttribute('aria-invalid', 'true');
  await operator.fill(miles, '1250');
  await operator.attach(page.getByLabel(says('tasks', 'chooseFiles')), STATEMENT);
  await operator.fill(page.getByLabel(says('tasks', 'comment')), 'The rest follows in May.');
  await saveAndCheck(operator);
  await expect(page.getByRole('heading', { name: says('tasks', 'check') })).toBeVisible();
  await expect(page.getByRole('link', { name: /^statement/ })).toBeVisible();
  await submit(operator, title);
}

/** Submits the open task and returns to it, since the next one opens. */
async function submit(operator: Operator, title: string): Promise<void> {
  const { page, says } = operator;
  await submitTask(operator, title);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(title);
  await page.goto('tasks?show=done');
  await openListed(operator, title);
  await expect(page.getByRole('main')).toContainText(says('tasks', 'submittedOn'));
}

async function review(operator: Operator, title: string, decide: () => Promise<void>): Promise<void> {
  const { page } = operator;
  await openSubmission(operator, title);
  await expect(page.getByRole('main')).toContainText(/1\D?250/);
  await expect(page.getByRole('main')).toContainText('The rest follows in May.');
  await decide();
}

for (const { how, key, way } of PHONE_BY_KEYBOARD)
  test.describe(how, () => {
    test.use(way);

    test(`a task is asked, answered, returned, changed and accepted ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      const title = `Documents ${key}`;
      const back = page.locator('details', { hasText: says('tasks', 'return') });
      await ask(operator, title);
      await context.clearCookies();
      await answer(operator, title);
      await context.clearCookies();
      await review(operator, title, async () => {
        const send = back.getByRole('button', { name: says('tasks', 'return') });
        await operator.activate(back.locator('summary'));
        await operator.activate(send);
        await expect(page.getByRole('main').getByRole('alert')).toContainText(says('tasks', 'reasonMissing'));
        await operator.fill(back.getByLabel(says('tasks', 'returnReason')), 'Page 2 is missing.');
        await operator.activate(send);
        await expect(page.locator('body')).toContainText(says('tasks', 'didReturn'));
      });
      await context.clearCookies();
      await enter(page, PEOPLE.olivia, 'tasks');
      await expect(page.getByRole('listitem').filter({ hasText: title })).toContainText(
        says('tasks', 'returned'),
      );
      await operator.activate(page.getByRole('link', { name: title }));
      await expect(page.getByRole('main')).toContainText('Page 2 is missing.');
      await submit(operator, title);
      await operator.activate(page.getByRole('button', { name: says('tasks', 'takeBack') }));
      await submit(operator, title);
      await context.clearCookies();
      await review(operator, title, async () => {
        await operator.activate(page.getByRole('button', { name: says('task-review', 'acceptAll') }));
        await expect(page.getByRole('main')).toContainText(says('tasks', 'status_Done'));
      });
      await context.clearCookies();
      await enter(page, PEOPLE.olivia, 'tasks?show=done');
      await expect(page.getByRole('listitem').filter({ hasText: title })).toContainText(
        says('tasks', 'status_Done'),
      );
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
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Enter a reason.');
    await page.getByLabel('Provide your reason for removing this task:').fill('We own the building.');
    await page.getByRole('button', { name: 'Remove Task' }).click();
    await expect(page.getByRole('region', { name: 'Marked as “doesn’t apply”' })).toContainText(
      'Lease contracts',
    );
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
  await expect(page.getByRole('region', { name: 'Marked as “doesn’t apply”' })).toContainText(
    'Payroll documents',
  );
  await page.goto('tasks?show=done');
  await openListed(page, 'Payroll documents');
  await expect(page.getByRole('main')).toContainText('Reason: We have no staff.');
});

test('someone with several companies sees the tasks of all, and where others wait beside an empty company', async ({
  page,
}) => {
  await enter(page, PEOPLE.ana, 'tasks');
  const all = await page.locator('main a[href*="/task/"]').count();
  expect(all).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'This company' }).click();
  await page
    .getByRole('link', { name: /^\d+ tasks? waits? at (?:another company|other companies)$/ })
    .click();
  await expect(page.locator('main a[href*="/task/"]')).toHaveCount(all);
});

for (const scripts of ['on', 'off'])
  test.describe(`with scripts ${scripts}`, () => {
    test.use({ viewport: { width: 360, height: 740 }, javaScriptEnabled: scripts === 'on' });

    test('after a step the next one says what the one before lacks, and leads there', async ({ page }) => {
      await enter(page, PEOPLE.olivia, 'tasks');
      await openListed(page, 'Tax organizer 2026');
      await page.getByText(/^Step \d+ of \d+$/).click();
      await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name: 'About you' }).click();
      await page.getByRole('button', { name: 'Save and continue' }).click();
      const said = page
        .getByRole('status')
        .filter({ hasText: '“About you” is saved, but these answers are missing:' });
      await expect(said.getByRole('link')).not.toHaveCount(0);
      await expect(page.getByText('Changes saved')).toHaveCount(0);
      await said.getByRole('link').first().click();
      await expect(page.getByRole('heading', { name: 'About you' })).toBeVisible();
      await expect(page.locator('main [aria-invalid=true]').first()).toBeVisible();
    });
  });
