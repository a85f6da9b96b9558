import { DAY, HOUR } from '#platform/runtime/clock.server.ts';
import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { startPortal, type Portal } from './support/portal.ts';
import { HOSTILE, PEOPLE, expect, signIn, test } from './support/test.ts';

/* The branding of a firm and the frame of every page (threat-model.md T69, T21; A1, A13). */

test.use({ baseURL: '' });

const STAFF = 'hart@maplehart.example';
let portal: Portal;
let base: string;

test.beforeAll(async () => {
  portal = await startPortal({
    LOGOUT_HOSTS: '127.0.0.1:9',
    PRIVACY_URL: 'https://privacy.example/{language}/',
  });
  base = `${portal.origin}/clientcenter/en-us/`;
  await portal.sql(`update themes set announcement = 'Closed on Friday'`);
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) select company_id, '', 'control', 'DisplayCOVIDAlert', 1 from firms where name = 'Maple & Hart CPAs'`,
  );
});
test.afterAll(() => portal.stop());

async function enter(page: Page, email: string): Promise<void> {
  await page.goto(`${base}documents`);
  await signIn(page, email);
  await page.waitForURL(/\/documents$/);
}

const headerOf = (page: Page): Promise<{ fill: string; ink: string }> =>
  page.locator('.header').evaluate((header) => ({
    fill: getComputedStyle(header).backgroundColor,
    ink: getComputedStyle(header).color,
  }));

test('staff preview new colors before saving them, and return to the standard theme', async ({ page }) => {
  await enter(page, STAFF);
  await page.goto(`${base}staff/theme`);
  await expectUsable(page, 'the theme settings');
  const before = await headerOf(page);
  await page.getByRole('group', { name: 'Header' }).getByLabel('Background').fill('#ffff00');
  await page.getByRole('group', { name: 'Header' }).getByLabel('Text').fill('#ffffff');
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByText('This is a preview.')).toBeVisible();
  await expect(page.getByText('We’ll use #000000 for the text instead.')).toBeVisible();
  expect(await headerOf(page)).toEqual({ fill: 'rgb(255, 255, 0)', ink: 'rgb(0, 0, 0)' });
  await page.goto(`${base}documents`);
  expect(await headerOf(page)).toEqual(before);
  await page.goto(`${base}staff/theme`);
  await page
    .getByLabel('Logo', { exact: false })
    .first()
    .setInputFiles({
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    });
  await page.getByLabel('Header name').fill('Kept as typed');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('Choose a PNG, JPEG or WebP file.');
  await expect(page.getByLabel('Header name')).toHaveValue('Kept as typed');
  await expectUsable(page, 'the theme settings with an error');
  await page.goto(`${base}staff/theme`);
  await page.getByRole('button', { name: 'Reset branding' }).click();
  await expect(page.getByText('Branding reset to default.')).toBeVisible();
  expect((await headerOf(page)).fill).toBe('rgb(0, 53, 101)');
  await expect(page.locator('.header-logo')).toHaveText('Maple & Hart CPAs');
});

test('the branding is shown beside the form while it is edited, and nothing is saved before Save', async ({
  page,
}) => {
  await enter(page, STAFF);
  await page.goto(`${base}staff/theme`);
  const preview = page.getByRole('img', { name: 'Preview of the sign-in page and the header' });
  const header = page.getByRole('group', { name: 'Header' });
  await header.getByLabel('Background').fill('#ffff00');
  await header.getByLabel('Text').fill('#ffffff');
  const strip = preview.locator('.strip').first();
  await expect(strip).toHaveCSS('background-color', 'rgb(255, 255, 0)');
  await expect(strip).toHaveCSS('color', 'rgb(0, 0, 0)');
  await expect(header.getByText('We’ll use #000000 for the text instead.')).toBeVisible();
  await page.getByLabel('Sign-in page text').fill('Open until six.');
  await expect(preview.getByText('Open until six.')).toBeVisible();
  await page.getByLabel('Sign-in page background').selectOption('Stripes');
  await expect(preview.locator('.stripes-ground')).toBeVisible();
  await page.getByLabel('Header name').fill('Maple & Hart, Chicago');
  const removal = page.getByLabel('Remove logo'); // another test resets the branding
  if (await removal.isVisible()) await removal.check();
  await expect(strip).toHaveText('Maple & Hart, Chicago');
  await page.getByLabel('Banner image').setInputFiles({
    name: 'banner.png',
    mimeType: 'image/png',
    buffer: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg+M/wHwAEAQH/7yMK/gAAAABJRU5ErkJggg==',
      'base64',
    ),
  });
  await expect(strip.locator('img')).toHaveAttribute('src', /^data:image\/png/);
  await page.getByLabel('Link to your sign-in page').click();
  await expect(page.getByLabel('Link to your sign-in page')).toHaveValue(/\/auth\?firm=firm_/);
  await page.goto(`${base}staff/theme`);
  await expect(page.getByLabel('Sign-in page text')).not.toHaveValue('Open until six.');
});

test('nothing on the page of the branding moves while it is loaded on a phone', async ({ page }) => {
  await enter(page, STAFF);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`${base}staff/theme`);
  const tops = (): Promise<number[]> =>
    page
      .locator('main :is(h1, form, .preview, .copy)')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  const whole = await tops();
  let part = 0;
  await page.route(`**/staff/theme?part=*`, async (route) => {
    const response = await route.fetch({ url: `${base}staff/theme` });
    const body = await response.text();
    await route.fulfill({ response, body: body.slice(0, Math.round(body.length * part)) });
  });
  for (part = 0.3; part < 1; part += 0.1) {
    await page.goto(`${base}staff/theme?part=${part}`);
    const shown = await tops();
    expect(shown, `of ${part}`).toEqual(whole.slice(0, shown.length));
  }
});

test('the preview of the branding is wide enough and covers nothing, wherever the page is scrolled', async ({
  page,
}) => {
  await enter(page, STAFF);
  for (const width of [768, 960, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 700 });
    await page.goto(`${base}staff/theme`);
    const size = await page.locator('main .preview').boundingBox();
    expect(size?.width, `at ${width} px`).toBeGreaterThanOrEqual(300);
    const covered = await page.evaluate(() => {
      const preview = document.querySelector('main .preview');
      const others = document.querySelectorAll('main :is(h1, p, input, select, textarea, button)');
      const found = new Set<string>();
      for (let top = 0; top < document.documentElement.scrollHeight; top += 50) {
        scrollTo({ top, behavior: 'instant' });
        const box = preview?.getBoundingClientRect();
        for (const other of others) {
          const { left, right, top: start, bottom } = other.getBoundingClientRect();
          if (!box || preview?.contains(other) || right === left) continue;
          if (left < box.right && right > box.left && start < box.bottom && bottom > box.top)
            found.add(other.outerHTML);
        }
      }
      return [...found];
    });
    expect(covered, `at ${width} px`).toEqual([]);
  }
});

test('the worst theme that is accepted runs no script, loads nothing external and stays readable', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  await enter(page, STAFF);
  await page.goto(`${base}staff/theme`);
  for (const name of ['headerFillColor', 'headerTextColor', 'buttonFillColor', 'buttonTextColor'])
    await page.locator(`#theme-${name}`).fill('#ffff00');
  for (const name of ['headerLine1', 'loginPageText', 'announcement'])
    await page.locator(`#theme-${name}`).fill(HOSTILE);
  await page.getByLabel('Sign-in page background').selectOption('stripes');
  // without a logo the header shows its line of text
  for (const box of await page.getByLabel('Remove logo').all()) await box.check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Branding saved.')).toBeVisible();
  for (const [scheme, forced] of [
    ['light', 'none'],
    ['dark', 'none'],
    ['light', 'active'],
  ] as const) {
    const context = await browser.newContext({
      colorScheme: scheme,
      forcedColors: forced,
      viewport: { width: 360, height: 640 },
    });
    const visitor = await context.newPage();
    const foreign: string[] = [];
    visitor.on(
      'request',
      (request) => void (request.url().startsWith(portal.origin) || foreign.push(request.url())),
    );
    visitor.on('dialog', (dialog) => void foreign.push(dialog.message()));
    await enter(visitor, PEOPLE.olivia);
    await expect(visitor.locator('.header-logo')).toHaveText(HOSTILE);
    await expect(visitor.locator('.announcement')).toContainText(HOSTILE);
    for (const path of forced === 'active' ? ['profile'] : ['documents', 'profile']) {
      await visitor.goto(base + path);
      await expectUsable(visitor, `${path}, worst theme, ${scheme}, forced colours ${forced}`, [360]);
    }
    await visitor.goto(`${base}documents`);
    await visitor.locator('#account summary').click();
    await visitor.getByRole('button', { name: 'Sign out' }).click();
    await visitor.goto(`${base}auth`);
    await expect(visitor.getByText(HOSTILE).first()).toBeVisible();
    await expectUsable(visitor, `sign-in, worst theme, ${scheme}, forced colours ${forced}`, [360]);
    expect(foreign).toEqual([]);
    await context.close();
  }
});

test('staff choose the time zone, and one that does not exist is refused', async ({ page }) => {
  await enter(page, STAFF);
  await page.goto(`${base}staff/theme`);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await expect(zone).toHaveValue('America/Chicago');
  await zone.evaluate((list: HTMLSelectElement) => list.options[0]?.setAttribute('value', 'Mars/Olympus'));
  await zone.selectOption('Mars/Olympus');
  const announcement = page.getByRole('textbox', { name: /^Announcement/ });
  await announcement.fill('Typed before');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('Choose a time zone from the list.');
  await expectUsable(page, 'the theme settings with a wrong time zone');
  await expect(announcement).toHaveValue('Typed before');
  await announcement.fill('Closed on Friday');
  await zone.selectOption('Asia/Tokyo');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Branding saved.')).toBeVisible();
  await expect(zone).toHaveValue('Asia/Tokyo');
});

test('a printed receipt, the documents and the trash show times in the time zone of the firm', async ({
  browser,
}) => {
  await portal.sql(`update firms set time_zone = 'Asia/Tokyo' where name = 'Maple & Hart CPAs'`);
  const context = await browser.newContext({ javaScriptEnabled: false, timezoneId: 'America/Chicago' });
  const reader = await context.newPage();
  await enter(reader, PEOPLE.olivia);
  await reader.goto(`${base}receipts`);
  await expect(reader.locator('main time').first()).toHaveText(/GMT\+9/);
  await reader.locator('main a[href*="/receipts/"]').first().click();
  const at = (await reader.locator('main time').getAttribute('datetime')) ?? '';
  const there = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const;
  const inTokyo = new Intl.DateTimeFormat('en-US', there);
  await expect(reader.locator('main time')).toHaveText(`${inTokyo.format(new Date(at))} GMT+9`);
  // Late on November 9 in UTC is the morning of November 10 in Tokyo.
  await portal.sql(`update documents set created_at = ${Date.parse('2026-11-09T23:30:00Z')}`);
  await reader.goto(`${base}documents`);
  await expect(reader.locator('#document-list tbody tr').first()).toContainText('Nov 10');
  // a photo: the pages of a long document would all be drawn without scripts
  await reader.locator('.documents tbody th a').filter({ hasText: '.jpg' }).first().click();
  await expect(reader.getByRole('main')).toContainText('Nov 10, 2026');
  await expect(reader.getByRole('main')).not.toContainText('Nov 9, 2026');
  // its pages are read before it is deleted
  await expect
    .poll(() => reader.evaluate(() => [...document.images].every(({ complete }) => complete)))
    .toBe(true);
  // late on a day in UTC, a few days ago: what was deleted more than thirty days ago is gone
  const deletedAt = Math.floor(Date.now() / DAY) * DAY - 4 * DAY - HOUR / 2;
  await portal.sql(
    `update documents set deleted_at = ${deletedAt}, deleted_by = created_by where uploaded_by_staff = 0`,
  );
  await reader.goto(`${base}documents/trash`);
  const dayIn = (timeZone: string, instant: number): string =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone }).format(instant);
  for (const instant of [deletedAt, deletedAt + 30 * DAY]) {
    await expect(reader.getByRole('main')).toContainText(dayIn('Asia/Tokyo', instant));
    await expect(reader.getByRole('main')).not.toContainText(dayIn('UTC', instant));
  }
  await context.close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`an announcement is shown once to each contact, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    browser,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await enter(page, PEOPLE.olivia);
    const announcement = page.getByRole('region', { name: 'Announcement' });
    await expect(announcement).toBeVisible();
    await page.getByRole('button', { name: 'Close announcement' }).click();
    await expect(page).toHaveURL(/\/documents$/);
    await expect(announcement).toHaveCount(0);
    if (javaScriptEnabled)
      expect(
        await page.evaluate(
          () =>
            Object.keys(localStorage).filter((key) => key.startsWith('ccCovidAlertClosed-contact_')).length,
        ),
      ).toBe(1);
    await page.goto(`${base}clients`);
    await expect(announcement).toHaveCount(0);
    await context.clearCookies({ name: 'sid' });
    await enter(page, STAFF);
    await expect(announcement).toBeVisible();
    await context.close();
  });

  test(`a person changes their profile, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    browser,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await enter(page, PEOPLE.marcus);
    await page.locator('#account summary').click();
    await page.getByRole('link', { name: 'Profile' }).click();
    const form = javaScriptEnabled ? page.getByRole('dialog', { name: 'Profile' }) : page.getByRole('main');
    await form.getByLabel('Middle name').fill('Q.');
    await form.getByLabel('Last name').fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    // with scripts the profile is a dialog, and the URL stays
    if (!javaScriptEnabled) await expect(page).toHaveURL(/\/profile$/);
    await expect(page.getByRole('alert')).toContainText('Enter your last name.');
    await expect(page.getByLabel('Middle name')).toHaveValue('Q.');
    await page.getByLabel('Last name').fill('Reed');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('fr-CA');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(/\/fr\/profile$/);
    await expect(page.getByText('Profil enregistré.')).toBeVisible();
    await expect(page.locator('#account .menu-label')).toHaveText('Marcus Q. Reed');
    await page.getByRole('combobox', { name: 'Langue' }).selectOption('en-US');
    await page.getByRole('button', { name: 'Enregistrer', exact: true }).click();
    await expect(page).toHaveURL(/\/en-us\/profile$/);
    await context.close();
  });
}

test('people see their own language after sign-in if the URL names none, and a chosen one is saved', async ({
  browser,
}) => {
  for (const [start, lang] of [
    [portal.origin, 'fr-CA'],
    [base, 'en-US'],
  ] as const) {
    const context = await browser.newContext({ locale: 'en-US' });
    const page = await context.newPage();
    await page.goto(start);
    await signIn(page, PEOPLE.sophie);
    await page.waitForURL(/\/home$/);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await context.close();
  }
});

test('a firm can redirect people elsewhere after signing out, but only to an allowed host', async ({
  page,
  trouble,
}) => {
  trouble.expect(/request failed: .* https:\/\/127\.0\.0\.1:9\/bye/); // nothing listens on this port
  await portal.sql(`update themes set logout_url = 'https://127.0.0.1:9/bye'`);
  await enter(page, PEOPLE.olivia);
  await page.locator('#account summary').click();
  const leaving = page.waitForRequest('https://127.0.0.1:9/bye');
  await page.getByRole('button', { name: 'Sign out' }).click();
  expect((await leaving).headers()['referer']).toBeUndefined();
  await portal.sql(`update themes set logout_url = 'https://evil.example/'`);
  const answer = await page.request.get(`${base}auth/logout?left=1`);
  expect(await answer.text()).not.toContain('evil.example');
});

test('the header stays visible while scrolling, and takes at most a fifth of a phone screen', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter(page, PEOPLE.olivia);
  for (const [width, height] of [
    [1280, 800],
    [360, 640],
    [640, 360],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 400));
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
    const { top, size } = await page.locator('.header').evaluate((header) => ({
      top: header.getBoundingClientRect().top,
      size: header.getBoundingClientRect().height,
    }));
    if (height < 520) expect(top + size).toBeLessThanOrEqual(0);
    else expect([top, width > 959 ? size : size <= height / 5]).toEqual([0, width > 959 ? 80 : true]);
    const shadow = () => page.locator('.header').evaluate((header) => getComputedStyle(header).boxShadow);
    if (height >= 520) await expect.poll(shadow, 'a scrolled page is under the header').toContain('0.16');
    await page.evaluate(() => scrollTo(0, 0));
    await expect.poll(shadow).toMatch(/none|rgba\(0, 0, 0, 0\)/);
  }
});

test("the help menu links to the firm and its privacy notice in the page's language, unless the firm hides it", async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.goto(`${portal.origin}/clientcenter/fr/documents`);
  await page.locator('#help summary').click();
  await expect(page.getByRole('link', { name: 'Avis de confidentialité' })).toHaveAttribute(
    'href',
    'https://privacy.example/fr-ca/',
  );
  await page.keyboard.press('Escape');
  await expect(page.locator('#help')).not.toHaveAttribute('open');
  await expect(page.locator('#help summary')).toBeFocused();
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) select company_id, '', 'control', 'HideHelp', 1 from firms where name = 'Maple & Hart CPAs'`,
  );
  await page.reload();
  await expect(page.locator('#help')).toHaveCount(0);
});

test('a form that takes long to submit says so after a moment', async ({ page }) => {
  await enter(page, PEOPLE.ana);
  await page.goto(`${base}profile`);
  // A page with a pending navigation cannot be inspected, so the form is never actually sent.
  await page.evaluate(() =>
    document.querySelector('form[data-busy]')?.addEventListener('submit', (event) => event.preventDefault()),
  );
  await page.getByRole('main').getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('form[aria-busy]')).toHaveCount(1);
  await expect(page.locator('.busy')).toHaveCSS('visibility', 'visible');
  await expect(page.locator('#status')).toHaveText('Saving…');
});

test('a first visit by a mailed link shows the firm on the sign-in page and on those after it', async ({
  page,
}) => {
  const [firm] = await portal.sql(`select company_id from firms where name = 'Contábil Aurora'`);
  await page.goto(`${base}documents?firm=${String(firm?.['company_id'])}`);
  await expect(page).toHaveURL(/\/auth\?/);
  await expect(page).toHaveTitle(/Contábil Aurora/);
  await expect(page.getByRole('main').getByRole('img', { name: 'Contábil Aurora' })).toBeVisible();
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Reset your password' })).toBeVisible();
  await expect(page).toHaveTitle(/Contábil Aurora/);
});
