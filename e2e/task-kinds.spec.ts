import type { Page } from 'playwright/test';
import { createTask, openSubmission, openTask, STATEMENT } from './support/tasks.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * Kinds of tasks from the firm's form to their accepted end: a review of documents, with a new version of one, and
 * questions of the firm, in three languages.
 */

/** Asks the client of Olivia to review its two newest documents. */
async function askForReview(page: Page, title: string): Promise<void> {
  await enter(page, PEOPLE.eleanor, 'staff/tasks/review?q=juniper');
  await page.locator('main .choices a').first().click();
  await page.getByRole('button', { name: 'Send for review' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter a title.');
  await expect(page.locator('.error-summary')).toContainText('Choose a document or a folder.');
  await page.getByLabel('Title', { exact: true }).fill(title);
  const documents = page.getByRole('group', { name: 'Documents to review' }).getByRole('checkbox');
  await documents.nth(0).check();
  await documents.nth(1).check();
  await page.getByRole('button', { name: 'Send for review' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
}

for (const { viewport, javaScriptEnabled } of WAYS) {
  const how = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`;
  test.describe(how, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`a client approves a document, asks for a change of another and approves its new version ${how}`, async ({
      page,
      context,
    }) => {
      const title = `Accounts ${viewport.width} ${javaScriptEnabled ? 'on' : 'off'}`;
      await askForReview(page, title);
      await context.clearCookies();
      await openTask(page, title);
      await expect(page.getByRole('heading', { name: '2 documents to review' })).toBeVisible();
      const viewer = page.locator('[aria-labelledby="reviewed-documents"] a').first();
      expect((await page.request.get((await viewer.getAttribute('href')) ?? '')).status()).toBe(200);
      await page.getByLabel('Approve').first().check();
      await page.getByLabel('Request a change').last().check();
      const why = page.getByLabel('What needs to change in');
      if (!javaScriptEnabled) {
        await page.getByRole('button', { name: 'Save and check' }).click();
        await page.locator('main a', { hasText: 'Change' }).first().click();
      }
      await why.fill('The address is the old one.');
      await page.getByRole('button', { name: 'Save and check' }).click();
      await page.getByRole('button', { name: /^Submit to / }).click();
      await expect(page.locator('body')).toContainText(`“${title}” submitted`);
      await context.clearCookies();
      await openSubmission(page, title);
      await expect(page.getByRole('main')).toContainText('The address is the old one.');
      await page.getByRole('button', { name: 'Send for another review' }).click();
      await expect(page.locator('body')).toContainText('Choose at least one new version.');
      const versions = page.getByRole('group', { name: 'New version of' });
      await expect(versions.getByLabel('Or choose one of the client’s documents')).toBeVisible();
      const upload = versions.getByLabel('Upload a file');
      await upload.setInputFiles({ ...STATEMENT, name: 'accounts.exe' });
      await page.getByRole('button', { name: 'Send for another review' }).click();
      await expect(page.locator('body')).toContainText('accounts.exe');
      await upload.setInputFiles({ ...STATEMENT, name: `corrected ${how}.pdf` });
      await page.getByRole('button', { name: 'Send for another review' }).click();
      await expect(page.locator('body')).toContainText('Sent for another review.');
      await context.clearCookies();
      await openTask(page, title);
      await expect(page.getByRole('main')).toContainText(`New version: corrected ${how}.pdf`);
      await expect(page.getByRole('main')).toContainText('Approve (accepted)');
      await page.getByLabel('Approve').check();
      await page.getByRole('button', { name: 'Save and check' }).click();
      await page.getByRole('button', { name: /^Submit to / }).click();
      await expect(page.locator('body')).toContainText(`“${title}” submitted`);
      await context.clearCookies();
      await openSubmission(page, title);
      await page.getByRole('button', { name: 'Accept all' }).click();
      await expect(page.getByRole('main')).toContainText('Accepted');
      await expect(page.getByRole('link', { name: 'Download as JSON' })).toBeVisible();
      await context.clearCookies();
      await enter(page, PEOPLE.olivia, 'tasks?show=done');
      await page.getByRole('main').getByRole('link', { name: title }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download as PDF' }).click(),
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

/** A firm's own questions, by their texts in a language. */
const IN_LANGUAGES = [
  {
    lang: 'pt',
    staff: PEOPLE.lima,
    contact: PEOPLE.ana,
    client: 'padaria',
    javaScriptEnabled: false,
    words: {
      title: 'Título',
      item: 'Documento ou pergunta',
      kind: 'Resposta',
      create: 'Criar tarefa',
      check: 'Salvar e conferir',
      submit: /^Enviar para /,
      accept: 'Aceitar tudo',
      done: 'Aceita',
      download: 'Baixar PDF',
    },
  },
  {
    lang: 'es',
    staff: PEOPLE.eleanor,
    contact: PEOPLE.olivia,
    client: 'juniper',
    javaScriptEnabled: true,
    words: {
      title: 'Título',
      item: 'Documento o pregunta',
      kind: 'Respuesta',
      create: 'Crear tarea',
      check: 'Guardar y revisar',
      submit: /^Enviar a /,
      accept: 'Aceptar todo',
      done: 'Aceptada',
      download: 'Descargar como PDF',
    },
  },
] as const;

for (const { lang, staff, contact, client, javaScriptEnabled, words } of IN_LANGUAGES)
  test.describe(`in ${lang}`, () => {
    test.use({ javaScriptEnabled });

    test(`a question of the firm is asked, answered and accepted in ${lang}`, async ({ page, context }) => {
      const title = `Kind ${lang}`;
      await enter(page, staff, `../${lang}/staff/tasks/new?q=${client}`);
      await page.locator('main .choices a').first().click();
      await page.getByLabel(words.title, { exact: true }).fill(title);
      await page.getByLabel(words.item).fill('Km');
      await page.getByLabel(words.kind, { exact: true }).selectOption('number');
      await page.getByRole('button', { name: words.create }).click();
      await expect(page.getByRole('link', { name: title })).toBeVisible();
      await context.clearCookies();
      await enter(page, contact, `../${lang}/tasks?of=all`);
      await page.getByRole('link', { name: title }).click();
      await page.getByLabel('Km').fill('1.250');
      await page.getByRole('button', { name: words.check }).click();
      await page.getByRole('button', { name: words.submit }).click();
      await context.clearCookies();
      await enter(page, staff, `../${lang}/staff/tasks?searchTerm=${encodeURIComponent(title)}`);
      await page.getByRole('link', { name: title, exact: true }).click();
      await expect(page.getByRole('main')).toContainText('1.250');
      await page.getByRole('button', { name: words.accept }).click();
      await expect(page.getByRole('main')).toContainText(words.done);
      await expect(page.getByRole('link', { name: words.download })).toBeVisible();
    });
  });

test('a question of the firm is answered and submitted by keyboard alone', async ({ page, context }) => {
  await createTask(page, 'By keyboard', [{ label: 'Miles driven', answer: 'number' }]);
  await context.clearCookies();
  await enter(page, PEOPLE.olivia, 'tasks');
  const press = async (target: ReturnType<Page['getByRole']>): Promise<void> => {
    for (let step = 0; step < 80; step += 1) {
      await page.keyboard.press('Tab');
      if (await target.evaluate((element) => element === document.activeElement)) return;
    }
    throw new Error('The Tab key does not reach it.');
  };
  await press(page.getByRole('link', { name: 'By keyboard' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('By keyboard');
  await press(page.getByRole('textbox', { name: 'Miles driven' }));
  await page.keyboard.type('1,250');
  await press(page.getByRole('button', { name: 'Save and check' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Review and submit' })).toBeVisible();
  await press(page.getByRole('button', { name: /^Submit to / }));
  await page.keyboard.press('Enter');
  await expect(page.locator('body')).toContainText('“By keyboard” submitted');
});
