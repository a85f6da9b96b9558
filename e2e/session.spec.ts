import type { APIRequestContext, Page } from 'playwright/test';
import type { Portal } from './kit/portal.ts';
import { PEOPLE, expect, signIn, test } from './kit/test.ts';

/* Links that sign in, programs with tokens, other accounts, the end of a session and terms, as people meet them (security.md T19, T20, T22, T23). */

const DANIEL = 'daniel@twofirms.example';
const TESS = 'tess@terms.example';
const base = (portal: Portal): string => `${portal.origin}/clientcenter/en-us/`;

async function issue(request: APIRequestContext, portal: Portal, kind: 'link' | 'api'): Promise<string> {
  const answer = await request.post(`${portal.origin}/api/security/v1/long-tokens`, { data: { kind }, headers: { Origin: portal.origin } });
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
  return answer.ok() ? ((await answer.json()) as { meta: { EmailAddress: string } }).meta.EmailAddress : answer.status();
};

test('a link with a token asks first, signs in once, and leaves the token nowhere', async ({ page, browser, portal }) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'link');
  const phone = await (await browser.newContext()).newPage();
  const addresses: string[] = [];
  phone.on('framenavigated', (frame) => addresses.push(frame.url()));
  phone.on('request', (request) => addresses.push(...(request.isNavigationRequest() ? [] : [request.url()]), request.headers()['referer'] ?? ''));
  await phone.goto(`${base(portal)}documents?orderBy=name&token=${token}`);
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Continue as Olivia Bennett');
  expect(addresses.join(' ')).not.toContain(token);
  expect(await whoIs(phone, portal)).toBe(401);
  await phone.getByRole('button', { name: 'Continue as Olivia Bennett at Maple & Hart CPAs' }).click();
  await expect(phone).toHaveURL(/documents\?orderBy=name$/);
  expect(await whoIs(phone, portal)).toBe(PEOPLE.olivia);
  expect(await whoIs(page, portal), 'the first session goes on').toBe(PEOPLE.olivia);

  const again = await (await browser.newContext()).newPage();
  const answer = await again.goto(`${base(portal)}?token=${token}`);
  expect(answer?.status()).toBe(401);
  await expect(again.getByRole('heading', { level: 1 })).toHaveText('This link does not work any more');
  await expect(again.getByRole('link', { name: 'Sign in' })).toBeVisible();
  expect(portal.said()).not.toContain(token);
  for (const table of ['long_tokens', 'sessions', 'audit', 'sign_in_transactions']) expect(JSON.stringify(await portal.sql(`select * from ${table}`))).not.toContain(token);
});

test('the link of somebody else changes no session without a click, and says whose it is', async ({ page, browser, portal }) => {
  const attacker = await (await browser.newContext()).newPage();
  await attacker.goto(base(portal));
  await signIn(attacker, PEOPLE.ana);
  await attacker.getByRole('heading', { level: 1 }).waitFor();
  const token = await issue(attacker.request, portal, 'link');
  await open(page, PEOPLE.olivia);
  await page.goto(`documents?token=${token}`);
  await expect(page.getByText('You are signed in as Olivia Bennett at Maple & Hart CPAs. If you continue, that session ends.')).toBeVisible();
  expect(await whoIs(page, portal)).toBe(PEOPLE.olivia);
  await page.goto('documents');
  expect(await whoIs(page, portal)).toBe(PEOPLE.olivia);
});

test('a link leads to no other site', async ({ page, portal }) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'link');
  await page.goto(`documents?token=${token}`);
  await page.goto(`auth/continue?r=${encodeURIComponent('https://evil.example/')}`);
  await page.getByRole('button', { name: /^Continue as/ }).click();
  await expect(page).toHaveURL(new RegExp(`^${portal.origin}/clientcenter/en-us/`));
});

test('a program signs its calls in by a token, without a cookie; with a cookie the guard against other sites holds', async ({ page, portal, playwright }) => {
  await open(page, PEOPLE.olivia);
  const token = await issue(page.request, portal, 'api');
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const program = await playwright.request.newContext();
  const session = `${portal.origin}/api/security/v1/session`;
  for (const scheme of ['LongToken', 'Bearer']) {
    const answer = await program.get(session, { headers: { Authorization: `${scheme} ${token}` } });
    expect([answer.status(), await answer.json()]).toMatchObject([200, { meta: { EmailAddress: PEOPLE.olivia } }]);
  }
  const post = (headers: Record<string, string>) => program.post(`${session}/extend`, { headers });
  expect((await post({ Authorization: `LongToken ${token}`, Origin: 'https://evil.example' })).status()).toBe(200);
  expect((await post({ Authorization: `LongToken ${token}`, Origin: 'https://evil.example', Cookie: cookie })).status()).toBe(403);
  expect((await program.get(session, { headers: { Authorization: `LongToken ${'a'.repeat(43)}` } })).status()).toBe(401);
  expect((await program.get(`${session}?token=${token}`)).status()).toBe(401);
  expect((await program.get(`${base(portal)}documents`, { headers: { Authorization: `LongToken ${token}` }, maxRedirects: 0 })).status()).toBe(303);
  await program.dispose();
});

test('somebody with two firms goes from one to the other, in a new session, and comes back to the one used last', async ({ page, portal }) => {
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

  test('the other account is a page away', async ({ page }) => {
    await open(page, DANIEL);
    const first = await page.title();
    await page.goto('account-switch');
    await page.locator('button[name=contactId]:not([aria-current])').click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.title()).not.toBe(first);
  });

  test('terms are read, accepted, and not asked for again', async ({ page }) => {
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

  test('what is sent after the session ended is kept until its person signed in again', async ({ page, portal }) => {
    await open(page, PEOPLE.olivia);
    await page.goto('documents');
    const sends = await page.locator('#document-list input[name=id]').first().getAttribute('value');
    await page.goto(`documents/send?id=${sends}`);
    await page.locator('[name=subject]').fill('Typed before the end');
    await portal.sql('update sessions set last_seen_at = last_seen_at - 1860000');
    await page.locator('main form button:not([type=button])').last().click();
    await signIn(page, PEOPLE.olivia);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('What you typed is still here');
    await expect(page.getByLabel('subject')).toHaveValue('Typed before the end');
    await page.context().clearCookies({ name: 'sid' });
    await open(page, PEOPLE.ana);
    await page.goto('kept-form');
    await expect(page.getByRole('main')).not.toContainText('subject');
  });
});

test('staff publish new terms, contacts must accept them, and staff see who did', async ({ page, browser, portal }) => {
  await open(page, 'roy@northernledger.example');
  await page.goto('staff/terms');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('alert')).toContainText('Write the text in the language of your firm: English (Canada).');
  await page.getByLabel('Text: English (Canada)').fill('# Rules\nBe kind.\n\n- one\n- <b>two</b>');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Version 1 is published' })).toBeVisible();
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

test('two minutes before the end the portal says so, and one key keeps the session alive', async ({ page, portal }) => {
  await open(page, PEOPLE.marcus);
  await page.goto('clients');
  await portal.sql(`update sessions set last_seen_at = last_seen_at - ${29 * 60_000}`);
  await page.evaluate(() => localStorage.setItem('ccSessionEnds', String(Date.now() + 100_000)));
  const dialog = page.getByRole('dialog', { name: 'You will soon be signed out' });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('timer')).toContainText(/\d+ seconds/);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  const answer = await page.request.get(`${portal.origin}/api/security/v1/session`, { headers: { 'X-Background': '1' } });
  const { meta } = (await answer.json()) as { meta: { SessionExpiresDateTime: string } };
  expect(Date.parse(meta.SessionExpiresDateTime) - Date.now()).toBeGreaterThan(29 * 60_000);
});

test('after the end nothing typed is lost: it is there again for the same person on the same page', async ({ page, portal }) => {
  await open(page, PEOPLE.marcus);
  await page.goto('clients');
  await page.locator('#searchTerm').fill('half a word');
  await portal.sql(`update sessions set last_seen_at = last_seen_at - ${31 * 60_000}`);
  await page.evaluate(() => localStorage.setItem('ccSessionEnds', String(Date.now() - 1)));
  await expect(page).toHaveURL(/auth\?r=/);
  await signIn(page, PEOPLE.marcus);
  await expect(page).toHaveURL(/clients$/);
  await expect(page.locator('#searchTerm')).toHaveValue('half a word');
});

test('a sign-out whose answer is slow leads to the page that says so, not to the sign-in', async ({ page, portal }) => {
  await open(page, PEOPLE.marcus);
  const beside = await page.context().newPage();
  await beside.goto(`${portal.origin}/favicon.svg`);
  await page.route('**/auth/logout', async (route) => {
    const cleared = await beside.evaluate(() => (localStorage.clear(), performance.now())); // as the answer's Clear-Site-Data does before its page stands
    await beside.waitForFunction((then) => performance.now() > then + 2200, cleared); // the page looks at the storage each second
    await route.continue();
  });
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('You are signed out');
});

test('signing out in one tab ends the others, and leaves nothing in the browser', async ({ page }) => {
  await open(page, PEOPLE.marcus);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('You are signed out');
  await expect(other).toHaveURL(/auth\?r=/);
  expect(await page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith('cc')))).toEqual([]);
});
