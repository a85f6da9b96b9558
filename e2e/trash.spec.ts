import type { Page } from 'playwright/test';
import { pdf } from './kit/steps.ts';
import { PEOPLE, enter, expect, test } from './kit/test.ts';

/* Deleting, taking it back, and the trash: with scripts in a dialog, without them on pages. */

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name.replaceAll('.', '\\.')) });
const inTrash = (page: Page, name: string) => page.getByRole('list', { name: 'Deleted documents' }).getByRole('listitem').filter({ hasText: name });

/** A document that staff handed in. */
const othersRow = (page: Page) => page.locator('#document-list tbody tr').filter({ hasText: 'Eleanor Hart' }).first();

async function handIn(page: Page, ...names: string[]): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(names.map((name) => ({ name, mimeType: 'application/pdf', buffer: pdf(name) })));
}

test.describe('with scripts', () => {
  test('documents are deleted in a dialog, by keyboard alone, and taken back', async ({ page }) => {
    await enter(page, PEOPLE.sophie);
    await handIn(page, 'Wrong one.pdf', 'Wrong two.pdf');
    await expect(row(page, 'Wrong two.pdf')).toBeVisible();
    for (const name of ['Wrong one.pdf', 'Wrong two.pdf']) {
      await row(page, name).getByRole('checkbox').focus();
      await page.keyboard.press('Space');
    }
    const button = page.getByRole('button', { name: 'Delete', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Delete documents' });
    for (const name of ['Wrong one.pdf', 'Wrong two.pdf']) await expect(dialog.getByRole('listitem').filter({ hasText: name })).toBeVisible();
    await expect(dialog.getByRole('link', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('link', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('status').filter({ hasText: '2 documents are in the trash.' });
    await alert.getByRole('button', { name: 'Undo' }).focus(); // an alert waits while it has the focus
    await expect(row(page, 'Wrong one.pdf')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: '2 documents were restored.' })).toBeVisible();
    await expect(row(page, 'Wrong one.pdf')).toBeVisible();
    await expect(row(page, 'Wrong two.pdf')).toBeVisible();
  });

  test('an alert of success goes by itself after 2.8 seconds, and can be read again', async ({ page }) => {
    await enter(page, PEOPLE.sophie);
    await handIn(page, 'Short alert.pdf');
    await row(page, 'Short alert.pdf').getByRole('checkbox').check();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 1 document' }).click();
    const alert = page.getByText('1 document is in the trash.');
    await expect(alert).toBeVisible();
    await page.mouse.move(0, 0);
    await page.clock.fastForward(2700);
    await expect(alert).toBeVisible();
    await page.clock.fastForward(200);
    await expect(alert).toBeHidden();
    await page.locator('#past-alerts summary').click();
    await expect(alert).toBeVisible();
  });

  test('what others handed in stays, and the alert says whom to ask', async ({ page }) => {
    await enter(page, PEOPLE.olivia);
    await page.waitForURL(/\/documents$/);
    await handIn(page, 'Mine.pdf');
    const own = row(page, 'Mine.pdf').getByRole('checkbox');
    await own.check();
    await othersRow(page).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete documents' });
    await expect(dialog).toContainText('You did not hand these in yourself, so they stay. Ask Maple & Hart CPAs to delete them:');
    await dialog.getByRole('button', { name: 'Delete 1 document' }).click();
    const alert = page.getByRole('status').filter({ hasText: '1 document could not be deleted.' });
    await alert.getByRole('button', { name: 'More details' }).click();
    await expect(page.getByRole('dialog', { name: 'More details' })).toContainText('Ask Maple & Hart CPAs to delete them:');
    await page.keyboard.press('Escape');
    await expect(row(page, 'Mine.pdf')).toHaveCount(0);
  });

  test('when the call fails, the alert says so and stays', async ({ page, trouble }) => {
    trouble.expect(/answered 500: fetch/);
    await enter(page, PEOPLE.sophie);
    await handIn(page, 'Stays.pdf');
    await row(page, 'Stays.pdf').getByRole('checkbox').check();
    await page.route(/batch-delete/, (route) => route.fulfill({ status: 500, json: { errors: [] } }));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 1 document' }).click();
    await expect(page.getByRole('alert')).toContainText('An error occurred deleting the documents, and nothing was changed.');
    await expect(row(page, 'Stays.pdf')).toBeVisible();
  });

  test('with nothing chosen the button says what to do', async ({ page }) => {
    await enter(page, PEOPLE.sophie);
    await page.getByRole('button', { name: /^(Delete|Supprimer)$/ }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Choose at least one document first, then delete.' })).toBeVisible();
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('documents are deleted, taken back, restored from the trash and removed for good on pages', async ({ page }) => {
    await enter(page, PEOPLE.olivia);
    await expect(page).toHaveURL(/\/documents$/);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('Choose at least one document first, then delete.')).toBeVisible();
    await page.getByRole('link', { name: 'Back to the documents' }).click();

    await handIn(page, 'Plain one.pdf', 'Plain two.pdf');
    await page.getByRole('button', { name: 'Upload' }).click();
    for (const name of ['Plain one.pdf', 'Plain two.pdf']) await row(page, name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete documents');
    await page.getByRole('link', { name: 'Cancel' }).click();
    for (const name of ['Plain one.pdf', 'Plain two.pdf']) await row(page, name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 2 documents' }).click();
    await expect(page.getByRole('status').first()).toContainText('2 documents are in the trash.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('status').first()).toContainText('2 documents were restored.');
    await expect(page).toHaveURL(/\/documents$/);

    for (const name of ['Plain one.pdf', 'Plain two.pdf']) await row(page, name).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete 2 documents' }).click();
    await handIn(page, 'Plain one.pdf');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('link', { name: 'Trash' }).click();
    await expect(inTrash(page, 'Plain one.pdf')).toContainText('by Olivia Bennett');
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(page.getByRole('alert')).toContainText('Choose at least one document in the trash first.');
    await inTrash(page, 'Plain one.pdf').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(page.getByRole('status').first()).toContainText('1 document was restored, but not quite as it was.');
    await page.getByText('More details').click();
    await expect(page.getByText('Plain one (1).pdf: Its name was taken meanwhile, so it got a number.')).toBeVisible();
    await inTrash(page, 'Plain two.pdf').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await expect(page.getByText('This cannot be undone.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete 1 document for good' }).click();
    await expect(page.getByRole('status').first()).toContainText('1 document was deleted for good.');
    await expect(inTrash(page, 'Plain two.pdf')).toHaveCount(0);
    await page.getByRole('link', { name: 'Back to the documents' }).click();
    await expect(row(page, 'Plain one \\(1\\).pdf')).toBeVisible();
  });

  test('what others handed in stays, and the page says whom to ask', async ({ page }) => {
    await enter(page, PEOPLE.olivia);
    await othersRow(page).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('You did not hand these in yourself, so they stay. Ask Maple & Hart CPAs to delete them:')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Delete/ })).toHaveCount(0);
  });
});
