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
  '/[base]/[lang]/staff/clients/[id]/edit': {
    budget: LIST,
    states: [['a client to edit', (page) => client(page, '/edit')]],
  },
  '/[base]/[lang]/staff/clients/[id]/merge': {
    budget: LIST,
    states: [['a client to merge, with results', (page) => client(page, '/merge?q=a')]],
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
