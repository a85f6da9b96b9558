import type { Page } from 'playwright/test';
import { GRID, LIST, type PageExamples, type Walk } from './page-example.ts';
import { submitEmpty } from './steps.ts';

/** The pages on which staff manage clients. */
const clientPages: PageExamples = {
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
  '/[base]/[lang]/staff/clients/[id]/tax-calendar': {
    budget: LIST,
    states: [
      ['the tax calendar of a client, none', (page) => client(page, '/tax-calendar?country=us')],
      ['the tax calendar of a client', (page) => client(page, '/tax-calendar?country=us'), saveTaxProfile],
    ],
  },
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
  '/[base]/[lang]/staff/clients/[id]/messages': {
    budget: LIST,
    states: [
      ['messages with a client', (page) => client(page, '/messages')],
      [
        'messages with a client, errors',
        (page) => client(page, '/messages'),
        (page) => submitEmpty(page, 'last'),
      ],
    ],
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
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates': {
    budget: LIST,
    states: [
      ['certificates of a client', (page) => client(page, '/clearance-certificates')],
      [
        'an agency to follow, errors',
        (page) => client(page, '/clearance-certificates'),
        followCityWithoutName,
      ],
    ],
  },
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates/[agencyId]': {
    budget: LIST,
    states: [
      ['an agency of a client', (page) => client(page, '/clearance-certificates'), followAgency],
      [
        'an agency of a client, errors',
        (page) => client(page, '/clearance-certificates'),
        async (page) => {
          await followAgency(page);
          await page.getByRole('button', { name: 'File', exact: true }).click();
          await page.locator('main [role=alert]').first().waitFor();
        },
      ],
    ],
  },
  '/[base]/[lang]/staff/clients/[id]/clearance-certificates/passports': {
    budget: LIST,
    states: [
      ['links to certificates of a client', (page) => client(page, '/clearance-certificates/passports')],
    ],
  },
  '/[base]/[lang]/staff/clients/[id]/digital-certificate': {
    budget: LIST,
    states: [
      ['the digital certificate of a client', (page) => client(page, '/digital-certificate')],
      [
        'the digital certificate of a client, errors',
        (page) => client(page, '/digital-certificate'),
        (page) => submitEmpty(page, 'last'),
      ],
    ],
  },
  '/[base]/[lang]/staff/clearance-certificates': {
    budget: GRID,
    states: [
      ['certificates of all clients', 'staff/clearance-certificates'],
      ['certificates of all clients, none found', 'staff/clearance-certificates?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/clearance-certificates/upload': {
    budget: LIST,
    states: [
      ['certificates to file', 'staff/clearance-certificates/upload'],
      ['certificates to file, errors', 'staff/clearance-certificates/upload', submitEmpty],
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

export const walks: readonly Walk[] = [
  { title: 'the pages for clients', person: 'lima', pages: clientPages },
];

/** A page of the first client. */
async function client(page: Page, rest: string): Promise<string> {
  await page.goto('staff/clients');
  const href = await page.getByRole('rowheader').getByRole('link').first().getAttribute('href');
  return `staff/clients/${/client_\w+/.exec(href ?? '')?.[0] ?? ''}${rest}`;
}

/** Follows the agency for federal taxes, unless the client has it, and opens it. */
async function followAgency(page: Page): Promise<void> {
  const agency = page.getByRole('rowheader').getByRole('link', { name: /^Federal taxes/ });
  if ((await agency.count()) === 0) {
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await agency.waitFor();
  }
  await agency.click();
  await page.waitForURL(/clearance-certificates\/federal/);
}

async function followCityWithoutName(page: Page): Promise<void> {
  await page.getByLabel('Agency', { exact: true }).selectOption('city');
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.locator('main [role=alert]').first().waitFor();
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

/** Says what is known of a client, so that its dates are computed. */
async function saveTaxProfile(page: Page): Promise<void> {
  await page.getByLabel('Payroll payments').selectOption('monthly');
  await page.getByRole('button', { name: 'Save profile' }).click();
  // the heading is there before, too, if the client has a profile
  await page.getByText('The profile was saved').waitFor();
  await page.waitForLoadState('load');
}
