import type { Page } from 'playwright/test';
import { enter, expect, PEOPLE } from './test.ts';

/* What journeys of tasks have in common: the firm asks the client of Olivia, who answers and submits. */

interface Item {
  label: string;
  /** Documents by default. */
  answer?: 'paragraph' | 'number';
  isRequired?: true;
}

/** A document to answer with. */
export const STATEMENT = {
  name: 'statement.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF'),
};

export const STATEMENTS_AND_MILES: readonly Item[] = [
  { label: 'Bank statements' },
  { label: 'Miles driven', answer: 'number' },
];

/** Creates a task with these documents and questions, as staff. */
export async function createTask(page: Page, title: string, items: readonly Item[]): Promise<void> {
  await enter(page, PEOPLE.eleanor, 'staff/tasks/new?q=juniper');
  await page.locator('main .choices a').first().click();
  await page.getByLabel('Title', { exact: true }).fill(title);
  for (const [at, { label, answer, isRequired }] of items.entries()) {
    if (at > 0) await page.getByRole('button', { name: 'Add item' }).click();
    await page.getByLabel('Document or question').nth(at).fill(label);
    if (answer) await page.getByLabel('Answer', { exact: true }).nth(at).selectOption(answer);
    if (isRequired) await page.getByLabel('Required').nth(at).check();
  }
  await page.getByRole('button', { name: 'Create task' }).click();
  await expect(page.locator('body')).toContainText('Task created for');
}

/** Opens a task from the list of the contact. */
export async function openTask(page: Page, title: string): Promise<void> {
  await enter(page, PEOPLE.olivia, 'tasks');
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
}

/** Submits the open task; the next one opens. */
export async function submitTask(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: /^Submit to / }).click();
  await expect(page.locator('body')).toContainText(`“${title}” submitted`);
}

/** Opens a submission from the inbox of staff. */
export async function openSubmission(page: Page, title: string): Promise<void> {
  await enter(page, PEOPLE.eleanor, 'staff/inbox?of=all');
  await page.getByRole('link', { name: `${title}: submitted` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await page.waitForLoadState(); // keys work once the scripts have run
}
