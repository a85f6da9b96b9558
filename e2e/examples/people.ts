import type { Page } from 'playwright/test';
import { GRID, LIST, PLAIN, type PageExamples, type Walk } from './page-example.ts';
import { submitEmpty } from './steps.ts';

/** The pages on which staff manage people, and those of an email address that changes. */
const peoplePages: PageExamples = {
  '/[base]/[lang]/staff/start': { budget: LIST, states: [['the first day', 'staff/start']] },
  '/[base]/[lang]/staff/people': {
    budget: GRID,
    states: [
      ['people', 'staff/people'],
      ['people, no results', 'staff/people?searchTerm=zzzz'],
    ],
  },
  '/[base]/[lang]/staff/people/new': {
    budget: { ...LIST, script: 7.8 }, // its clients are chosen as the actions of the audit log are
    states: [
      ['a new person', 'staff/people/new'],
      ['a new person with errors', 'staff/people/new', submitEmpty],
    ],
  },
  '/[base]/[lang]/staff/people/invite': {
    budget: LIST,
    states: [
      ['many invitations', 'staff/people/invite'],
      [
        'many invitations with errors',
        'staff/people/invite',
        async (page) => {
          await page.getByRole('button', { name: 'Invite', exact: true }).click();
          await page.locator('main [role=alert]').first().waitFor();
        },
      ],
    ],
  },
  '/[base]/[lang]/staff/people/invite/[id]': {
    budget: LIST,
    states: [['the progress of many invitations', inviteNina]],
  },
  '/[base]/[lang]/staff/people/suspend': {
    budget: LIST,
    states: [['suspend several people', suspendTwo]],
  },
  '/[base]/[lang]/staff/people/[id]': { budget: LIST, states: [['a person', (page) => person(page, '')]] },
  '/[base]/[lang]/staff/people/[id]/clients': {
    budget: LIST,
    states: [['the clients of a person', (page) => person(page, '/clients?searchTerm=a')]],
  },
  '/[base]/[lang]/staff/people/[id]/email': {
    budget: LIST,
    states: [['a new address of a person', (page) => person(page, '/email')]],
  },
  '/[base]/[lang]/staff/people/[id]/suspend': {
    budget: LIST,
    states: [['suspend a person', (page) => person(page, '/suspend')]],
  },
  '/[base]/[lang]/staff/people/[id]/remove': {
    budget: LIST,
    states: [['remove a person', (page) => person(page, '/remove')]],
  },
  '/[base]/[lang]/staff/people/[id]/role': {
    budget: LIST,
    states: [['the role of a person', (page) => person(page, '/role', 'staff')]],
  },
  '/[base]/[lang]/profile/phrase': { budget: LIST, states: [['the phrase in emails', 'profile/phrase']] },
  '/[base]/[lang]/profile/offline': {
    budget: LIST,
    reachedFrom: 'the settings of reading, for contacts',
    states: [['reading without a connection', 'profile/offline']],
  },
  '/[base]/[lang]/profile/reading': { budget: LIST, states: [['the size of the text', 'profile/reading']] },
  '/[base]/[lang]/profile/email': { budget: LIST, states: [['an own new address', 'profile/email']] },
  '/[base]/[lang]/profile/notifications': {
    budget: LIST,
    states: [
      ['own notifications', 'profile/notifications'],
      ['own notifications with errors', 'profile/notifications', saveQuietHoursWithoutLength],
    ],
  },
  '/[base]/[lang]/unsubscribe/[token]': {
    budget: PLAIN,
    states: [['a link that turns off emails, invalid', 'unsubscribe/none']],
  },
  '/[base]/[lang]/reminders/[token]': {
    budget: PLAIN,
    states: [['a link that pauses reminders, invalid', 'reminders/none']],
  },
  '/[base]/[lang]/calendar/[token].ics': {
    budget: PLAIN,
    noMarkup: 'a file: tests/features/task-reminders/calendars.test.ts',
  },
  '/[base]/[lang]/auth/email/[token]': {
    budget: PLAIN,
    states: [['a confirmation of an address, over', 'auth/email/none']],
  },
};

export const walks: readonly Walk[] = [{ title: 'the pages for people', person: 'lima', pages: peoplePages }];

async function saveQuietHoursWithoutLength(page: Page): Promise<void> {
  await page.getByLabel('Hold emails during quiet hours').check();
  await page.getByLabel('From', { exact: true }).selectOption('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('main [role=alert]').first().waitFor();
}

/** A page of the first contact or member of staff. */
async function person(page: Page, name: string, who = 'contacts'): Promise<string> {
  await page.goto(`staff/people?who=${who}`);
  const link = page.locator('th a[href*="/people/contact_"]').first(); // not an invitation
  return `staff/people/${/contact_\w+/.exec((await link.getAttribute('href')) ?? '')?.[0] ?? ''}${name}`;
}

/** The question about the first two contacts. */
async function suspendTwo(page: Page): Promise<string> {
  await page.goto('staff/people?who=contacts');
  const ids = await page
    .locator('input[name="id"][value^="contact_"]')
    .evaluateAll((boxes) => boxes.slice(0, 2).map((box) => (box as HTMLInputElement).value));
  return `staff/people/suspend?${new URLSearchParams(ids.map((id) => ['id', id]))}`;
}

async function inviteNina(page: Page): Promise<string> {
  await page.goto('staff/people/invite');
  await page.getByLabel('People', { exact: true }).fill('Nina Nova, nina@nova.example\nNobody');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.waitForURL(/batch_/);
  return page.url();
}
