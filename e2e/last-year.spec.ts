import type { Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { answerByApi, askByApi, completeByApi } from './support/tasks.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/*
 * A client is asked the same as last year. What the template takes over is confirmed in one step, and a single question
 * or row can be filled with last year's answer, which is saved immediately. Sensitive numbers are shown masked and never taken
 * over.
 */

const text = (en: string) => ({ 'en-us': en });

const formOf = (key: string) => ({
  format: 1,
  key,
  country: 'US',
  languages: ['en-us'],
  label: text('Organizer'),
  sections: [
    {
      key: 'you',
      label: text('You'),
      items: [
        { kind: 'text', key: 'name', label: text('Name'), required: true, lastYear: 'prefill' },
        { kind: 'identifier', key: 'ssn', scheme: 'ssn', label: text('Social Security number') },
        { kind: 'text', key: 'job', label: text('Job') },
        { kind: 'money', key: 'rent', currency: 'USD', label: text('Rent') },
        {
          kind: 'choice',
          key: 'status',
          label: text('Marital status'),
          choices: [
            { key: 'single', label: text('Single') },
            { key: 'married', label: text('Married') },
          ],
        },
        { kind: 'address', key: 'home', label: text('Home address') },
        {
          kind: 'group',
          key: 'employer',
          label: text('Employers'),
          one: text('Employer'),
          addLabel: text('Add an employer'),
          title: 'name',
          max: 5,
          items: [
            { kind: 'text', key: 'name', label: text('Employer name') },
            { kind: 'text', key: 'city', label: text('City of work'), lastYear: 'prefill' },
          ],
        },
      ],
    },
  ],
});

const ANSWERS = {
  'you.name': 'Olivia Bennett',
  'you.ssn': '219099999',
  'you.job': 'Baker',
  'you.rent': { minor: 124_000, currency: 'USD' },
  'you.status': 'married',
  'you.home': {
    country: 'CA',
    address1: '12 Rue Sainte-Anne',
    address2: '',
    city: 'Québec',
    state: 'CA-QC',
    zip: 'G1R 3X3',
    county: '',
  },
  'you.employer#order': ['employer0001', 'employer0002'],
  'you.employer.employer0001.name': 'Oak Bakery',
  'you.employer.employer0001.city': 'Chicago',
  'you.employer.employer0002.name': 'Elm Cafe',
  'you.employer.employer0002.city': 'Evanston',
};

const ask = (page: Page, portal: Portal, key: string, taxYear: number): Promise<string> =>
  askByApi(page, portal, { label: `${key} ${taxYear}`, taxYear, form: formOf(key) });

/** Answers the task of last year as Olivia, and accepts it as the firm. */
async function finish(page: Page, portal: Portal, taskId: string): Promise<void> {
  await answerByApi(page, portal, taskId, ANSWERS);
  await enter(page, PEOPLE.eleanor, 'staff/tasks');
  await completeByApi(page, portal, taskId);
}

for (const { viewport, javaScriptEnabled } of WAYS)
  test.describe(`at ${viewport.width} px with scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test(`last year’s answers are used at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}`, async ({
      page,
      portal,
    }) => {
      const key = `organizer-${viewport.width}-${javaScriptEnabled ? 'on' : 'off'}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks');
      await finish(page, portal, await ask(page, portal, key, 2024));
      await ask(page, portal, key, 2025);
      await enter(page, PEOPLE.olivia, 'tasks');
      await page
        .getByRole('main')
        .getByRole('link', { name: `${key} 2025` })
        .click();

      // what the template repeats, in one step
      const block = page.locator('.last-year');
      await expect(block).toContainText('Olivia Bennett');
      await expect(block).not.toContainText('Baker');
      await page.getByRole('button', { name: 'These are still right' }).click();
      await expect(page.locator('body')).toContainText('Last year’s answers added');
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Olivia Bennett');
      await expect(block).toHaveCount(0);

      // a sensitive number is masked, and has no button
      const use = (label: string) =>
        page.getByRole('button', { name: `Use last year’s answer ${label}`, exact: true });
      await expect(page.getByText('Last year: •••-••-9999')).toBeVisible();
      await expect(use('Social Security number')).toHaveCount(0);
      expect(await page.content()).not.toMatch(/219-?09-?9999/);

      // single questions
      await page.getByLabel('Job').fill('Cook');
      await use('Job').click();
      await expect(page.getByLabel('Job')).toHaveValue('Baker');
      if (javaScriptEnabled) {
        await page.getByRole('button', { name: 'Undo Job' }).click();
        await expect(page.getByLabel('Job')).toHaveValue('Cook');
        await use('Job').click();
        await expect(page.getByRole('button', { name: 'Undo Job' })).toBeFocused();
      } else await expect(page).toHaveURL(/#step-you\.job$/);
      for (const label of ['Rent', 'Marital status', 'Home address']) {
        await use(label).click();
        await expect(use(label)).toHaveCount(0);
      }
      await expect(page.getByLabel('Rent')).toHaveValue('1240.00');
      await expect(page.getByLabel('Married')).toBeChecked();
      await expect(page.getByLabel('Postal code')).toHaveValue('G1R 3X3');
      await expect(page.getByLabel('Province')).toHaveValue('CA-QC');
      if (javaScriptEnabled) await expect(page.locator('[data-saving-state]')).toHaveText('Changes saved');

      // rows that were not taken over, each with its own button
      const employer = (number: number) =>
        page.getByRole('group', { name: `Employer ${number}`, exact: true });
      await page
        .getByRole('group', { name: 'Employer 2' })
        .getByRole('button', { name: /^Remove/ })
        .click();
      await expect(employer(2)).toHaveCount(0);
      const add = page.getByRole('button', { name: 'Add Elm Cafe from last year' });
      await add.click();
      await expect(employer(2).getByLabel('Employer name')).toHaveValue('Elm Cafe');
      await expect(employer(2).getByLabel('City of work')).toHaveValue('Evanston');
      await expect(add).toHaveCount(0);
      await expect(page).toHaveURL(/#step-you\.employer\.employer0002$/);

      // everything is stored, and nothing is offered again
      await page.getByRole('button', { name: 'Save and check' }).click();
      await expect(page.getByRole('main')).toContainText('Baker');
      await expect(page.getByRole('main')).toContainText('$1,240.00');
      await expect(page.getByRole('main')).toContainText('Rue Sainte-Anne');
      await page.goBack();
      await expect(page.getByLabel('Job')).toHaveValue('Baker');
    });
  });
