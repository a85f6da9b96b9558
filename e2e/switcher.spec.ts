import type { Locator, Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import type { Portal } from './support/portal.ts';
import { PEOPLE, SIZES, enter, expect, test } from './support/test.ts';

const bar = (page: Page): Locator => page.locator('.client-bar');
const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Select a company' });
const sizeOf = ({ width }: { width: number }): string => `at ${width} px`;

async function openAs(page: Page, email: string): Promise<void> {
  await enter(page, email);
  await page.waitForURL(/\/documents/);
}

/** Opens the dialog with all clients, from the list that the button opens. */
async function openAll(page: Page): Promise<void> {
  await bar(page).getByRole('button', { name: 'Switch company' }).click();
  await bar(page).getByRole('button', { name: 'All companies' }).click();
}

/** Marks documents of companies as unread by a contact, who may have read them in other journeys. */
const markUnread = (portal: Portal, contact: string, companies: string): Promise<unknown> =>
  portal.sql(
    `delete from document_reads
     where contact_id in (select contact_id from contacts where full_name = '${contact}')
     and document_id in (select document_id from documents join clients using (client_id)
                         where clients.name like '${companies}')`,
  );

/** Presses a key until the wanted element has the focus. */
async function pressUntilFocused(page: Page, key: string, wanted: Locator): Promise<void> {
  for (let step = 0; step < 40; step += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(wanted).toBeFocused();
}

for (const viewport of SIZES) {
  test.describe(sizeOf(viewport), () => {
    test.use({ viewport });

    test('people with a single client or account see no switcher', async ({ page, browser, baseURL }) => {
      await openAs(page, PEOPLE.olivia);
      await expect(bar(page)).toContainText('Juniper Street Bakery LLC');
      await expect(bar(page).locator('summary, button, a')).toHaveCount(0);
      const other = await (await browser.newContext({ viewport, baseURL: String(baseURL) })).newPage();
      await openAs(other, PEOPLE.nora);
      await expect(bar(other)).toHaveCount(0);
      for (const place of ['documents', 'documents/send', 'clients']) {
        await other.goto(place);
        await expect(other.getByRole('heading', { level: 1 })).toHaveText(
          'No company is linked to your account yet',
        );
      }
      await other.context().close();
    });

    test('someone with four clients picks another from a dropdown that shows unread counts, and the choice is kept', async ({
      page,
      portal,
    }) => {
      await markUnread(portal, 'Ana Souza', 'Embalagens%');
      await openAs(page, PEOPLE.ana);
      const summary = bar(page).locator('summary');
      await expect(summary).toContainText('Ana Souza');
      await summary.click();
      const others = bar(page).getByRole('listitem').getByRole('button');
      await expect(others).toHaveCount(3);
      await expect(others.filter({ hasText: 'Embalagens' })).toContainText(/\d+ unread documents/);
      await page.screenshot({ path: test.info().outputPath(`few-${viewport.width}.png`) });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      await others.filter({ hasText: 'Padaria Sol Nascente' }).click();
      await expect(page).toHaveURL(/\/documents$/);
      await expect(summary).toContainText('Padaria Sol Nascente');
      await expect(page.getByRole('row', { name: /Folha de pagamento/ })).toBeVisible();
      await page.goto('');
      await expect(summary).toContainText('Padaria Sol Nascente');
      await expect
        .poll(() => page.evaluate(() => localStorage.getItem('ccActiveClient')))
        .toMatch(/^client_/);
    });

    test('someone with forty clients searches and selects one in a dialog', async ({ page, portal }) => {
      await markUnread(portal, 'Marcus Reed', '% Bakery LLC');
      await openAs(page, PEOPLE.marcus);
      await openAll(page);
      const dialog = dialogOf(page);
      const choices = dialog.getByRole('radio');
      await expect(choices).toHaveCount(25);
      await expect(dialog.getByText('1–25 of 40')).toBeVisible();
      await expect(dialog.getByRole('radio', { name: 'Ashland Bakery LLC' })).toBeChecked();
      await expect(dialog.getByRole('searchbox')).toHaveAttribute('placeholder', 'Search');
      await page.screenshot({ path: test.info().outputPath(`many-${viewport.width}.png`) });
      await dialog.getByRole('button', { name: 'Next' }).click();
      await expect(dialog.getByText('26–40 of 40')).toBeVisible();
      await expect(dialog.getByRole('button', { name: 'Next' })).toBeDisabled();
      await expect(dialog.getByRole('button', { name: 'Select', exact: true })).toBeDisabled();
      await dialog.getByRole('searchbox').fill('marina');
      await expect(dialog.getByText('1–4 of 4')).toBeVisible();
      await dialog.getByRole('searchbox').fill('zzzz');
      await expect(dialog.getByText('No companies match your search.')).toBeVisible();
      await dialog.getByRole('searchbox').fill('bakery');
      await dialog.getByText('Carson Bakery LLC').click();
      await expect(dialog.getByText('1 unread document').first()).toBeVisible();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await expect(bar(page)).toContainText('Ashland Bakery LLC');
      await openAll(page);
      await expect(dialog.getByRole('searchbox')).toHaveValue('');
      await dialog.getByText('Ashland Garden LLC').click();
      await dialog.getByRole('button', { name: 'Select', exact: true }).click();
      await expect(bar(page)).toContainText('Ashland Garden LLC');
      await expect(page).toHaveURL(/\/documents$/);
    });
  });
}

for (const viewport of SIZES)
  test(`the client in the bar opens a list that starts with what waits and is searched, ${sizeOf(viewport)}`, async ({
    browser,
    baseURL,
  }) => {
    const context = await browser.newContext({
      viewport,
      baseURL: String(baseURL),
      hasTouch: viewport.width < 600,
    });
    const page = await context.newPage();
    await openAs(page, PEOPLE.marcus);
    const open = bar(page).locator('summary');
    await open.click();
    const options = bar(page).getByRole('option');
    await expect(options).toHaveCount(8);
    await expect(options.first()).toContainText('1 unread document');
    await expect(options.filter({ hasText: 'Ashland Bakery LLC' }), 'the active one').toHaveCount(0);
    const search = bar(page).getByRole('combobox', { name: 'Search' });
    await page.screenshot({ path: test.info().outputPath(`list-${viewport.width}.png`) });
    const all = (await bar(page).getByRole('button', { name: 'All companies' }).boundingBox()) ?? {
      y: 0,
      height: 0,
    };
    const below = await page.locator('.upload-ways').boundingBox();
    const end = viewport.width < 600 ? (below?.y ?? 0) : viewport.height;
    expect(all.y + all.height, 'above the bar with the upload').toBeLessThanOrEqual(end);
    const initials = await bar(page).locator('.initials').boundingBox();
    expect(initials?.x, 'in one line with the page').toBe((await page.locator('h1').boundingBox())?.x);
    // on a wide screen the list covers parts of what is below it
    if (viewport.width < 600) await expectUsable(page, 'the list of clients', [viewport.width]);
    await search.fill('zzzz');
    await expect(bar(page).getByRole('status')).toHaveText('No companies match your search.');
    await search.fill('hotel');
    const hotel = options.filter({ hasText: 'Brighton Hotel LLC' });
    await hotel.click();
    await expect(open).toContainText('Brighton Hotel LLC');
    await expect(page).toHaveURL(/\/documents$/);
    await open.click();
    await bar(page).getByRole('button', { name: 'All companies' }).click();
    await expect(dialogOf(page).getByRole('radio')).toHaveCount(25);
    await expect(options.first()).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(open).toBeFocused();
    await context.close();
  });

test('the list of clients works with the keyboard alone', async ({ page }) => {
  await openAs(page, PEOPLE.marcus);
  const open = bar(page).locator('summary');
  await pressUntilFocused(page, 'Tab', open);
  await page.keyboard.press('Enter');
  const search = bar(page).getByRole('combobox');
  await expect(search).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(open).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('carson');
  const active = bar(page).getByRole('option', { selected: true });
  await expect(active).toContainText('Carson Bakery LLC');
  await expect(search).toHaveAttribute('aria-activedescendant', (await active.getAttribute('id')) ?? '');
  await page.keyboard.press('ArrowDown');
  await expect(active).toContainText('Carson Dental LLC');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(active, 'the last one after the first').not.toContainText(/Bakery|Dental/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(open).toContainText('Carson Bakery LLC');
});

test('when the list of clients cannot be loaded, it says so and can try again', async ({ page }) => {
  await openAs(page, PEOPLE.marcus);
  const calls = /\/api\/client-center\/v1\/clients\//;
  await page.route(calls, (route) => route.fulfill({ status: 404, json: { errors: [] } }));
  await bar(page).locator('summary').click();
  await expect(bar(page).getByRole('alert')).toContainText('We couldn’t load your companies.');
  await page.unroute(calls);
  await bar(page).getByRole('button', { name: 'Try again' }).click();
  await expect(bar(page).getByRole('option')).toHaveCount(8);
});

test('staff switch between all clients of their firm, and no others', async ({ page }) => {
  await openAs(page, 'hart@maplehart.example');
  await openAll(page);
  await dialogOf(page).getByRole('searchbox').fill('cho');
  await expect(dialogOf(page).getByText('1–1 of 1')).toBeVisible();
  await dialogOf(page).getByText('Cho Imports Inc').click();
  await dialogOf(page).getByRole('button', { name: 'Select', exact: true }).click();
  await expect(bar(page)).toContainText('Cho Imports Inc');
});

test('typing in the client search sends one request after a pause, not one per letter', async ({ page }) => {
  const searches: string[] = [];
  page.on(
    'request',
    (request) => void (request.url().includes('searchTerm=') && searches.push(request.url())),
  );
  await page.clock.install();
  await openAs(page, PEOPLE.marcus);
  await openAll(page);
  await expect(dialogOf(page).getByText('1–25 of 40')).toBeVisible();
  searches.length = 0;
  // with the clock paused no time passes between two letters, however slow the machine is
  await page.clock.pauseAt(Date.now() + 5000);
  await dialogOf(page).getByRole('searchbox').pressSequentially('dover win');
  await page.clock.runFor(200);
  await expect(dialogOf(page).getByText('1–1 of 1')).toBeVisible();
  expect(searches.map((url) => new URL(url).searchParams.get('searchTerm'))).toEqual(['dover win']);
});

test('the client dialog and the client list work with the keyboard alone', async ({
  page,
  browser,
  baseURL,
}) => {
  await openAs(page, PEOPLE.marcus);
  const open = bar(page).getByRole('button', { name: 'Switch company' });
  const all = bar(page).getByRole('button', { name: 'All companies' });
  await pressUntilFocused(page, 'Tab', open);
  await page.keyboard.press('Enter');
  await expect(bar(page).getByRole('combobox')).toBeFocused();
  await pressUntilFocused(page, 'Tab', all);
  await page.keyboard.press('Enter');
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('searchbox')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(bar(page).locator('summary')).toBeFocused();
  await pressUntilFocused(page, 'Tab', open);
  await page.keyboard.press('Enter');
  await pressUntilFocused(page, 'Tab', all);
  await page.keyboard.press('Enter');
  await page.keyboard.type('carson');
  await expect(dialog.getByText('1–10 of 10')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('radio', { name: 'Carson Bakery LLC' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('radio', { name: 'Carson Dental LLC' })).toBeChecked();
  await page.keyboard.press('Enter');
  await expect(bar(page)).toContainText('Carson Dental LLC');

  const other = await (await browser.newContext({ baseURL: String(baseURL) })).newPage();
  await openAs(other, PEOPLE.ana);
  await pressUntilFocused(other, 'Tab', bar(other).locator('summary'));
  await other.keyboard.press('Enter');
  await pressUntilFocused(other, 'Tab', bar(other).getByRole('button', { name: 'Embalagens' }));
  await other.keyboard.press('Escape');
  await expect(bar(other).locator('summary')).toBeFocused();
  await other.keyboard.press('Enter');
  await pressUntilFocused(other, 'Tab', bar(other).getByRole('button', { name: 'Embalagens' }));
  await other.keyboard.press('Enter');
  await expect(bar(other).locator('summary')).toContainText('Embalagens');
  await other.context().close();
});

test('when loading the clients fails, the dialog says so and can try again', async ({ page }) => {
  await openAs(page, PEOPLE.marcus);
  const calls = /\/api\/client-center\/v1\/clients\//;
  await page.route(calls, (route) => route.fulfill({ status: 404, json: { errors: [] } }));
  await openAll(page);
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('alert')).toContainText('We couldn’t load your companies.');
  await page.unroute(calls);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(dialog.getByText('1–25 of 40')).toBeVisible();
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await page.route(calls, (route) => route.fulfill({ status: 404, json: { errors: [] } }));
  await dialog.getByRole('searchbox').fill('dover');
  await expect(dialog.getByRole('alert')).toContainText('We couldn’t search your companies.');
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('clients are switched with plain forms without scripts', async ({ page, browser, baseURL }) => {
    await openAs(page, PEOPLE.ana);
    await bar(page).locator('summary').click();
    await bar(page).getByRole('button', { name: 'Café da Serra' }).click();
    await expect(page).toHaveURL(/\/documents$/);
    await expect(bar(page).locator('summary')).toContainText('Café da Serra');

    const other = await (
      await browser.newContext({ javaScriptEnabled: false, baseURL: String(baseURL) })
    ).newPage();
    await openAs(other, PEOPLE.marcus);
    await bar(other).getByRole('button', { name: 'Switch company' }).click();
    await other.getByRole('searchbox').fill('hotel');
    await other.getByRole('button', { name: 'Search' }).click();
    await expect(other.getByRole('button', { name: 'Brighton Hotel LLC' })).toBeVisible();
    await other.goto('documents');
    await bar(other).locator('summary').click();
    await bar(other).getByRole('combobox').fill('brighton');
    await bar(other).getByRole('combobox').press('Enter');
    await expect(other.getByRole('searchbox')).toHaveValue('brighton');
    await other.getByRole('button', { name: 'Brighton Hotel LLC' }).click();
    await expect(other).toHaveURL(/\/documents$/);
    await expect(bar(other)).toContainText('Brighton Hotel LLC');
    await other.context().close();
  });
});

for (const javaScriptEnabled of [true, false]) {
  test(`two tabs show two clients ${javaScriptEnabled ? 'with' : 'without'} scripts, wherever their links and forms lead`, async ({
    browser,
    portal,
    baseURL,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled, baseURL: String(baseURL) });
    const [one, two] = [await context.newPage(), await context.newPage()];
    await openAs(one, PEOPLE.ana);
    const clients = (await portal.sql(`select client_id from clients where name = 'Café da Serra ME'`)).map(
      (row) => String(row['client_id']),
    );
    await two.goto(`documents?client=${clients[0]}`);
    const pinned = new RegExp(`client=${clients[0]}`);
    await expect(bar(two)).toContainText('Café da Serra ME');
    await two.getByRole('banner').getByRole('link').first().click();
    await expect(two).toHaveURL(/home\?client=/);
    await expect(two).toHaveURL(pinned);
    await two
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'Documents' })
      .click();
    await expect(two).toHaveURL(/documents\?client=/);
    await expect(two).toHaveURL(pinned);
    await two.getByRole('link', { name: 'Size' }).click();
    await expect(two).toHaveURL(/orderBy=originalItemSize/);
    await expect(two).toHaveURL(pinned);
    await expect(bar(two)).toContainText('Café da Serra ME');
    if (!javaScriptEnabled) {
      await two.locator('#document-list input[name=id]').first().check();
      await two.getByRole('button', { name: 'Share', exact: true }).click();
      await expect(two).toHaveURL(pinned);
      await expect(bar(two)).toContainText('Café da Serra ME');
    }

    await one.reload();
    await expect(bar(one)).toContainText('Ana Souza');
    if (javaScriptEnabled)
      await expect
        .poll(() => one.evaluate(() => localStorage.getItem('ccActiveClient')))
        .not.toBe(clients[0]);

    await two.goto(`documents?client=${clients[0]}`);
    await bar(two).locator('summary').click();
    await bar(two).getByRole('button', { name: 'Embalagens' }).click();
    await expect(two).toHaveURL(/documents\?client=client_/);
    await expect(bar(two)).toContainText('Embalagens');
    await context.close();
  });
}

test("a client's nickname can be edited where the firm allows it, and appears wherever the client does", async ({
  page,
  portal,
}) => {
  await openAs(page, PEOPLE.ana);
  await page.goto('clients');
  await expect(page.getByRole('textbox', { name: 'Nickname' })).toHaveCount(0);
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) select company_id, contact_id, 'control', 'ShowClientNickname', 1 from contacts where full_name = 'Ana Souza'`,
  );
  await page.reload();
  await page.getByRole('textbox', { name: 'Nickname' }).fill('x'.repeat(61));
  await page.getByRole('button', { name: 'Save nickname' }).click();
  await expect(page.getByRole('alert')).toContainText('Use 60 characters or fewer, on one line.');
  await expect(page.getByRole('textbox', { name: 'Nickname' })).toHaveValue('x'.repeat(61));
  await page.getByRole('textbox', { name: 'Nickname' }).fill('My own <b>');
  await page.getByRole('button', { name: 'Save nickname' }).click();
  await expect(page.getByRole('status').first()).toContainText('Nickname of Ana Souza saved.');
  await expect(bar(page).locator('summary')).toContainText('My own <b>');
  await page.getByRole('main').getByRole('button', { name: 'Café da Serra' }).click();
  await bar(page).locator('summary').click();
  await expect(bar(page).getByRole('button', { name: 'Ana Souza' })).toContainText('My own <b>');
  await portal.sql(`delete from access_settings where name = 'ShowClientNickname'`);
});
