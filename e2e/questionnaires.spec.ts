import type { Locator, Page } from 'playwright/test';
import { translationsFor } from '#platform/translations.server.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';
import { STATEMENT } from './support/tasks.ts';

/*
 * Questionnaires from the firm's ready-made template to their accepted end, each step answered as a client would, in
 * three countries and languages.
 */

const JOURNEYS = [
  {
    lang: 'en-gb',
    template: 'starter-uk-personal',
    chosen: ['employment'],
    staff: PEOPLE.eleanor,
    contact: PEOPLE.olivia,
    client: 'juniper',
    width: 1280,
    javaScriptEnabled: false,
  },
  {
    lang: 'es',
    template: 'starter-us-1040',
    chosen: [],
    staff: PEOPLE.eleanor,
    contact: PEOPLE.olivia,
    client: 'juniper',
    width: 360,
    javaScriptEnabled: true,
  },
  {
    lang: 'pt',
    template: 'starter-br-onboarding',
    chosen: [],
    staff: PEOPLE.lima,
    contact: PEOPLE.ana,
    client: 'padaria',
    width: 360,
    javaScriptEnabled: false,
  },
] as const;

/** Answers by the mask of an input. */
const MASKED: Readonly<Record<string, string>> = {
  date: '28/02/1980',
  nino: 'AB123456C',
  utr: '20000 00000',
  ssn: '219-09-9999',
  ein: '12-3456789',
  cnpj: '11.222.333/0001-81',
  cpf: '529.982.247-25',
  cep: '01310-100',
  zip: '10001',
};

interface Control {
  name: string;
  type: string;
  value: string;
  mask: string;
  isNeeded: boolean;
  isChecked: boolean;
}

/** The visible controls of the step. `isNeeded`: required or invalid, and empty. */
const controlsOf = (form: Locator): Promise<Control[]> =>
  form.locator('input:visible, select:visible, textarea:visible').evaluateAll((nodes) =>
    (nodes as HTMLInputElement[]).map((node) => ({
      name: node.name,
      type: node.type,
      value: node.value,
      mask: node.dataset['mask'] ?? '',
      isNeeded: (node.required || node.ariaInvalid === 'true') && node.value === '',
      isChecked: node.checked,
    })),
  );

/** Answers the required questions of the step: “No” and “none” where they are offered, `chosen` where it is. */
async function answerStep(page: Page, chosen: readonly string[]): Promise<void> {
  const form = page.locator('main form[enctype]');
  const controls = await controlsOf(form);
  const byName = Map.groupBy(controls, ({ name }) => name);
  for (const [name, group] of byName) {
    const [{ type, mask, isNeeded }] = group as [Control];
    const named = form.locator(`[name="${name}"]`);
    const check = async (value: string): Promise<void> =>
      named.and(form.locator(`[value="${value}"]`)).check();
    const isAnswered = group.some(({ isChecked }) => isChecked);
    if (name.endsWith('#none')) {
      if (!isAnswered) await named.check();
    } else if (byName.has(`${name}#none`)) {
      continue;
    } else if (type === 'radio') {
      const no = group.find(({ value }) => value === 'no') ?? group[0];
      if (!isAnswered) await check(no?.value ?? '');
    } else if (type === 'checkbox') {
      const picked = group.filter(({ value }) => chosen.includes(value));
      const answers = picked.length > 0 ? picked : group.filter(({ value }) => value === 'none');
      if (!isAnswered) for (const { value } of answers) await check(value);
      if (isNeeded && group.length === 1) await named.check();
    } else if (type === 'file') {
      if (isNeeded) await named.setInputFiles(STATEMENT);
    } else if (isNeeded && type === 'select-one') await named.selectOption({ index: 1 });
    else if (isNeeded)
      await named.fill(MASKED[mask] ?? { tel: '+44 20 7946 0018', email: 'x@oak.example' }[type] ?? '12');
  }
}

for (const { lang, template, chosen, staff, contact, client, width, javaScriptEnabled } of JOURNEYS)
  test.describe(`${template} in ${lang}`, () => {
    test.use({ viewport: { width, height: 800 }, javaScriptEnabled });

    test(`${template} is sent, answered step by step, returned, submitted again and accepted in ${lang}`, async ({
      page,
      context,
    }) => {
      test.setTimeout(240_000);
      const t = translationsFor(lang, 'tasks');
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      const title = `${template} ${lang}`;
      await enter(page, staff, `../${lang}/staff/tasks/templates/${template}`);
      await page.locator('main a[href*="tasks/new?"]').first().click();
      await page.getByRole('searchbox').fill(client);
      await page.getByRole('searchbox').press('Enter');
      await page.locator('main .choices a').first().click();
      await page.locator('input[name=title]').fill(title);
      await page.locator('main form button.button').last().click();
      await expect(page.getByRole('link', { name: title }).first()).toBeVisible();

      await context.clearCookies();
      await enter(page, contact, `../${lang}/tasks?of=all`);
      await page.getByRole('main').getByRole('link', { name: title }).click();
      const submit = button(/^(Submit to|Enviar a|Enviar para) /);
      const openQuestions = page.locator('main .alert-warning a');
      const save = button(new RegExp(`^(${t('saveContinue')}|${t('saveCheck')})$`));
      const isReady = async (): Promise<boolean> => (await submit.count()) > 0 && (await submit.isEnabled());
      for (let steps = 0; steps < 60 && !(await isReady()); steps += 1) {
        if ((await openQuestions.count()) > 0) await openQuestions.first().click();
        await answerStep(page, chosen);
        await Promise.all([page.waitForEvent('load'), save.click()]);
      }
      await submit.click();

      const accept = page.locator('button[name=action][value=accept]');
      const list = `../${lang}/staff/tasks`;
      await context.clearCookies();
      await enter(page, staff, list);
      await page.getByRole('link', { name: title }).click();
      const returning = page.locator('details', { hasText: t('return') });
      await returning.locator('summary').click();
      await returning.getByLabel(t('returnReason')).fill('Page 2?');
      await returning.getByRole('button', { name: t('return') }).click();
      await expect(page.locator('.alert-success')).toBeVisible();

      await context.clearCookies();
      await enter(page, contact, `../${lang}/tasks?of=all`);
      await page.getByRole('main').getByRole('link', { name: title }).click();
      await expect(page.getByRole('main')).toContainText('Page 2?');
      await page.goto(`${page.url()}${page.url().includes('?') ? '&' : '?'}step=check`);
      await submit.click();

      await context.clearCookies();
      await enter(page, staff, list);
      await page.getByRole('link', { name: title }).click();
      await accept.click();
      await expect(accept).toHaveCount(0);
      await expect(
        page.locator('main a[href$=".pdf"], main a[href*="submission.pdf"]').first(),
      ).toBeVisible();
    });
  });
