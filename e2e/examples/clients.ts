import type { Page } from 'playwright/test';
import { GRID, LIST, type PageExamples } from './page-example.ts';
import { submitEmpty } from './steps.ts';

/** The pages on which staff manage clients. */
export const clientPages: PageExamples = {
  '/[base]/[lang]/staff/clients': {
    budget: GRID,
    states: [
      ['clients', 'staff/clients'],
      ['clients, no results', 'staff/clients?searchTerm=zzzz'],
      ['archived clients', 'staff/clients?state=archived'],
    ],
  },
  '/[base]/[lang]/staff/clients/new': {
    budget: LIST,
    states: [
      ['a new client', 'staff/clients/new'],
      ['a new client with errors', 'staff/clients/new', submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/clients/[id]': { budget: LIST, states: [['a client', (page) => client(page, '')]] },
  '/[base]/[lang]/staff/clients/[id]/employees': {
    budget: LIST,
    states: [['employees of a client, none', (page) => client(page, '/employees')]],
  },
  '/[base]/[lang]/staff/clients/[id]/employees/new': {
    budget: LIST,
    states: [
      ['a new employee', (page) => client(page, '/employees/new')],
      ['a new employee, errors', (page) => client(page, '/employees/new'), submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/clients/[id]/employees/[employeeId]': {
    budget: LIST,
    states: [['an employee of a client', (page) => client(page, '/employees/new'), addEmployee]],
  },
  '/[base]/[lang]/staff/clients/[id]/establishments': {
    budget: LIST,
    states: [
      ['establishments of a client', (page) => client(page, '/establishments')],
      [
        'establishments of a client, errors',
        (page) => client(page, '/establishments'),
        (page) => submitEmpty(page, 'last'),
      ],
    ],
  },
  '/[base]/[lang]/staff/clients/[id]/edit': {
    budget: LIST,
    states: [['a client to edit', (page) => client(page, '/edit')]],
  },
  '/[base]/[lang]/staff/clients/[id]/merge': {
    budget: LIST,
    states: [['a client to merge, with results', (page) => client(page, '/merge?q=a')]],
  },
  '/[base]/[lang]/staff/clients/duplicates': {
    budget: LIST,
    states: [['possible duplicates', 'staff/clients/duplicates']],
  },
  '/[base]/[lang]/staff/clients/archive': {
    budget: LIST,
    states: [
      [
        'a client to archive',
        async (page) => `staff/clients/archive?id=${(await client(page, '')).replace(/.*\//, '')}`,
      ],
    ],
  },
};

/** A page of the first client. */
async function client(page: Page, rest: string): Promise<string> {
  await page.goto('staff/clients');
  const href = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
  return `staff/clients/${/client_\w+/.exec(href ?? '')?.[0] ?? ''}${rest}`;
}

/** Adds an employee, whose page follows. */
async function addEmployee(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Mariana Alves Ferreira');
  await page.getByLabel('CPF').fill('094.482.246-05');
  await page.locator('[name="hiredOn.month"]').selectOption('03');
  await page.locator('[name="hiredOn.day"]').selectOption('10');
  await page.locator('[name="hiredOn.year"]').selectOption('2021');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/employees\/employee_/);
}
