import type { Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { DESK_BY_KEYBOARD, test } from './support/operator.ts';
import { answerByApi, askByApi, completeByApi, openListed, saveAndCheck } from './support/tasks.ts';
import { PEOPLE, enter, expect } from './support/test.ts';

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

for (const { how, key: name, way } of DESK_BY_KEYBOARD)
  test.describe(how, () => {
    test.use(way);

    test(`last year’s answers are used ${how}`, async ({ page, portal, operator }) => {
      const { says } = operator;
      const key = `organizer-${name}`;
      await enter(page, PEOPLE.eleanor, 'staff/tasks');
      await finish(page, portal, await ask(page, portal, key, 2024));
      await ask(page, portal, key, 2025);
      await enter(page, PEOPLE.olivia, 'tasks');
      await openListed(operator, `${key} 2025`);

      // what the template repeats, in one step
      const block = page.locator('.last-year');
      await expect(block).toContainText('Olivia Bennett');
      await expect(block).not.toContainText('Baker');
      await operator.activate(block.getByRole('button'));
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Olivia Bennett');
      await expect(block).toHaveCount(0);

      // a sensitive number is masked, and has no button
      const button = (does: 'useLastYear' | 'undoLastYear', label: string) =>
        page.getByRole('button', { name: `${String(says('answer-editor', does))} ${label}`, exact: true });
      const use = (label: string) => button('useLastYear', label);
      await expect(
        page.getByText(says('questionnaires', 'lastYear', { value: '•••-••-9999' })),
      ).toBeVisible();
      await expect(use('Social Security number')).toHaveCount(0);
      expect(await page.content()).not.toMatch(/219-?09-?9999/);

      // single questions
      const job = page.getByLabel('Job');
      await operator.fill(job, 'Cook');
      await operator.activate(use('Job'));
      await expect(job).toHaveValue('Baker');
      if (way.javaScriptEnabled) {
        await operator.activate(button('undoLastYear', 'Job'));
        await expect(job).toHaveValue('Cook');
        await operator.activate(use('Job'));
        await expect(button('undoLastYear', 'Job')).toBeFocused();
      } else await expect(page).toHaveURL(/#step-you\.job$/);
      for (const label of ['Rent', 'Marital status', 'Home address']) {
        await operator.activate(use(label));
        await expect(use(label)).toHaveCount(0);
      }
      await expect(page.getByLabel('Rent')).toHaveValue(/^1\.?240[.,]00$/);
      await expect(page.getByLabel('Married')).toBeChecked();
      await expect(page.locator('[name$=".zip"]')).toHaveValue('G1R 3X3');
      await expect(page.locator('[name$=".state"]')).toHaveValue('CA-QC');
      if (way.javaScriptEnabled)
        await expect(page.locator('[data-saving-state]')).toHaveText(says('tasks', 'saved'));

      // rows that were not taken over, each with its own button
      const employer = (number: number) =>
        page.getByRole('group', { name: `Employer ${number}`, exact: true });
      await operator.activate(employer(2).getByRole('button', { name: says('questionnaires', 'remove') }));
      await expect(employer(2)).toHaveCount(0);
      const add = page.getByRole('button', {
        name: says('questionnaires', 'addLastYear', { name: 'Elm Cafe' }),
      });
      await operator.activate(add);
      await expect(employer(2).getByLabel('Employer name')).toHaveValue('Elm Cafe');
      await expect(employer(2).getByLabel('City of work')).toHaveValue('Evanston');
      await expect(add).toHaveCount(0);
      await expect(page).toHaveURL(/#step-you\.employer\.employer0002$/);

      // everything is stored, and nothing is offered again
      await saveAndCheck(operator);
      await expect(page.getByRole('main')).toContainText('Baker');
      await expect(page.getByRole('main')).toContainText(/1\D?240[.,]00/);
      await expect(page.getByRole('main')).toContainText('Rue Sainte-Anne');
      await page.goBack();
      await expect(job).toHaveValue('Baker');
    });
  });
