import type { Locator, Page } from 'playwright/test';
import { idOfClient } from './support/steps.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * Each kind of request from its first page to the reply that its client reads: on a phone in Portuguese with scripts, and on
 * a desktop in English without. Simulations, the eleventh kind, have e2e/simulations.spec.ts. Fields are found by their
 * names, which are those of the questions.
 */

const BAKERY = 'Padaria Sol Nascente Ltda';

/** A day as an answer, which is written as its language does. */
const day = (text: string) => ({ day: text });
type Answer = string | { day: string };

const PERSON: Readonly<Record<string, Answer>> = {
  'request.birth': day('1998-03-14'),
  'person.sex': 'f',
  'person.race': 'c6',
  'person.education': 'c07',
  'person.birth-country': 'BR',
  'person.nationality': 'BR',
  'person.disability': 'none',
  'contact.address.country': 'BR',
  'contact.address.address1': 'Rua das Palmeiras, 482',
  'contact.address.city': 'Campinas',
  'contact.address.state': 'BR-SP',
  'contact.address.zip': '13024-500',
};
const PLACE = 'Loja Vila Mariana (99.304.518/0002-67)';
const VACATION: Readonly<Record<string, Answer>> = {
  'request.employee': 'Severino José da Silva',
  'request.period-start': day('2025-04-13'),
  'request.absences': '0',
  'request.parts.*.start': day('2027-01-04'),
  'request.parts.*.days': '30',
  'request.sell': 'no',
  'request.thirteenth': 'no',
};
const TERMINATION: Readonly<Record<string, Answer>> = {
  'request.employee': 'Wesley Barbosa',
  'request.reason': 'c07',
  'request.notice': 'not-worked',
  'request.last-day': day('2026-12-04'),
  'request.stability': 'none',
  'request.alimony': 'c0',
};

/** What is answered, by kind. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  'employee-registration': {
    ...PERSON,
    'request.cpf': '111.444.777-35',
    'request.name': 'Rosana Teles Prado',
    'request.start': day('2026-12-14'),
    'request.category': 'c101',
    'request.nature': 'c1',
    'request.position': 'Padeira',
    'request.cbo': '848305',
    'request.salary': '2400',
    'request.unit': 'c5',
    'request.term': 'c1',
    'request.place': PLACE,
    'hours.trial': 'no',
    'hours.week': '44:00',
    'hours.shift': 'c4',
    'hours.part-time': 'c0',
    'hours.night': 'no',
    'hours.regime': 'c1',
    'pay.transport': 'no',
  },
  'intern-registration': {
    ...PERSON,
    'request.birth': day('2004-03-14'),
    'request.cpf': '111.444.777-35',
    'request.name': 'Ivo Estagiário',
    'request.start': day('2026-12-14'),
    'internship.place': PLACE,
    'internship.school': 'Faculdade Vale do Sol',
    'internship.school-cnpj': '08.551.293/0001-07',
    'internship.level': 'c4',
    'internship.mandatory': 'no',
    'internship.day-hours': '6:00',
    'internship.week-hours': '30:00',
    'internship.term-end': day('2027-12-10'),
    'internship.grant': '1200',
    'internship.transport': '200',
    'internship.policy': '12345',
    'internship.supervisor': 'Cláudia Regina Batista',
    'internship.supervisor-cpf': '972.007.898-79',
  },
  'partner-registration': {
    ...PERSON,
    'request.cpf': '111.444.777-35',
    'request.name': 'Sônia Sócia',
    'request.start': day('2026-12-14'),
    'partnership.role': 'Administradora',
    'partnership.category': 'c722',
    'partnership.administrator': 'yes',
    'partnership.pro-labore': 'yes',
    'partnership.value': '3000',
  },
  'vacation-notice': VACATION,
  'vacation-calculation': VACATION,
  'termination-notice': TERMINATION,
  'termination-calculation': TERMINATION,
  'employee-leave': {
    'request.employee': 'Wesley Barbosa',
    'request.what': 'leave',
    'request.reason': 'c03',
    'request.start': day('2026-11-24'),
    'request.until': 'days',
    'request.days': '3',
    'request.same-reason': 'no',
    'request.traffic': 'no',
  },
  'general-requests': {
    'request.subject': 'Segunda via do holerite',
    'request.department': 'payroll',
    'request.text': 'Preciso do holerite de outubro.',
  },
  'payroll-entries': { 'request.month': day('2026-11-01') },
};

/** Answers what the open step asks and is not answered yet. */
async function answer(page: Page, answers: Readonly<Record<string, Answer>>, lang: string): Promise<void> {
  for (const [path, given] of Object.entries(answers)) {
    if (typeof given === 'string') await answerOne(page, path, given);
    else {
      await answerOne(page, path, textOf(given.day, lang));
      const [year = '', month = '', number = ''] = given.day.split('-');
      for (const [part, value] of Object.entries({ year, month, day: number }))
        await answerOne(page, `${path}.${part}`, value);
    }
  }
}

async function answerOne(page: Page, path: string, value: string): Promise<void> {
  const [before = '', after] = path.split('*');
  const name = after === undefined ? `[name="${path}"]` : `[name^="${before}"][name$="${after}"]`;
  const field = page.locator(`:is(input:not([type="hidden"]), select, textarea)${name}`);
  if ((await field.count()) === 0) return;
  const kind = await field
    .first()
    .evaluate((element) => (element instanceof HTMLInputElement ? element.type : element.tagName));
  if (kind === 'radio' || kind === 'checkbox') {
    const choice = page.locator(`input${name}[value="${value}"]`);
    if (!(await choice.isChecked()))
      await choice.evaluate((element) => (element as HTMLInputElement).click());
  } else if (await field.first().isVisible()) {
    if (kind === 'SELECT') await field.first().selectOption(value);
    else if ((await field.first().inputValue()) === '') await field.first().fill(value);
  }
}

function textOf(date: string, lang: string): string {
  const [year, month, number] = date.split('-');
  return lang === 'pt' ? `${number}/${month}/${year}` : `${month}/${number}/${year}`;
}

/** Presses a button that leads to a page, which may have the same address. */
async function press(page: Page, button: Locator): Promise<void> {
  const navigated = page.waitForEvent('framenavigated');
  await button.click();
  await navigated;
  await page.waitForLoadState();
}

/** Fills all steps until the check, and what the check says is missing: without scripts, questions appear when a step is saved. */
async function fillAll(page: Page, answers: Readonly<Record<string, Answer>>, lang: string): Promise<void> {
  const send = page.locator('button[name="send"][value="send"]');
  const missing = page.locator('.alert-warning li a');
  for (let left = 30; left > 0; left -= 1) {
    if ((await send.count()) === 0) {
      await answer(page, answers, lang);
      await press(page, page.locator('form#step button.button-primary').last());
    } else if ((await missing.count()) > 0) await press(page, missing.first());
    else break;
  }
  await expect(send).toBeVisible();
}

for (const { viewport, javaScriptEnabled } of WAYS) {
  const lang = javaScriptEnabled ? 'pt' : 'en-us';
  test.describe(`${viewport.width} px${javaScriptEnabled ? '' : ', without scripts'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    for (const [action, answers] of Object.entries(KINDS))
      test(`${action} goes from the first page of the client to the reply it reads`, async ({
        page,
        portal,
      }) => {
        const base = `/clientcenter/${lang}`;
        await enter(page, PEOPLE.ana, '');
        const client = await idOfClient(portal, BAKERY);
        await page.goto(`${base}/actions/service-request/${action}?client=${client}`);
        await page.locator('button[name="begin"]').click();
        await page.waitForURL(/requests\/request_/);
        await fillAll(page, answers, lang);
        const reasons = page.locator('[id^="reason-"]');
        for (const reasonId of await reasons.evaluateAll((all) => all.map((each) => each.id))) {
          await page.locator(`#${reasonId}`).fill('Combinado com o empregado.');
          await page
            .locator(`#finding-${reasonId.slice('reason-'.length)}`)
            .getByRole('button')
            .click();
          await page.waitForLoadState();
        }
        await page.locator('button[name="send"][value="send"]').click();
        await expect(page.locator('button[name="take-back"]')).toBeVisible();
        const own = page.url();
        const id = /request_\w+/.exec(own)?.[0] ?? '';

        await enter(page, PEOPLE.lima, '');
        await page.goto(`${base}/staff/service-requests/${id}`);
        const reply = page.locator('form#reply');
        await reply.locator('textarea').first().fill(`Feito: ${action}.`);
        const registration = reply.locator('input[name="registration"]');
        if (await registration.isVisible()) await registration.fill(`K-${lang}-${action.slice(0, 6)}`);
        // what a reply changes of employees has tests of its own, and would be in the way of the other kinds
        const changes = reply.locator('input[name="changes"]');
        if ((await changes.count()) > 0 && !(await registration.isVisible())) await changes.uncheck();
        await reply.locator('button').last().click();
        await expect(page.locator('.alert-success').first()).toBeVisible();

        await enter(page, PEOPLE.ana, '');
        await page.goto(own);
        await expect(page.getByText(`Feito: ${action}.`).first()).toBeVisible();
      });
  });
}
