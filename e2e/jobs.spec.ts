import type { Browser, Locator, Page } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import type { Portal } from './support/portal.ts';
import { idOfClient, linkInMailbox, pdf, sendUploadNotices } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * The eight things that people do most, on a phone: how many taps they take and how much is typed, without scrolling.
 * Seconds depend on the machine: the model of a person (keystroke-level model) is printed beside what the portal took.
 */

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true };
const SECONDS = { tap: 0.5, character: 0.3, think: 1.2 };
const JUNIPER = 'Juniper Street Bakery LLC';

test.use(PHONE);

/** Counts what a person does. Fails if something is not on the screen when it is tapped. */
class TapCounter {
  taps = 0;
  typed = 0;
  readonly page: Page;
  readonly job: string;
  readonly #started = Date.now();

  constructor(page: Page, job: string) {
    this.page = page;
    this.job = job;
  }

  async tap(target: Locator): Promise<void> {
    await this.sees(target);
    await target.tap();
    this.taps += 1;
  }

  /** Types into the field that has the focus. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.typed += text.length;
  }

  async sees(target: Locator): Promise<void> {
    await expect(target, `${this.job}: no scrolling`).toBeInViewport({ ratio: 0.9 });
  }

  expectAtMost(taps: number, typed: number): void {
    const seconds = this.taps * (SECONDS.tap + SECONDS.think) + this.typed * SECONDS.character;
    const portal = (Date.now() - this.#started) / 1000;
    console.log(
      `${this.job}: ${this.taps} taps, ${this.typed} characters, ${seconds.toFixed(1)} s of a person, ${portal.toFixed(1)} s here`,
    );
    expect(this.taps, `taps to ${this.job}`).toBeLessThanOrEqual(taps);
    expect(this.typed, `characters to ${this.job}`).toBeLessThanOrEqual(typed);
  }
}

const row = (page: Page, name: string): Locator =>
  page.locator('#document-list tbody tr').filter({ hasText: name });

const clientId = (portal: Portal): Promise<string> => idOfClient(portal, JUNIPER);

/** Publishes a document as the firm. */
async function publish(browser: Browser, portal: Portal, name: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: `${portal.origin}/clientcenter/en-us/` });
  const page = await context.newPage();
  await enter(page, PEOPLE.eleanor, `documents?client=${await clientId(portal)}`);
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name, mimeType: 'application/pdf', buffer: pdf(name) });
  await expect(page.getByText(`${name} uploaded.`)).toBeVisible();
  await sendUploadNotices(portal);
  return page;
}

test('from a mail to the document that it is about: four taps, and nothing but the sign-in is typed', async ({
  page,
  browser,
  portal,
}) => {
  const staff = await publish(browser, portal, 'Voucher of the fourth quarter.pdf');
  const { link } = await linkInMailbox(staff, 'Voucher of the fourth quarter', 1, PEOPLE.olivia);
  const person = new TapCounter(page, 'open what a mail is about');
  await page.goto(link);
  person.taps += 1; // the button of the mail
  await person.tap(page.getByLabel('Email address'));
  await person.type(PEOPLE.olivia);
  await person.tap(page.getByLabel('Password'));
  await person.type(DEMO_PASSWORD);
  await person.tap(page.getByRole('button', { name: 'Sign in', exact: true }));
  await person.sees(page.getByRole('region', { name: 'Page 1 of' }).getByRole('img'));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Voucher');
  person.expectAtMost(4, PEOPLE.olivia.length + DEMO_PASSWORD.length);
  await staff.context().close();
});

test('three photos are uploaded from the page where one lands: one tap, and those of the phone’s own chooser', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia, '');
  const person = new TapCounter(page, 'upload three photos');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    person.tap(page.locator('.upload-choose').first()),
  ]);
  const photos = ['oven', 'flour', 'van'].map((name) => ({
    name: `${name} ${crypto.randomUUID().slice(0, 8)}.pdf`,
    mimeType: 'application/pdf',
    buffer: pdf(name),
  }));
  await chooser.setFiles(photos);
  person.taps += 4; // three photos, and "Add"
  await person.sees(page.getByText('3 documents uploaded.'));
  person.expectAtMost(5, 0);
});

test('a document of last year is found with three taps: the years are a menu, so that all filters fit', async ({
  page,
  portal,
}) => {
  const letter = "name like 'Engagement letter%'";
  const [before] = await portal.sql(`select created_at from documents where ${letter}`);
  await portal.sql(`update documents set created_at = ${Date.parse('2025-12-30T12:00:00Z')} where ${letter}`);
  await enter(page, PEOPLE.olivia, 'documents');
  const person = new TapCounter(page, 'find a document of last year');
  const filters = page.getByRole('navigation', { name: 'Filters' });
  await person.tap(filters.getByRole('button', { name: 'Year', exact: true }));
  await person.tap(page.getByRole('list', { name: 'Year' }).getByRole('link', { name: '2025', exact: true }));
  await person.tap(row(page, 'Engagement letter').getByRole('link').first());
  await page.waitForURL(/\/view/);
  person.expectAtMost(3, 0);
  await portal.sql(`update documents set created_at = ${Number(before?.['created_at'])} where ${letter}`);
});

test('a document is shared with the bank by four taps and its address', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'documents');
  const person = new TapCounter(page, 'share a document');
  const to = 'bank@bank.example';
  await person.tap(page.locator('#document-list tbody label.pick').first());
  await person.tap(page.getByRole('button', { name: 'Share', exact: true }));
  const dialog = page.getByRole('dialog');
  await person.tap(dialog.getByLabel('To', { exact: true }));
  await person.type(to);
  await person.tap(dialog.getByRole('button', { name: 'Share', exact: true }));
  await person.sees(dialog.getByRole('heading', { name: `Shared with ${to}` }));
  person.expectAtMost(4, to.length);
});

test('a sender learns without a tap that the bank opened a link', async ({ page, browser, portal }) => {
  await enter(page, PEOPLE.olivia, 'documents');
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('To', { exact: true }).fill('loans@bank.example');
  await dialog.getByLabel('Subject').fill('For the loan');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: 'Shared with loans@bank.example' })).toBeVisible();
  const { link } = await linkInMailbox(page, 'For the loan');
  const bank = await browser.newContext();
  const recipient = await bank.newPage();
  await recipient.goto(link);
  await recipient.getByRole('button', { name: /View document/ }).click();
  await recipient
    .getByRole('link', { name: /Download/ })
    .first()
    .waitFor();
  await bank.close();
  const person = new TapCounter(page, 'see whether a link was opened');
  await page.goto(`${portal.origin}/clientcenter/en-us/`);
  await person.sees(page.locator('.alerts .alert').filter({ hasText: 'loans@bank.example' }));
  person.expectAtMost(0, 0);
});

test('of forty companies one with something new is chosen with two taps, and any with two and a few letters', async ({
  page,
}) => {
  await enter(page, PEOPLE.marcus, 'documents');
  const person = new TapCounter(page, 'switch to another client');
  const bar = page.locator('.client-bar');
  await person.tap(bar.locator('summary').first());
  await expect(bar.getByRole('option')).toHaveCount(8);
  await person.tap(bar.getByRole('option').filter({ hasText: 'Dover Bakery LLC' }));
  await expect(bar.locator('summary').first()).toContainText('Dover Bakery LLC');
  person.expectAtMost(2, 0);
  const again = new TapCounter(page, 'switch to any client');
  await again.tap(bar.getByRole('button', { name: 'Switch company' }));
  await expect(bar.getByRole('combobox', { name: 'Search' }), 'ready to type').toBeFocused();
  await again.type('hote');
  await again.tap(bar.getByRole('option').filter({ hasText: 'Brighton Hotel LLC' }));
  await expect(bar.locator('summary').first()).toContainText('Brighton Hotel LLC');
  again.expectAtMost(2, 4);
});

test('a deletion is undone with one tap', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'documents?by=client');
  const name = `Manual of the oven ${crypto.randomUUID().slice(0, 8)}.pdf`;
  await page
    .locator('input[name="file[]"]')
    .setInputFiles({ name, mimeType: 'application/pdf', buffer: pdf(name) });
  await expect(page.getByText(`${name} uploaded.`)).toBeVisible();
  await page.goto('documents');
  await row(page, name).locator('input[name=id]').check();
  await page.locator('[data-tool=delete]').click();
  await page.getByRole('button', { name: /^Delete 1 document/ }).click();
  const person = new TapCounter(page, 'undo a deletion');
  await person.tap(page.getByRole('button', { name: 'Undo' }));
  await expect(row(page, name)).toBeVisible();
  person.expectAtMost(1, 0);
});

test('staff see from the list of people what its contact sees with two taps and a reason', async ({
  page,
}) => {
  await enter(page, PEOPLE.eleanor, `staff/people?searchTerm=${PEOPLE.olivia}`);
  const person = new TapCounter(page, 'see what a client sees');
  await person.tap(page.getByRole('button', { name: 'Actions for Olivia Bennett' }));
  await person.tap(page.getByRole('link', { name: 'View as client' }));
  await person.tap(page.getByRole('button', { name: 'The client asked for help' }));
  await expect(page.getByText('Viewing as Olivia Bennett', { exact: true })).toBeVisible();
  await person.sees(page.getByRole('heading', { level: 1, name: 'Hello Olivia' }));
  person.expectAtMost(3, 0);
});
