import type { APIRequestContext, Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import type { Portal } from './support/portal.ts';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

/*
 * Sign-in links, API tokens, linked accounts, session expiry and terms (threat-model.md T19, T20, T22, T23).
 */

const DANIEL = 'daniel@twofirms.example';
const TESS = 'tess@terms.example';
const base = (portal: Portal): string => `${portal.origin}/clientcenter/en-us/`;

async function issue(request: APIRequestContext, portal: Portal, kind: 'link' | 'api'): Promise<string> {
  const answer = await request.post(`${portal.origin}/api/security/v1/long-tokens`, {
    data: { kind },
    headers: { Origin: portal.origin },
  });
  expect(answer.status()).toBe(200);
  return ((await answer.json()) as { longToken: string }).longToken;
}

async function open(page: Page, email: string): Promise<void> {
  await page.goto('');
  await signIn(page, email);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const whoIs = async (page: Page, portal: Portal): Promise<unknown> => {
  const answer = await page.request.get(`${portal.origin}/api/security/v1/session?force=1`);
  return answer.ok()
    ? ((await answer.json()) as { meta: { EmailAddress: string } }).meta.EmailAddress
    : answer.status();
};

test('a sign-in link asks for confirmation, works once, and leaves its token nowhere', async ({
  page,
  browser,
  portal,
}) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'link');
  const phone = await (await browser.newContext()).newPage();
  const addresses: string[] = [];
  phone.on('framenavigated', (frame) => addresses.push(frame.url()));
  phone.on('request', (request) =>
    addresses.push(
      ...(request.isNavigationRequest() ? [] : [request.url()]),
      request.headers()['referer'] ?? '',
    ),
  );
  await phone.goto(`${base(portal)}documents?orderBy=name&token=${token}`);
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Continue as Olivia Bennett');
  expect(addresses.join(' ')).not.toContain(token);
  expect(await whoIs(phone, portal)).toBe(401);
  await phone.getByRole('button', { name: 'Continue as Olivia Bennett at Maple & Hart CPAs' }).click();
  await expect(phone).toHaveURL(/documents\?orderBy=name$/);
  expect(await whoIs(phone, portal)).toBe(PEOPLE.olivia);
  expect(await whoIs(page, portal), 'the first session continues').toBe(PEOPLE.olivia);

  const again = await (await browser.newContext()).newPage();
  const answer = await again.goto(`${base(portal)}?token=${token}`);
  expect(answer?.status()).toBe(401);
  await expect(again.getByRole('heading', { level: 1 })).toHaveText('This link has expired');
  await expect(again.getByRole('link', { name: 'Sign in' })).toBeVisible();
  expect(portal.output()).not.toContain(token);
  for (const table of ['long_tokens', 'sessions', 'audit', 'sign_in_transactions'])
    expect(JSON.stringify(await portal.sql(`select * from ${table}`))).not.toContain(token);
});

test("someone else's sign-in link changes no session without a click, and says whose it is", async ({
  page,
  browser,
  portal,
}) => {
  const attacker = await (await browser.newContext()).newPage();
  await attacker.goto(base(portal));
  await signIn(attacker, PEOPLE.ana);
  await attacker.getByRole('heading', { level: 1 }).waitFor();
  const token = await issue(attacker.request, portal, 'link');
  await open(page, PEOPLE.olivia);
  await page.goto(`documents?token=${token}`);
  await expect(
    page.getByText(
      'You’re already signed in as Olivia Bennett at Maple & Hart CPAs. Continuing will sign you out.',
    ),
  ).toBeVisible();
  expect(await whoIs(page, portal)).toBe(PEOPLE.olivia);
  await page.goto('documents');
  expect(await whoIs(page, portal)).toBe(PEOPLE.olivia);
});

test('a sign-in link never leads to another site', async ({ page, portal }) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'link');
  await page.goto(`documents?token=${token}`);
  await page.goto(`auth/continue?r=${encodeURIComponent('https://evil.example/')}`);
  await page.getByRole('button', { name: /^Continue as/ }).click();
  await expect(page).toHaveURL(new RegExp(`^${portal.origin}/clientcenter/en-us/`));
});

test('a program authenticates its calls with a token and no cookie; with a cookie the CSRF check still applies', async ({
  page,
  portal,
  playwright,
}) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'api');
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const program = await playwright.request.newContext();
  const session = `${portal.origin}/api/security/v1/session`;
  for (const scheme of ['LongToken', 'Bearer']) {
    const answer = await program.get(session, { headers: { Authorization: `${scheme} ${token}` } });
    expect([answer.status(), await answer.json()]).toMatchObject([
      200,
      { meta: { EmailAddress: PEOPLE.olivia } },
    ]);
  }
  const post = (headers: Record<string, string>) => program.post(`${session}/extend`, { headers });
  expect((await post({ Authorization: `LongToken ${token}`, Origin: 'https://evil.example' })).status()).toBe(
    200,
  );
  expect(
    (
      await post({ Authorization: `LongToken ${token}`, Origin: 'https://evil.example', Cookie: cookie })
    ).status(),
  ).toBe(403);
  expect(
    (await program.get(session, { headers: { Authorization: `LongToken ${'a'.repeat(43)}` } })).status(),
  ).toBe(401);
  expect((await program.get(`${session}?token=${token}`)).status()).toBe(401);
  expect(
    (
      await program.get(`${base(portal)}documents`, {
        headers: { Authorization: `LongToken ${token}` },
        maxRedirects: 0,
      })
    ).status(),
  ).toBe(303);
  await program.dispose();
});

test("an API token is listed with the person's own devices, and can be revoked there", async ({
  page,
  portal,
  playwright,
}) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'api');
  await page.goto('profile/security');
  const programs = page.getByRole('region', { name: 'API tokens' });
  await expect(programs).toContainText('Never used');
  const count = await programs.locator('tbody').getByRole('row').count();
  await programs
    .getByRole('button', { name: /^Revoke/ })
    .first()
    .click();
  await expect(page.getByText('API token revoked.')).toBeVisible();
  await expect(programs.locator('tbody').getByRole('row')).toHaveCount(count - 1);
  const program = await playwright.request.newContext();
  const answer = await program.get(`${portal.origin}/api/security/v1/session`, {
    headers: { Authorization: `LongToken ${token}` },
  });
  expect(answer.status()).toBe(401);
  await program.dispose();
});

test('someone with two firms switches between them in a new session, and the next sign-in opens the one used last', async ({
  page,
  portal,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, DANIEL);
  await expect(page).toHaveTitle(/Maple & Hart/);
  const before = (await page.context().cookies()).find(({ name }) => name === 'sid')?.value;
  await page.locator('[data-linked-accounts] summary').click();
  await page.getByRole('button', { name: 'Northern Ledger' }).click();
  await expect(page).toHaveTitle(/Northern Ledger/);
  expect((await page.context().cookies()).find(({ name }) => name === 'sid')?.value).not.toBe(before);
  await page.setViewportSize({ width: 360, height: 700 });
  await expect(page.locator('[data-linked-accounts]')).toBeHidden();
  await page.context().clearCookies();
  await open(page, DANIEL);
  await expect(page).toHaveTitle(/Northern Ledger/);
  expect(await whoIs(page, portal)).toBe(DANIEL);
});

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('linked accounts can be switched on a page without scripts', async ({ page }) => {
    await open(page, DANIEL);
    const first = await page.title();
    await page.goto('account-switch');
    await page.locator('button[name=contactId]:not([aria-current])').click();
    await expect(page).not.toHaveURL(/account-switch/);
    await expect(page).not.toHaveTitle(first);
  });

  test('terms are shown, accepted, and not shown again', async ({ page }) => {
    await page.goto('documents?orderBy=name');
    await signIn(page, TESS);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Terms and conditions');
    await expect(page.getByRole('heading', { name: 'What we ask of you' })).toBeVisible();
    await page.goto('documents');
    await expect(page).toHaveURL(/terms-and-conditions\?r=/);
    await page.getByRole('button', { name: 'Accept and continue' }).click();
    await expect(page).toHaveURL(/\/documents$/);
    await page.goto('terms-and-conditions');
    await expect(page).not.toHaveURL(/terms/);
  });

  test('input sent after the session expired is kept until the person signs in again', async ({
    page,
    portal,
  }) => {
    await open(page, PEOPLE.olivia);
    await page.goto('documents');
    const sends = await page.locator('#document-list input[name=id]').first().getAttribute('value');
    await page.goto(`documents/send?id=${sends}`);
    await page.locator('[name=subject]').fill('Typed before the end');
    await portal.sql('update sessions set last_seen_at = last_seen_at - 1860000');
    await page.locator('main form button:not([type=button])').last().click();
    await signIn(page, PEOPLE.olivia);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('We saved your work');
    await expect(page.getByLabel('subject')).toHaveValue('Typed before the end');
    await page.context().clearCookies({ name: 'sid' });
    await open(page, PEOPLE.ana);
    await page.goto('kept-form');
    await expect(page.getByRole('main')).not.toContainText('subject');
  });
});

test('staff publish new terms, contacts must accept them, and staff see who did', async ({
  page,
  browser,
  portal,
}) => {
  await open(page, 'roy@northernledger.example');
  await page.goto('staff/terms');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('alert')).toContainText(
    'Enter the text in your firm’s language: English (Canada).',
  );
  await page.getByLabel('Text: English (Canada)').fill('# Rules\nBe kind.\n\n- one\n- <b>two</b>');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Version 1 published' })).toBeVisible();
  const sophie = await (await browser.newContext()).newPage();
  await sophie.goto(`${base(portal)}documents`);
  await signIn(sophie, PEOPLE.sophie);
  await expect(sophie.getByText('<b>two</b>')).toBeVisible();
  expect((await sophie.request.get(`${portal.origin}/api/client-center/v1/clients/`)).status()).toBe(403);
  await sophie.getByRole('button', { name: 'Accept and continue' }).click();
  await expect(sophie).toHaveURL(/documents/);
  await page.reload();
  await expect(page.getByRole('listitem').filter({ hasText: 'Sophie Tremblay' })).toContainText('Version 1');
  const csv = await (await page.request.get(`${base(portal)}staff/terms?csv=1`)).text();
  expect(csv).toMatch(/"Sophie Tremblay","1","en-CA","20\d\d-/);
});

test('the portal warns two minutes before the session expires, and one key extends it', async ({
  page,
  portal,
}) => {
  await open(page, PEOPLE.marcus);
  await page.goto('clients');
  await portal.sql(`update sessions set last_seen_at = last_seen_at - ${29 * 60_000}`);
  await page.evaluate(() => localStorage.setItem('ccSessionEnds', String(Date.now() + 100_000)));
  const dialog = page.getByRole('dialog', { name: 'Still there?' });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('timer')).toContainText(/\d+ seconds/);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  const answer = await page.request.get(`${portal.origin}/api/security/v1/session`, {
    headers: { 'X-Background': '1' },
  });
  const { meta } = (await answer.json()) as { meta: { SessionExpiresDateTime: string } };
  expect(Date.parse(meta.SessionExpiresDateTime) - Date.now()).toBeGreaterThan(29 * 60_000);
});

test('input survives an expired session and is restored for the same person on the same page', async ({
  page,
  portal,
}) => {
  await open(page, PEOPLE.marcus);
  await page.goto('clients');
  await page.getByRole('searchbox').fill('half a word');
  await portal.sql(`update sessions set last_seen_at = last_seen_at - ${31 * 60_000}`);
  await page.evaluate(() => localStorage.setItem('ccSessionEnds', String(Date.now() - 1)));
  await expect(page).toHaveURL(/auth\?r=/);
  await signIn(page, PEOPLE.marcus);
  await expect(page).toHaveURL(/clients$/);
  await expect(page.getByRole('searchbox')).toHaveValue('half a word');
});

test('lists, check boxes and the profile dialog are restored after the session expired, and no access code is stored', async ({
  page,
  portal,
}) => {
  const endSession = async (): Promise<void> => {
    await portal.sql(`update sessions set last_seen_at = last_seen_at - ${31 * 60_000}`);
    await page.evaluate(() => localStorage.setItem('ccSessionEnds', String(Date.now() - 1)));
    await expect(page).toHaveURL(/auth\?r=/);
  };
  await open(page, PEOPLE.marcus);
  await page.goto('documents');
  const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
  await page.goto(`documents/send?id=${id}`);
  await page.getByLabel('Subject').fill('For the loan');
  await page.getByRole('checkbox', { name: 'Require an access code' }).check();
  await page.getByRole('textbox', { name: 'Access code' }).fill('secret-4711');
  const copy = page.locator('[name=sendMeACopy]');
  const before = await copy.isChecked();
  await copy.setChecked(!before);
  await page.locator('[name=expirationPeriod]').selectOption({ index: 3 });
  const period = await page.locator('[name=expirationPeriod]').inputValue();
  await endSession();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('secret-4711');
  await signIn(page, PEOPLE.marcus);
  await expect(page.getByLabel('Subject')).toHaveValue('For the loan');
  await expect(copy).toBeChecked({ checked: !before });
  await expect(page.locator('[name=expirationPeriod]')).toHaveValue(period);
  await expect(page.getByRole('checkbox', { name: 'Require an access code' })).toBeChecked();
  await expect(page.getByRole('textbox', { name: 'Access code' })).toBeEditable();
  await expect(page.getByRole('textbox', { name: 'Access code' })).toHaveValue('');

  await page.goto('documents');
  await page.locator('#document-list input[name=id]').first().check();
  await page.locator('#account summary').click();
  await page.getByRole('link', { name: 'Profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Profile' });
  await dialog.getByLabel('First name').fill('Marco');
  await dialog.getByLabel('Language').selectOption('es-AR');
  await endSession();
  await signIn(page, PEOPLE.marcus);
  await expect(dialog.getByLabel('First name')).toHaveValue('Marco');
  await expect(dialog.getByLabel('Language')).toHaveValue('es-AR');
  await expect(page.locator('#document-list input[name=id]').first()).toBeChecked();
  await expect(page.getByText('1 document selected').first()).toBeVisible();
});

for (const sentAfterTheEnd of [false, true]) {
  test(`input of a form that came back with errors is restored after the session expired, ${sentAfterTheEnd ? 'sent after' : 'sent before'} an earlier expiry`, async ({
    page,
    portal,
  }) => {
    const isOver = `update sessions set last_seen_at = last_seen_at - ${31 * 60_000}`;
    await open(page, PEOPLE.marcus);
    await page.goto('documents');
    const id = await page.locator('#document-list input[name=id]').first().getAttribute('value');
    await page.goto(`documents/send?id=${id}`);
    await page.getByLabel('Subject').fill('For the loan');
    await page.locator('[name=expirationPeriod]').selectOption({ index: 3 });
    const period = await page.locator('[name=expirationPeriod]').inputValue();
    const copy = page.locator('[name=sendMeACopy]');
    await copy.check();
    if (sentAfterTheEnd) await portal.sql(isOver);
    await page.getByRole('main').getByRole('button', { name: 'Share', exact: true }).click();
    if (sentAfterTheEnd) {
      await signIn(page, PEOPLE.marcus);
      await page.getByRole('button', { name: 'Send' }).click();
    }
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page.getByLabel('Subject')).toHaveValue('For the loan');
    await portal.sql(isOver);
    await page.evaluate(() => localStorage.setItem('ccSessionEnds', String(Date.now() - 1)));
    await expect(page).toHaveURL(/auth\?r=/);
    await signIn(page, PEOPLE.marcus);
    await expect(page).toHaveURL(/documents\/send/);
    await expect(page.getByLabel('Subject')).toHaveValue('For the loan');
    await expect(page.locator('[name=expirationPeriod]')).toHaveValue(period);
    await expect(copy).toBeChecked();
  });
}

test('the share dialog is restored for the same person with its input after the session expired', async ({
  page,
  portal,
}) => {
  await open(page, PEOPLE.marcus);
  await page.goto('documents');
  const first = page.locator('#document-list input[name=id]').first();
  const name = (await page.locator('#document-list tbody th bdi').first().textContent()) ?? '';
  await first.check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Share \d+ documents?$/ });
  await dialog.getByLabel('To', { exact: true }).fill('bank@supplier.example');
  await dialog.getByLabel('Subject').fill('For the loan');
  await dialog.getByRole('textbox', { name: /Message/ }).fill('A long letter.');
  await portal.sql(`update sessions set last_seen_at = last_seen_at - ${31 * 60_000}`);
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page).toHaveURL(/auth\?r=/);
  await signIn(page, PEOPLE.marcus);
  await expect(page).toHaveURL(/documents$/);
  await expect(dialog.getByRole('textbox', { name: /Message/ })).toHaveValue('A long letter.');
  await expect(dialog.getByLabel('Subject')).toHaveValue('For the loan');
  await expect(dialog.getByLabel('To', { exact: true })).toHaveValue('bank@supplier.example');
  await expect(dialog.getByText(name)).toBeVisible();
});

test('a slow sign-out says so and does not look like an expired session', async ({ page, portal }) => {
  await open(page, PEOPLE.marcus);
  const otherTab = await page.context().newPage();
  await otherTab.goto(`${portal.origin}/favicon.svg`);
  await page.route('**/auth/logout', async (route) => {
    // as Clear-Site-Data of the response does before the next page is shown
    const cleared = await otherTab.evaluate(() => (localStorage.clear(), performance.now()));
    // the page checks the storage every second
    await otherTab.waitForFunction((then) => performance.now() > then + 2200, cleared);
    await route.continue();
  });
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'You’ve signed out' })).toBeVisible();
});

test('signing out in one tab signs out the others, and leaves nothing in the browser', async ({ page }) => {
  await open(page, PEOPLE.marcus);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'You’ve signed out' })).toBeVisible();
  await expect(other).toHaveURL(/auth\?r=/);
  expect(
    await page.evaluate(() =>
      [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith('cc')),
    ),
  ).toEqual([]);
});

test('a password can be shown before it is sent; without scripts the button is hidden', async ({
  page,
  browser,
  portal,
}) => {
  await page.goto('auth');
  const field = page.getByRole('textbox', { name: 'Password', exact: true });
  const show = page.getByRole('button', { name: 'Show password' });
  await page.getByLabel('Password', { exact: true }).fill('typed wrong');
  await expect(page.locator('#password')).toHaveAttribute('type', 'password');
  await expect(show).toHaveAttribute('aria-pressed', 'false');
  await show.focus();
  await page.keyboard.press('Enter');
  await expect(show).toHaveAttribute('aria-pressed', 'true');
  await expect(field).toHaveValue('typed wrong');
  await expect(page.locator('#password')).toHaveAttribute('type', 'text');
  await expectUsable(page, 'sign-in, password shown', [360]);
  await show.click();
  await expect(page.locator('#password')).toHaveAttribute('type', 'password');
  await open(page, PEOPLE.marcus);
  await page.goto('profile/security');
  await page.getByRole('button', { name: 'Show password New password' }).click();
  await expect(page.locator('#password-next')).toHaveAttribute('type', 'text');
  await expect(page.locator('#password-current')).toHaveAttribute('type', 'password');

  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  for (const lang of ['pt', 'fr']) {
    await plain.goto(`${portal.origin}/clientcenter/${lang}/auth`);
    await expect(plain.locator('[data-show-password]')).toBeHidden();
  }
  await context.close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`switching to a firm that requires a second step says so and leads to its setup, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    browser,
    portal,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled, baseURL: base(portal) });
    const page = await context.newPage();
    await open(page, DANIEL);
    const here = await page.locator('[data-linked-accounts] .menu-label').innerText();
    await page.locator('[data-linked-accounts] summary').click();
    const other = page.locator('[data-linked-accounts] form button').first();
    const firm = (await other.innerText()).trim();
    expect(firm).not.toBe(here);
    await portal.sql(
      `update firms set second_step = 'everybody', second_step_from = 0 where name = '${firm}'`,
    );
    await other.click();
    await expect(page).toHaveURL(/profile\/security$/);
    await expect(page.getByText(`${firm} requires two-step verification.`)).toBeVisible();
    await expect(page.getByText('MFA_AUTHENTICATION_REQUIRED')).toHaveCount(0);
    await portal.sql(`update firms set second_step = 'nobody' where name = '${firm}'`);
    await context.close();
  });
}
