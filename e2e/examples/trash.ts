import type { Page } from 'playwright/test';
import { LIST, type PageExamples, type Walk } from './page-example.ts';
import { firstId, selectFirst } from './steps.ts';

/** Deleting documents, and the trash, in each state; each state follows the one before. */
const trashPages: PageExamples = {
  '/[base]/[lang]/documents/delete': {
    budget: LIST,
    states: [
      ['the confirmation before deleting', 'documents', chooseToDelete],
      ['delete, nothing selected', 'documents/delete'],
      [
        'the confirmation on a page',
        'documents',
        async (page) => void (await page.goto(`documents/delete?id=${await firstId(page)}`)),
      ],
    ],
  },
  '/[base]/[lang]/documents/trash': {
    budget: LIST,
    states: [
      ['the trash', 'documents/trash'],
      ['the trash with a document', 'documents', putIntoTrash],
      ['the trash, nothing selected', 'documents/trash', restoreNothing],
      ['the confirmation before deleting permanently', 'documents/trash', deletePermanently],
    ],
  },
};

export const walks: readonly Walk[] = [{ title: 'the trash', person: 'ana', pages: trashPages }];

async function chooseToDelete(page: Page): Promise<void> {
  await selectFirst(page);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('dialog[open]').waitFor();
}

/** Uploads a document and deletes it, so that the trash is not empty. */
async function putIntoTrash(page: Page): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({
    name: 'Deleted at once.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4 deleted at once %%EOF'),
  });
  await page
    .getByRole('row', { name: /Deleted at once/ })
    .getByRole('checkbox')
    .first()
    .check();
  await page.goto(`documents/delete?id=${await firstId(page)}`);
  await page.getByRole('button', { name: /^Delete 1 document/ }).click();
  await page.waitForURL(/\/documents$/);
  await page.goto('documents/trash');
}

/** With scripts on the buttons appear with a selection. */
async function restoreNothing(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Restore', includeHidden: true }).first().dispatchEvent('click');
  await page.getByRole('main').getByRole('alert').waitFor();
}

async function deletePermanently(page: Page): Promise<void> {
  await page.locator('main input[name=id]').first().check();
  await page.getByRole('button', { name: 'Delete permanently' }).click();
}
