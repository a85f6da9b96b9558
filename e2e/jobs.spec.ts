import type { Browser, Locator, Page } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { sentToSign } from './support/form-acts.ts';
import type { Portal } from './support/portal.ts';
import { idOfClient, linkInMailbox, pdf, sendUploadNotices } from './support/steps.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * The things that people do most: how many taps they take and how much is typed. Clients have a phone and do not scroll;
 * the firm has a wide screen, where scrolling is no tap.
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

  /** Scrolls to something, and taps it. */
  async reach(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    await this.tap(target);
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

test('a document of two pages is signed from its mail with five taps, the first time and with a password manager', async ({
  page,
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const staff = await context.newPage();
  const title = 'Engagement letter for the next year';
  await sentToSign(staff, title);
  await enter(staff, PEOPLE.eleanor, '');
  const { link } = await linkInMailbox(staff, title, 1, PEOPLE.olivia);
  await context.close();
  const person = new TapCounter(page, 'sign a document');
  await page.goto(link);
  person.taps += 1; // the button of the mail
  await page.getByLabel('Email address').fill(PEOPLE.olivia);
  await page.getByLabel('Password').fill(DEMO_PASSWORD);
  await person.reach(page.getByRole('button', { name: 'Sign in', exact: true }));
  await person.reach(page.getByLabel(/I agree to sign/));
  await person.reach(page.getByRole('button', { name: 'Agree and continue' }));
  await expect(page.getByRole('heading', { name: 'Page 2 of 2' })).toBeVisible();
  await person.reach(page.getByRole('button', { name: 'Sign', exact: true }));
  await expect(page.getByText(/^You signed/)).toBeVisible();
  person.expectAtMost(5, 0);
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

test.describe('at a desk', () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test('the firm finds a client from any page with one tap and some letters', async ({ page }) => {
    await enter(page, PEOPLE.eleanor, 'staff/settings');
    const person = new TapCounter(page, 'find a client');
    await person.type('/');
    await expect(page.getByRole('combobox', { name: /^Search clients/ })).toBeFocused();
    await person.type('juniper');
    await person.tap(page.getByRole('option', { name: /Juniper Street Bakery LLC/ }).first());
    await expect(page.getByRole('heading', { level: 1, name: JUNIPER })).toBeVisible();
    person.expectAtMost(1, 8);
  });

  test('all clients with a tag are asked with five taps, a title and what is needed', async ({ page }) => {
    await enter(page, PEOPLE.eleanor, 'staff/clients?tag=Reed+Holdings');
    const person = new TapCounter(page, 'ask all clients with a tag');
    await person.tap(page.getByRole('checkbox', { name: 'Select all' }));
    await person.tap(page.getByRole('button', { name: 'Ask for' }));
    await page.waitForURL(/for=many/);
    const starters = page.getByLabel('What do you need?');
    const [starter] = await starters.locator('option:nth-child(2)').all();
    await starters.selectOption((await starter?.getAttribute('value')) ?? '');
    person.taps += 1;
    await person.reach(page.getByRole('button', { name: 'Review', exact: true }));
    await person.reach(page.getByRole('button', { name: /^Create \d+ tasks$/ }));
    person.expectAtMost(5, 0);
  });

  test('all that is overdue is reminded of with two taps from its view', async ({ page }) => {
    await enter(page, PEOPLE.eleanor, 'staff/tasks?view=overdue');
    const person = new TapCounter(page, 'remind of all that is overdue');
    await person.tap(page.getByRole('button', { name: /^Remind all/ }));
    await person.reach(page.getByRole('button', { name: 'Send reminders' }));
    person.expectAtMost(2, 0);
  });

  test('thirty payslips are published with three taps: the batch is named and matched by itself', async ({
    page,
    portal,
  }) => {
    const clients = await portal.sql(
      "select code from clients where code like 'RH-%' order by code limit 30",
    );
    await enter(page, PEOPLE.eleanor, 'staff/publish');
    const person = new TapCounter(page, 'publish thirty payslips');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      person.reach(page.getByLabel('Files for many clients')),
    ]);
    await chooser.setFiles(
      clients.map(({ code }) => ({
        name: `${code} payslip May.pdf`,
        mimeType: 'application/pdf',
        buffer: pdf(`Payslip of ${code}`),
      })),
    );
    await person.reach(page.getByRole('button', { name: 'Add files' }));
    await expect(page.getByRole('heading', { level: 1, name: 'payslip May' })).toBeVisible();
    await person.tap(page.getByRole('button', { name: 'Publish 30 files' }));
    await expect(page.getByText(/^Publish(?:ed|ing)/).first()).toBeVisible();
    person.expectAtMost(3, 0);
  });

  test('a client is chosen by name in a form: listed while one types, as a chip where there may be several', async ({
    page,
  }) => {
    await enter(page, PEOPLE.eleanor, 'staff/tasks/payment');
    const search = page.getByRole('combobox', { name: 'Client name or number' });
    await page.getByLabel('Client name or number').click();
    await search.pressSequentially('juniper');
    await expect(page.getByRole('option', { name: /Juniper/ })).toBeVisible();
    await search.press('ArrowDown');
    await search.press('Enter');
    await expect(page.getByText(`For ${JUNIPER}`)).toBeVisible();

    await page.goto('staff/tasks/new?for=many');
    const many = page.getByRole('combobox', { name: 'Client numbers' });
    await many.pressSequentially('ashland');
    await page
      .getByRole('option', { name: /Ashland Bakery LLC/ })
      .first()
      .click();
    await expect(many).toBeFocused();
    await expect(many).toHaveValue('');
    await expect(page.locator('[name=numbers]')).toHaveValue('RH-ABA');
    // late results for a number that was already taken do not reopen the list
    let answer = (): void => undefined;
    const isTaken = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/partials\/search/, async (route) => {
      await isTaken;
      await route.continue().catch(() => undefined); // nobody waits for it any more
    });
    const asked = page.waitForRequest(/partials\/search/);
    await many.pressSequentially('JB-1042 ');
    await asked;
    await many.press('Enter');
    await expect(page.locator('[name=numbers]')).toHaveValue('RH-ABA JB-1042');
    answer();
    await page.unrouteAll({ behavior: 'wait' });
    await expect(page.getByRole('listbox', { name: 'Client numbers' })).toBeHidden();
    await page.getByRole('button', { name: 'Remove Ashland Bakery LLC' }).click();
    await expect(page.locator('[name=numbers]')).toHaveValue('JB-1042');
    await many.press('Backspace');
    await expect(page.locator('[name=numbers]')).toHaveValue('');
  });

  test('files and a message go to the clients that are selected in their list', async ({ page }) => {
    await enter(page, PEOPLE.eleanor, 'staff/clients?searchTerm=Ashland');
    const select = async (): Promise<void> => {
      await page.getByRole('checkbox', { name: 'Select Ashland Bakery LLC' }).check();
      await expect(page.locator('.grid-scroller')).toBeVisible(); // the island has taken over
      await page.getByRole('checkbox', { name: 'Select Ashland Dental LLC' }).check();
    };
    await select();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByText('Ashland Bakery LLC, Ashland Dental LLC')).toBeVisible();
    await page
      .locator('input[name=files]')
      .setInputFiles({ name: 'Office move.pdf', mimeType: 'application/pdf', buffer: pdf('Office move') });
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Publish 2 files' })).toBeVisible();

    await page.goto('staff/clients?searchTerm=Ashland');
    await select();
    await page.getByRole('button', { name: 'Write a message' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'New message' })).toBeVisible();
    await page.getByLabel('Title').fill('We are moving');
    await page.getByLabel('Text').fill('From May we are at Maple Street 7.');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await expect(page.getByText(/2 clients/).first()).toBeVisible();
  });
});
