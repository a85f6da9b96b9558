import type { Page } from 'playwright/test';
import { pdf, openPageMenu } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/* Deleting, undoing, and the trash: with scripts in a dialog, without them on pages. */

const row = (page: Page, name: string) =>
  page.getByRole('row', { name: new RegExp(name.replaceAll('.', '\\.')) });
const inTrash = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Deleted documents' }).getByRole('row').filter({ hasText: name });

/** A document that staff uploaded. */
const staffRow = (page: Page) =>
  page.locator('#document-list tbody tr').filter({ hasText: 'Maple & Hart' }).first();

async function uploadAs(page: Page, ...names: string[]): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles(names.map((name) => ({ name, mimeType: 'application/pdf', buffer: pdf(name) })));
}

test.describe('with scripts', () => {
  test('documents are deleted in a dialog with the keyboard alone, and restored with Undo', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie);
    await uploadAs(page, 'Wrong one.pdf', 'Wrong two.pdf');
    await expect(row(page, 'Wrong two.pdf')).toBeVisible();
    for (const name of ['Wrong one.pdf', 'Wrong two.pdf']) {
      await row(page, name).getByRole('checkbox').focus();
      await page.keyboard.press('Space');
    }
    const button = page.getByRole('button', { name: 'Delete', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Delete documents' });
    for (const name of ['Wrong one.pdf', 'Wrong two.pdf'])
      await expect(dialog.getByRole('listitem').filter({ hasText: name })).toBeVisible();
    await expect(dialog.getByRole('link', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('link', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const undo = page.locator('#alerts').getByRole('button', { name: 'Undo' });
    await expect(page.locator('#alerts')).toContainText('2 documents moved to trash.');
    await expect(row(page, 'Wrong one.pdf')).toHaveCount(0);
    await page.keyboard.press('F6');
    await expect(undo).toBeFocused();
    await page.keyboard.press('F6');
    await expect(undo, 'F6 moves the focus back').not.toBeFocused();
    await page.keyboard.press('F6');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: '2 documents restored.' })).toBeVisible();
    await expect(row(page, 'Wrong one.pdf')).toBeVisible();
    await expect(row(page, 'Wrong two.pdf')).toBeVisible();
  });

  test('an alert with an action stays ten seconds, shifts nothing, and remains in the alert history', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie);
    await uploadAs(page, 'Short alert.pdf');
    await row(page, 'Short alert.pdf').getByRole('checkbox').check();
    await expect(page.locator('#alerts .alert'), 'the alert about the upload is gone').toHaveCount(0);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const top = () => page.locator('main').evaluate((main) => main.getBoundingClientRect().top + scrollY);
    const before = await top();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 1 document' }).click();
    const alert = page.getByText('1 document moved to trash.');
    await expect(alert).toBeVisible();
    await page.mouse.move(0, 0);
    expect(await top()).toBe(before);
    await page.clock.fastForward(9900);
    await expect(alert).toBeVisible();
    await page.clock.fastForward(200);
    await expect(alert).toBeHidden();
    await page.keyboard.press('F6');
    await expect(alert).toBeVisible();
    await page.locator('#past-alerts').getByRole('button', { name: 'Undo' }).click();
    await expect(row(page, 'Short alert.pdf')).toBeVisible();
    await page.locator('#bell summary').click();
    await expect(alert).toBeVisible();
    await expect(page.getByRole('button', { name: 'Undo' }), 'the undo is not offered again').toHaveCount(0);
  });

  test('an alert stays while the pointer is on it, and is announced by a live region that existed before', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie);
    const region = await page.locator('#alerts [aria-live=polite]').elementHandle();
    await page.clock.install();
    await uploadAs(page, 'Announced.pdf');
    const alert = page.locator('#alerts').getByText('Announced.pdf uploaded.');
    await expect(alert).toBeVisible();
    expect(
      await region?.evaluate((element) => element.isConnected && element.querySelectorAll('.alert').length),
    ).toBe(1);
    await alert.hover();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.clock.fastForward(5000);
    await expect(alert).toBeVisible();
    await page.mouse.move(0, 0);
    await page.clock.fastForward(2600);
    await expect(alert).toBeHidden();
  });

  test('an alert that comes while a dialog is open is shown in front of it, read out and reached by keyboard', async ({
    page,
  }) => {
    await enter(page, PEOPLE.sophie);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    // a refusal, whose alert stays until it is closed
    await page.route(/\/documents(?:\?|$)/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await arrived;
      return route.fulfill({ status: 403, json: { errors: [{ code: 'FORBIDDEN', reason: 'FORBIDDEN' }] } });
    });
    await uploadAs(page, 'Behind a dialog.pdf');
    await page.locator('#document-list input[name=id]').first().check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const subject = dialog.getByLabel('Subject');
    await subject.focus();
    arrive();
    const alert = dialog.locator('[aria-live] .alert');
    await expect(alert).toBeVisible();
    const isInFront = await alert.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
    expect(isInFront).toBe(true);
    await page.keyboard.press('F6');
    await expect(alert.locator(':focus')).toHaveCount(1);
    await alert.getByRole('button', { name: 'Close' }).press('Enter');
    await expect(alert).toBeHidden();
    await expect(subject).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(page.locator('body > #alerts'), 'the alerts are back on the page').toHaveCount(1);
  });

  test('on a slow connection the pressed button says that the question is being loaded', async ({ page }) => {
    await enter(page, PEOPLE.sophie);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route(/\/documents\/delete/, async (route) => {
      await arrived;
      await route.continue();
    });
    await page.locator('#document-list input[name=id]').first().check();
    const button = page.getByRole('button', { name: 'Delete', exact: true });
    await button.click();
    await expect(button).toHaveAttribute('aria-busy', 'true');
    expect(await button.evaluate((element) => getComputedStyle(element, '::after').position)).toBe(
      'absolute',
    );
    arrive();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await expect(button).not.toHaveAttribute('aria-busy');
  });

  test('without a connection the delete dialog stays open, says why nothing was deleted, and works once it is back', async ({
    page,
    context,
    trouble,
  }) => {
    trouble.expect(/ERR_INTERNET_DISCONNECTED .*batch-delete/);
    trouble.expect(/ERR_INTERNET_DISCONNECTED .*documents\/delete/);
    await enter(page, PEOPLE.sophie);
    await uploadAs(page, 'No line.pdf');
    await row(page, 'No line.pdf').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const submit = page.getByRole('button', { name: 'Delete 1 document' });
    await submit.waitFor();
    await context.setOffline(true);
    await expect(page.locator('.offline')).toContainText('You’re offline.');
    await submit.click();
    await expect(page.getByRole('alertdialog').getByRole('alert')).toContainText('You’re offline.');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.locator('#alerts')).toContainText('You’re offline.');
    await expect(row(page, 'No line.pdf').getByRole('checkbox')).toBeChecked();
    await context.setOffline(false);
    await expect(page.locator('.offline')).not.toContainText('You’re offline.');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await submit.click();
    await expect(row(page, 'No line.pdf')).toHaveCount(0);
  });

  test('documents uploaded by others are not deleted, and the alert says whom to ask', async ({ page }) => {
    await enter(page, PEOPLE.olivia);
    await page.waitForURL(/\/documents$/);
    await uploadAs(page, 'Mine.pdf');
    const own = row(page, 'Mine.pdf').getByRole('checkbox');
    await own.check();
    await staffRow(page).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete documents' });
    await expect(dialog).toContainText(
      'This was uploaded by Maple & Hart CPAs, so you can’t delete it. Ask Maple & Hart CPAs to delete it:',
    );
    await dialog.getByRole('button', { name: 'Delete 1 document' }).click();
    const alert = page.getByRole('status').filter({ hasText: '1 document couldn’t be deleted.' });
    await alert.getByRole('button', { name: 'More details' }).click();
    await expect(page.getByRole('dialog', { name: 'More details' })).toContainText(
      'Ask Maple & Hart CPAs to delete them:',
    );
    await page.keyboard.press('Escape');
    await expect(row(page, 'Mine.pdf')).toHaveCount(0);
  });

  test('when deleting fails, the dialog stays open and says so', async ({ page, trouble }) => {
    trouble.expect(/answered 500: fetch/);
    await enter(page, PEOPLE.sophie);
    await uploadAs(page, 'Stays.pdf');
    await row(page, 'Stays.pdf').getByRole('checkbox').check();
    await page.route(/batch-delete/, (route) => route.fulfill({ status: 500, json: { errors: [] } }));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 1 document' }).click();
    await expect(page.getByRole('alertdialog').getByRole('alert')).toContainText(
      'Something went wrong, and nothing was deleted.',
    );
    await page.keyboard.press('Escape');
    await expect(row(page, 'Stays.pdf')).toBeVisible();
  });

  test('what can be done is shown with a selection only', async ({ page }) => {
    await enter(page, PEOPLE.sophie);
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    await expect(remove).toBeHidden();
    await page.locator('#document-list').getByRole('checkbox').nth(1).check();
    await expect(remove).toBeVisible();
    await page.locator('#document-list').getByRole('checkbox').nth(1).uncheck();
    await expect(remove).toBeHidden();
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('documents are deleted, undone, restored from the trash and permanently deleted on pages without scripts', async ({
    page,
  }) => {
    await enter(page, PEOPLE.olivia);
    await expect(page).toHaveURL(/\/documents$/);
    await page.goto('documents/delete'); // without a selection, as an old form would post it
    await expect(page.getByText('Select a document first.')).toBeVisible();
    await page.getByRole('link', { name: 'Back to documents' }).click();

    await uploadAs(page, 'Plain one.pdf', 'Plain two.pdf');
    await page.getByRole('button', { name: 'Upload' }).click();
    for (const name of ['Plain one.pdf', 'Plain two.pdf'])
      await row(page, name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete documents?');
    await page.getByRole('link', { name: 'Cancel' }).click();
    for (const name of ['Plain one.pdf', 'Plain two.pdf'])
      await row(page, name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 2 documents' }).click();
    await expect(page.getByRole('status').first()).toContainText('2 documents moved to trash.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('status').first()).toContainText('2 documents restored.');
    await expect(page).toHaveURL(/\/documents$/);

    for (const name of ['Plain one.pdf', 'Plain two.pdf'])
      await row(page, name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 2 documents' }).click();
    await uploadAs(page, 'Plain one.pdf');
    await page.getByRole('button', { name: 'Upload' }).click();
    await openPageMenu(page);
    await page.getByRole('link', { name: 'Trash' }).click();
    await expect(inTrash(page, 'Plain one.pdf')).toContainText('Olivia Bennett');
    await page.getByRole('button', { name: 'Restore', includeHidden: true }).dispatchEvent('click');
    await expect(page.getByRole('alert')).toContainText('Select a document first.');
    await inTrash(page, 'Plain one.pdf').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(page.getByRole('status').first()).toContainText('1 document restored (renamed or moved).');
    await expect(
      page.getByText('Plain one (1).pdf: A number was added to its name, because the name is in use.'),
    ).toBeVisible();
    await inTrash(page, 'Plain two.pdf').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await expect(page.getByText('This can’t be undone.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete 1 document permanently' }).click();
    await expect(page.getByRole('status').first()).toContainText('1 document permanently deleted.');
    await expect(inTrash(page, 'Plain two.pdf')).toHaveCount(0);
    await page.getByRole('link', { name: 'Back to documents' }).click();
    await expect(row(page, 'Plain one \\(1\\).pdf')).toBeVisible();
  });

  test('documents uploaded by others are not deleted, and the page says whom to ask', async ({ page }) => {
    await enter(page, PEOPLE.olivia);
    await staffRow(page).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(
      page.getByText(
        'This was uploaded by Maple & Hart CPAs, so you can’t delete it. Ask Maple & Hart CPAs to delete it:',
      ),
    ).toBeVisible();
    await expect(page.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Can’t delete');
    await page.getByRole('main').getByRole('link', { name: 'Close' }).click();
    await expect(page).toHaveURL(/\/documents$/);
  });
});
