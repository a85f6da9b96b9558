import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright/test';
import type { Portal } from './kit/portal.ts';
import { linkInMailbox } from './kit/steps.ts';
import { PEOPLE, expect, signIn, test } from './kit/test.ts';

test.describe.configure({ mode: 'parallel' }); // the longest of all: each width may go to another worker

/** Every page and state: the walk for accessibility, width and words. A page that is missing here fails tests/routes.test.ts. */
const WALK: readonly (readonly [name: string, path: string, prepare?: (page: Page) => Promise<void>])[] = [
  ['documents', 'documents'],
  ['documents, several chosen', 'documents', (page) => page.locator('#document-list input[name=id]').first().check()],
  ['documents, empty folder', 'documents', (page) => openFolder(page, /From you/)],
  ['the send dialog', 'documents', openShareDialog],
  [
    'the send dialog with errors',
    'documents',
    async (page) => {
      await openShareDialog(page);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('.error-summary').waitFor();
    },
  ],
  ['a refused file', 'documents', (page) => page.locator('input[type=file]').setInputFiles({ name: 'bad.exe', mimeType: 'x/y', buffer: Buffer.from('MZ') })],
  ['the account menu', 'documents', (page) => page.locator('details.menu summary').last().click()],
  ['the language dialog', 'documents', (page) => page.getByRole('link', { name: 'English (United States)' }).click()],
  ['send, nothing chosen', 'documents/send'],
  ['clients', 'clients'],
  ['clients, none found', 'clients?searchTerm=zzzz'],
  ['sign-in error', 'auth/signin-error'],
  ['firm locked', 'auth/firm-locked'],
  ['second step', 'auth/mfa-required'],
  ['a new password', 'auth/forgot'],
  ['a new password, asked for', 'auth/forgot?sent'],
  ['a new password, link over', 'auth/reset/none'],
  ['rescue code', 'auth/rescue'],
  ['rescue code with errors', 'auth/rescue', submitEmpty],
  ['invitation over', 'auth/invitation/none'],
  ['first owner, link over', 'auth/first-owner/none'],
  ['language', 'language'],
  ['an unknown link', 'share/none'],
  ['not authorized', 'not-authorized'],
  ['not found', 'notfound'],
  ['mailbox', 'mailbox'],
  ['the parts', 'kit'],
];

/** Pages of staff, and their states. */
const STAFF_WALK: typeof WALK = [
  ['invitations', 'staff/invitations'],
  ['invitations with errors', 'staff/invitations', submitEmpty],
  ['a rescue code to be made', 'staff/rescue'],
  ['a rescue code with errors', 'staff/rescue', submitEmpty],
];

/** Sends the form of a page as it is, past what the browser would say. */
async function submitEmpty(page: Page): Promise<void> {
  await page.locator('main form').first().evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
    form.requestSubmit();
  });
  await page.locator('.error-summary').waitFor();
}

async function openFolder(page: Page, name: RegExp): Promise<void> {
  const link = page.getByRole('link', { name });
  if (!(await link.isVisible())) await page.getByRole('heading', { name: 'Folders' }).click();
  await link.click();
}

async function openShareDialog(page: Page): Promise<void> {
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.locator('dialog[open]').waitFor();
}

/** Links in each state that a recipient may find: to be opened, open, with a code, after a wrong code, over, and asked for again. */
async function expectLinksUsable(page: Page, portal: Portal): Promise<void> {
  const form = { locale: 'en-US', expirationPeriod: 'AfterOneDay', recipients: [{ emailAddress: 'states@supplier.example' }] };
  const documents = await page.locator('#document-list input[name=id]').evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));
  const sharedItems = documents.slice(0, 2).map((documentId) => ({ containerType: 'Folder', containerId: '-', documentId }));
  const share = async (extra: object): Promise<string> => {
    const subject = `States ${crypto.randomUUID()}`;
    const answer = await page.request.post('/api/storage/v2/sharing/share', { data: { ...form, overrides: { subject }, sharedItems, ...extra }, headers: { Origin: portal.origin } });
    expect(answer.status()).toBe(200);
    return (await linkInMailbox(page, subject)).link;
  };
  const plain = await share({});
  const coded = await share({ authorizationCode: 'croissant-41' });
  await page.goto(plain);
  await expectUsable(page, 'a link');
  await page.getByRole('button', { name: /Open the document/ }).click();
  await expectUsable(page, 'a link, open');
  await page.goto(coded);
  await expectUsable(page, 'a link with a code');
  await page.getByLabel('Authorization code').fill('not-this-one');
  await page.getByRole('button', { name: /Open the document/ }).click();
  await expectUsable(page, 'a link after a wrong code');
  await portal.sql('update shares set expires_at = 1');
  await page.goto(coded);
  await expectUsable(page, 'a link that is over');
  await page.getByRole('button', { name: 'Ask for a new link' }).click();
  await expect(page.getByRole('status').last()).toContainText('We have asked Ana Souza');
  await expectUsable(page, 'a link asked for again');
  await page.goto('mailbox/');
  await page.getByRole('main').getByRole('listitem').getByRole('link').first().click();
  await page.locator('.text').waitFor();
  await expectUsable(page, 'a mail');
}

for (const width of [320, 768, 1280]) {
  test(`every page and state can be used by everyone at ${width} px`, async ({ page, portal }) => {
    test.setTimeout(120_000);
    await page.setViewportSize({ width, height: 800 });
    await page.goto('auth');
    await expectUsable(page, 'sign in');
    await page.goto('auth/logout');
    await expectUsable(page, 'signed out');
    await page.goto('');
    await signIn(page, PEOPLE.ana);
    for (const [name, path, prepare] of WALK) {
      await page.goto(path);
      await page.evaluate(() => sessionStorage.clear());
      await page.reload();
      await prepare?.(page);
      await expectUsable(page, name);
    }
    await page.goto('documents');
    await expectLinksUsable(page, portal);
    await page.goto(`${portal.origin}/api/docs`);
    await expectUsable(page, 'the calls');
    await page.context().clearCookies();
    await page.goto('auth');
    await signIn(page, PEOPLE.eleanor);
    for (const [name, path, prepare] of STAFF_WALK) {
      await page.goto(path);
      await prepare?.(page);
      await expectUsable(page, name);
    }
  });
}

async function expectUsable(page: Page, name: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
  expect(violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, `${name} does not scroll sideways`).toBeLessThanOrEqual(0);
}
