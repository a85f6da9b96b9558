import { DESK_BY_KEYBOARD, test, type Operator } from './support/operator.ts';
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
 * Kinds of tasks from the firm's form to their accepted end: a review of documents, with a new version of one, and
 * questions of the firm, in three languages.
 */

/** Asks the client of Olivia to review its two newest documents. */
async function askForReview(operator: Operator, title: string): Promise<void> {
  const { page, says } = operator;
  const send = page.getByRole('button', { name: says('document-review', 'create') });
  await enter(page, PEOPLE.eleanor, 'staff/tasks/review?q=juniper');
  await operator.activate(page.locator('main .choices a').first());
  await operator.activate(send);
  await expect(page.locator('.error-summary')).toContainText(says('document-review', 'titleMissing'));
  await expect(page.locator('.error-summary')).toContainText(says('document-review', 'documentsMissing'));
  await operator.fill(page.getByLabel(says('document-review', 'titleLabel'), { exact: true }), title);
  const documents = page
    .getByRole('group', { name: says('document-review', 'documentsLabel') })
    .getByRole('checkbox');
  await operator.check(documents.nth(0));
  await operator.check(documents.nth(1));
  await operator.activate(send);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
}

for (const { how, key, way } of DESK_BY_KEYBOARD) {
  test.describe(how, () => {
    test.use(way);

    test(`a client approves a document, asks for a change of another and approves its new version ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      const title = `Accounts ${key}`;
      await askForReview(operator, title);
      await context.clearCookies();
      await openTask(operator, title);
      await expect(
        page.getByRole('heading', { name: says('document-review', 'documents', { count: 2 }) }),
      ).toBeVisible();
      const viewer = page.locator('[aria-labelledby="reviewed-documents"] a').first();
      expect((await page.request.get((await viewer.getAttribute('href')) ?? '')).status()).toBe(200);
      const approve = page.getByLabel(says('document-review', 'approve'));
      await operator.check(approve.first());
      await operator.check(page.getByLabel(says('document-review', 'change')).last());
      if (!way.javaScriptEnabled) {
        await saveAndCheck(operator);
        await operator.activate(page.locator('main a', { hasText: says('tasks', 'edit') }).first());
      }
      await operator.fill(page.getByLabel(says('document-review', 'why')), 'The address is the old one.');
      await saveAndCheck(operator);
      await submitTask(operator, title);
      await context.clearCookies();
      await openSubmission(operator, title);
      await expect(page.getByRole('main')).toContainText('The address is the old one.');
      const send = page.getByRole('button', { name: says('document-review', 'sendVersions') });
      await operator.activate(send);
      await expect(page.locator('body')).toContainText(says('document-review', 'versionMissing'));
      const versions = page.getByRole('group', { name: says('document-review', 'versionOf') });
      await expect(versions.getByLabel(says('document-review', 'chooseVersion'))).toBeVisible();
      const upload = versions.getByLabel(says('document-review', 'uploadVersion'));
      await operator.attach(upload, { ...STATEMENT, name: 'accounts.exe' });
      await operator.activate(send);
      await expect(page.locator('body')).toContainText('accounts.exe');
      const corrected = `corrected ${key}.pdf`;
      await operator.attach(upload, { ...STATEMENT, name: corrected });
      await operator.activate(send);
      await expect(page.locator('body')).toContainText(says('document-review', 'versionsSent'));
      await context.clearCookies();
      await openTask(operator, title);
      await expect(page.getByRole('main'), 'in the language of the client').toContainText(
        `New version: ${corrected}`,
      );
      const answer = String(says('document-review', 'approve'));
      await expect(page.getByRole('main')).toContainText(says('task-review', 'acceptedAnswer', { answer }));
      await operator.check(approve);
      await saveAndCheck(operator);
      await submitTask(operator, title);
      await context.clearCookies();
      await openSubmission(operator, title);
      await operator.activate(page.getByRole('button', { name: says('task-review', 'acceptAll') }));
      await expect(page.getByRole('main')).toContainText(says('tasks', 'status_Done'));
      await expect(page.locator('a', { hasText: says('task-answers', 'downloadJson') })).toHaveCount(1);
      await context.clearCookies();
      await enter(page, PEOPLE.olivia, 'tasks?show=done');
      await openListed(operator, title);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        operator.activate(page.getByRole('link', { name: says('task-answers', 'downloadPdf') })),
      ]);
      expect(download.suggestedFilename()).toBe(`${title}.pdf`);
    });
  });
}

test.describe('without scripts', () => {
  test.use({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false });

  test('a contact says by when a document comes, and the firm sees the date', async ({ page, context }) => {
    await createTask(page, 'Promised', [{ label: 'Bank statements' }]);
    await context.clearCookies();
    await openTask(page, 'Promised');
    await page.locator('summary', { hasText: 'I don’t have it yet' }).click();
    await page.getByRole('button', { name: 'Save date Bank statements' }).click();
    await expect(page.locator('body')).toContainText('Enter a date within the next year.');
    await page.locator('summary', { hasText: 'I don’t have it yet' }).click();
    const day = await page.getByLabel('I’ll get it by').getAttribute('min');
    await page.getByLabel('I’ll get it by').fill(day ?? '');
    await page.getByRole('button', { name: 'Save date Bank statements' }).click();
    await expect(page.getByRole('main')).toContainText('You’ll get it by');
    await context.clearCookies();
    await enter(page, PEOPLE.eleanor, 'staff/tasks?searchTerm=Promised');
    await page.getByRole('link', { name: 'Promised', exact: true }).click();
    await expect(page.getByRole('main')).toContainText('Coming by ');
  });
});

/** A firm's own questions, each in a language. */
const IN_LANGUAGES = [
  { lang: 'pt', staff: PEOPLE.lima, contact: PEOPLE.ana, client: 'padaria', input: 'pointer' },
  { lang: 'es', staff: PEOPLE.eleanor, contact: PEOPLE.olivia, client: 'juniper', input: 'keyboard' },
] as const;

for (const { lang, staff, contact, client, input } of IN_LANGUAGES)
  test.describe(`in ${lang}`, () => {
    test.use({ lang, input, javaScriptEnabled: input === 'keyboard' });

    test(`a question of the firm is asked, answered and accepted ${input === 'keyboard' ? 'by keyboard' : 'without scripts'} in ${lang}`, async ({
      page,
      context,
      operator,
    }) => {
      const { says } = operator;
      const title = `Kind ${lang}`;
      await enter(page, staff, `staff/tasks/new?q=${client}`);
      await operator.activate(page.locator('main .choices a').first());
      await operator.fill(page.getByLabel(says('task-batches', 'newTitle'), { exact: true }), title);
      await operator.fill(page.getByLabel(says('task-batches', 'itemLabel')), 'Km');
      await operator.select(page.getByLabel(says('task-batches', 'itemKind'), { exact: true }), 'number');
      await operator.activate(page.getByRole('button', { name: says('task-batches', 'create') }));
      await expect(page.getByRole('link', { name: title })).toBeVisible();
      await context.clearCookies();
      await enter(page, contact, 'tasks?of=all');
      await operator.activate(page.getByRole('link', { name: title }));
      await operator.fill(page.getByLabel('Km'), '1.250');
      await saveAndCheck(operator);
      await submitTask(operator, title);
      await context.clearCookies();
      await enter(page, staff, `staff/tasks?searchTerm=${encodeURIComponent(title)}`);
      await operator.activate(page.getByRole('link', { name: title, exact: true }));
      await expect(page.getByRole('main')).toContainText('1.250');
      await operator.activate(page.getByRole('button', { name: says('task-review', 'acceptAll') }));
      await expect(page.getByRole('main')).toContainText(says('tasks', 'status_Done'));
      await expect(page.getByRole('link', { name: says('task-answers', 'downloadPdf') })).toBeVisible();
    });
  });
