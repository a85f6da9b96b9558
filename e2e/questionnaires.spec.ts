import type { Locator } from 'playwright/test';
import { test, type Operator } from './support/operator.ts';
import { openListed, STATEMENT } from './support/tasks.ts';
import { PEOPLE, enter, expect } from './support/test.ts';

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
    input: 'keyboard',
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
    input: 'keyboard',
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
    input: 'pointer',
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
async function answerStep(operator: Operator, chosen: readonly string[]): Promise<void> {
  const form = operator.page.locator('main form[enctype]');
  const controls = await controlsOf(form);
  const byName = Map.groupBy(controls, ({ name }) => name);
  for (const [name, group] of byName) {
    const [{ type, mask, isNeeded }] = group as [Control];
    const named = form.locator(`[name="${name}"]`);
    const check = (value: string): Promise<void> =>
      operator.check(named.and(form.locator(`[value="${value}"]`)));
    const isAnswered = group.some(({ isChecked }) => isChecked);
    if (name.endsWith('#none')) {
      if (!isAnswered) await operator.check(named);
    } else if (byName.has(`${name}#none`)) {
      continue;
    } else if (type === 'radio') {
      const no = group.find(({ value }) => value === 'no') ?? group[0];
      if (!isAnswered) await check(no?.value ?? '');
    } else if (type === 'checkbox') {
      const picked = group.filter(({ value }) => chosen.includes(value));
      const answers = picked.length > 0 ? picked : group.filter(({ value }) => value === 'none');
      if (!isAnswered) for (const { value } of answers) await check(value);
      if (isNeeded && group.length === 1) await operator.check(named);
    } else if (type === 'file') {
      if (isNeeded) await operator.attach(named, STATEMENT);
    } else if (isNeeded && type === 'select-one') await operator.select(named, { index: 1 });
    else if (isNeeded)
      await operator.fill(
        named,
        MASKED[mask] ?? { tel: '+44 20 7946 0018', email: 'x@oak.example' }[type] ?? '12',
      );
  }
}

for (const { lang, template, chosen, staff, contact, client, width, javaScriptEnabled, input } of JOURNEYS) {
  const how = `${input === 'keyboard' ? 'by keyboard ' : ''}in ${lang}`;
  test.describe(`${template} ${how}`, () => {
    test.use({ viewport: { width, height: 800 }, javaScriptEnabled, lang, input });

    test(`${template} is sent, answered step by step, returned, submitted again and accepted ${how}`, async ({
      page,
      context,
      operator,
    }) => {
      test.setTimeout(240_000);
      const { says } = operator;
      const main = page.getByRole('main');
      const title = `${template} ${lang}`;
      const named = new RegExp(title); // with the tax year
      await enter(page, staff, `staff/tasks/templates/${template}`);
      await operator.activate(page.locator('main a[href*="tasks/new?"]').first());
      await operator.fill(page.locator('main input[type=search]'), client);
      await page.keyboard.press('Enter');
      await operator.activate(page.locator('main .choices a').first());
      await operator.fill(page.locator('input[name=title]'), title);
      await operator.activate(page.locator('main form button.button').last());
      await page.waitForURL(/staff\/tasks$/);
      await page.goto(`staff/tasks?searchTerm=${encodeURIComponent(title)}`);
      await expect(page.getByRole('link', { name: title }).first()).toBeVisible();

      await context.clearCookies();
      await enter(page, contact, 'tasks?of=all');
      await openListed(operator, named);
      const submit = page.getByRole('button', { name: says('tasks', 'submit') });
      const openQuestions = page.locator('main .alert-warning:not(.saved) a');
      const save = ['saveContinue', 'saveCheck'] as const;
      const saveButton = page.getByRole('button', {
        name: new RegExp(`^(${save.map((key) => String(says('tasks', key))).join('|')})$`),
      });
      const follow = async (target: Locator): Promise<void> => {
        await page.waitForLoadState(); // else the load of the page that is left ends the wait
        await Promise.all([page.waitForEvent('load'), operator.activate(target)]);
      };
      const isReady = async (): Promise<boolean> => (await submit.count()) > 0 && (await submit.isEnabled());
      for (let steps = 0; steps < 60 && !(await isReady()); steps += 1) {
        if ((await openQuestions.count()) > 0) await follow(openQuestions.first());
        await page.waitForLoadState(); // before, no question may be visible yet
        await answerStep(operator, chosen);
        await follow(saveButton);
      }
      await follow(submit);

      const accept = page.locator('button[name=action][value=accept]');
      const openAsStaff = async (): Promise<void> => {
        await context.clearCookies();
        await enter(page, staff, `staff/tasks?searchTerm=${encodeURIComponent(title)}`);
        await operator.activate(page.getByRole('rowheader').getByRole('link', { name: named }));
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(named);
      };
      await openAsStaff();
      const returning = page.locator('details', { hasText: says('tasks', 'return') });
      await operator.activate(returning.locator('summary'));
      await operator.fill(returning.getByLabel(says('tasks', 'returnReason')), 'Page 2?');
      await operator.activate(returning.getByRole('button', { name: says('tasks', 'return') }));
      await expect(page.locator('.alert-success')).toBeVisible();

      await context.clearCookies();
      await enter(page, contact, 'tasks?of=all');
      await openListed(operator, named);
      await expect(main).toContainText('Page 2?');
      await page.goto(`${page.url()}${page.url().includes('?') ? '&' : '?'}step=check`);
      await follow(submit);

      await openAsStaff();
      await operator.activate(accept);
      await expect(accept).toHaveCount(0);
      await expect(
        page.locator('main a[href$=".pdf"], main a[href*="submission.pdf"]').first(),
      ).toBeVisible();
    });
  });
}
