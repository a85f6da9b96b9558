import { createTask, openTask, STATEMENT } from './support/tasks.ts';
import { expect, test } from './support/test.ts';

/* A file that was stored, but whose answer was lost on the way, is not stored twice. */

test('a file of a task whose answer was lost is there once after “Try again”', async ({ page, trouble }) => {
  trouble.expect(/request failed/);
  await createTask(page, 'Sent twice, stored once', [{ label: 'Bank statements' }]);
  await page.context().clearCookies();
  await openTask(page, 'Sent twice, stored once');
  const files = '**/api/client-center/v3/tasks/*/sections/*';
  let answered = 0;
  await page.route(files, async (route) => {
    answered = (await route.fetch()).status();
    await route.abort('connectionreset');
  });
  await page.getByLabel('Choose files').setInputFiles(STATEMENT);
  const uploads = page.locator('.file-uploads');
  await expect(uploads.getByRole('alert')).toHaveText(/^Upload failed\. The connection was lost\./);
  expect(answered, 'it was stored').toBe(200);
  await page.unroute(files);
  await uploads.getByRole('button', { name: `Try again ${STATEMENT.name}` }).click();
  const stored = page.getByRole('main').getByRole('link', { name: /^statement.*\.pdf$/ });
  await expect(stored).toHaveCount(1);
  await expect(uploads).toHaveCount(0);
  await page.reload();
  await expect(stored).toHaveCount(1);
});

test('the form of a step without scripts has a key for the files of each page', async ({ page }) => {
  await createTask(page, 'Sent without scripts', [{ label: 'Bank statements' }]);
  await page.context().clearCookies();
  await openTask(page, 'Sent without scripts');
  const form = page.locator('form[enctype="multipart/form-data"]');
  await expect(form).toHaveAttribute('action', /\/sections\/request\?upload=form_\w+&/);
  const before = await form.getAttribute('action');
  await page.reload();
  await expect(form).not.toHaveAttribute('action', before ?? '');
});
