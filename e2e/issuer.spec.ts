import type { Page } from 'playwright/test';
import {
  CLIENT,
  FAULTS,
  startIssuer,
  throughIssuer,
  type Fault,
  type SecondIssuer,
} from '../tests/support/issuer.ts';
import { expectUsable } from './support/accessibility.ts';
import { linkInMailbox } from './support/steps.ts';
import { freePort, startPortal, type Portal } from './support/portal.ts';
import { expect, PEOPLE, test } from './support/test.ts';

/*
 * A portal whose people sign in at an external issuer, which is a real OpenID provider on its own port
 * (threat-model.md T20, T22, T24, T27, T28).
 */

test.use({ baseURL: '' }); // starts its own portal

const START = '/clientcenter/en-us/';
let issuer: SecondIssuer;
let portal: Portal;

test.beforeAll(async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  issuer = await startIssuer({
    origin,
    paths: [`${START}auth`],
    logoutPaths: [`${START}auth/logout`],
    asksFirst: true,
  });
  Object.assign(issuer.person, { email: PEOPLE.olivia, email_verified: true });
  portal = await startPortal({
    PORT: String(port),
    PUBLIC_ORIGIN: origin,
    DEMO: '1',
    LOG_LEVEL: 'debug',
    OIDC_ISSUER: issuer.address,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_LINK_BY_EMAIL: '1',
  });
  Object.assign(portal, { origin });
});
test.afterAll(async () => {
  await portal.stop();
  await issuer.stop();
});
test.afterEach(() => issuer.spoil());

async function signInThere(page: Page, path = ''): Promise<void> {
  await page.goto(portal.origin + START + path);
  await itIsMe(page);
}

async function itIsMe(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second issuer');
  await page.getByRole('button', { name: 'It is me' }).click();
}

/** Expects the browser to be back from the issuer, on this page of the portal. */
const expectAt = (page: Page, path: string): Promise<void> =>
  expect(page).toHaveURL(portal.origin + START + path);

async function signOut(page: Page): Promise<void> {
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

test("a person signs in at the firm's issuer, continues working while it is down, and signs out there too", async ({
  page,
  browser,
  trouble,
}) => {
  trouble.expect(/answered 503: document/);
  await signInThere(page, 'clients?r=x');
  await expect(page).toHaveURL(`${portal.origin}${START}clients?r=x`);
  await page.goto(`${portal.origin}${START}documents`);
  await expect(page.getByText(/^1–100 of 1\d\d$/)).toBeVisible();

  await issuer.goAway();
  await page.reload();
  await expect(page.getByText(/^1–100 of 1\d\d$/)).toBeVisible();
  const stranger = await (await browser.newContext()).newPage();
  await expect
    .poll(async () => (await request(`${START}auth`, '')).status, {
      message: 'what the issuer said is believed for ten seconds',
      timeout: 20_000,
    })
    .toBe(503);
  await stranger.goto(`${portal.origin}${START}documents`);
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Sign-in is temporarily unavailable');
  await issuer.comeBack();
  await stranger.getByRole('link', { name: 'Try again' }).click();
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Second issuer');
  await stranger.context().close();

  await signOut(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second issuer');
  const there = new URL(page.url()).searchParams;
  expect([
    there.get('post_logout_redirect_uri'),
    there.get('client_id'),
    there.get('id_token_hint')?.split('.').length,
  ]).toEqual([`${portal.origin}${START}auth/logout`, CLIENT.id, 3]);
  await page.getByRole('button', { name: 'Sign out there too' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('You’ve signed out');
  expect(await portal.sql('select prism_guid from sessions')).toEqual([]);
});

test('a form sent after the session expired leads to the issuer and is restored afterwards', async ({
  page,
}) => {
  await signInThere(page, 'profile');
  await page.getByLabel('First name').fill('Olivia Maria');
  await portal.sql('update sessions set last_seen_at = 0');
  await page.getByRole('button', { name: 'Save' }).click();
  await itIsMe(page);
  await expectAt(page, 'kept-form');
});

test('step-up authentication happens at the issuer and continues the same session', async ({ page }) => {
  await signInThere(page, 'profile/security');
  await expectAt(page, 'profile/security');
  await portal.sql('update sessions set authenticated_at = 0');
  await page.reload();
  await page.getByRole('link', { name: 'Confirm it’s you' }).click();
  const olivia = issuer.person.sub;
  issuer.person.sub = 'somebody-else';
  await page.getByRole('button', { name: 'Continue with 127.0.0.1' }).click();
  await itIsMe(page);
  await expect(page.getByRole('alert').first()).toContainText('Sign in there as Olivia Bennett.');
  issuer.person.sub = olivia;
  issuer.person.auth_time = 1_700_000_000;
  await page.getByRole('button', { name: 'Continue with 127.0.0.1' }).click();
  await itIsMe(page);
  await expect(page.getByRole('alert').first()).toContainText('didn’t confirm that you just signed in');
  delete issuer.person.auth_time;
  const before = await sessions();
  await page.getByRole('button', { name: 'Continue with 127.0.0.1' }).click();
  await itIsMe(page);
  await expectAt(page, 'profile/security');
  await expect(page.getByRole('link', { name: 'Confirm it’s you' })).toHaveCount(0);
  const after = await sessions();
  expect([after.length, after.filter((id) => before.includes(id)).length]).toEqual([
    before.length,
    before.length - 1,
  ]);
});

test('someone without an account sees that they have none, not a timeout', async ({ page }) => {
  const olivia = { ...issuer.person };
  Object.assign(issuer.person, { sub: 'a-stranger', email: 'stranger@elsewhere.example' });
  await signInThere(page, 'clients');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('We couldn’t find your account');
  await expect(
    page.getByText('You signed in at 127.0.0.1, but that account isn’t linked to this portal.'),
  ).toBeVisible();
  await expectUsable(page, 'someone without an account');
  Object.assign(issuer.person, olivia);
});

test('an invited person accepts by signing in at the issuer, and from then on just signs in', async ({
  page,
  browser,
}) => {
  const olivia = { ...issuer.person };
  Object.assign(issuer.person, { sub: 'hart-at-the-issuer', email: 'hart@maplehart.example' });
  await signInThere(page, 'staff/people/new');
  const address = 'ivo@invited.example';
  for (const [label, text] of [
    ['Email address', address],
    ['First name', 'Ivo'],
    ['Last name', 'Invited'],
  ] as const)
    await page.getByLabel(label).fill(text);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText(`Invitation sent to ${address}.`)).toBeVisible();
  const { link } = await linkInMailbox(page, 'invited you to their client portal');

  Object.assign(issuer.person, { sub: 'ivo-at-the-issuer', email: 'private@elsewhere.example' });
  const invited = await (await browser.newContext()).newPage();
  await invited.goto(link);
  await expect(invited.getByLabel('New password')).toHaveCount(0);
  await expectUsable(invited, 'an invitation with another issuer');
  await invited.getByRole('button', { name: 'Continue with 127.0.0.1' }).click();
  await itIsMe(invited);
  await expect(invited.getByText('You now have access to the Maple & Hart CPAs portal.')).toBeVisible();
  await invited.getByRole('button', { name: 'Accept and continue' }).click();
  await expect(invited.getByText('Ivo Invited').first()).toBeAttached();
  await invited.context().clearCookies();
  await signInThere(invited, 'profile');
  await expectAt(invited, 'profile');
  await invited.context().close();

  const late = await (await browser.newContext()).newPage();
  await late.goto(link);
  await expect(late.getByRole('heading', { level: 1 })).toHaveText('This link has expired');
  await late.context().close();
  Object.assign(issuer.person, olivia);
});

test('the first owner of an empty portal signs in at the issuer, without a password and without a link by email', async ({
  page,
}) => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const own = await startIssuer({ origin, paths: [`${START}auth`], asksFirst: true });
  const empty = await startPortal({
    PORT: String(port),
    PUBLIC_ORIGIN: origin,
    DEMO: '0',
    OIDC_ISSUER: own.address,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  });
  try {
    const link = /http:\S+first-owner\/\S+/.exec(empty.output())?.[0] ?? '';
    await page.goto(link);
    await expect(page.getByLabel('New password')).toHaveCount(0);
    await page.getByRole('button', { name: 'Continue with 127.0.0.1' }).click();
    await expect(page.getByLabel('Firm name')).toHaveAttribute('aria-invalid', 'true');
    const fields = [
      ['Firm name', 'New Ledger'],
      ['Firm phone number', '+1 312 555 0142'],
      ['First name', 'Olga'],
      ['Last name', 'Owner'],
      ['Email address', 'olga@new.example'],
    ] as const;
    for (const [label, text] of fields) await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: 'Continue with 127.0.0.1' }).click();
    await itIsMe(page);
    await expect(page.getByText('You now have access to the New Ledger portal.')).toBeVisible();
    await expect(page.getByText('Olga Owner').first()).toBeAttached();
    await page.context().clearCookies();
    await page.goto(`${origin}${START}profile`);
    await itIsMe(page);
    await expect(page).toHaveURL(`${origin}${START}profile`);
  } finally {
    await empty.stop();
    await own.stop();
  }
});

test('the page that redirects to the issuer has a link in case the browser does not follow', async ({
  page,
}) => {
  // the browser stays on the page
  await page.route(`${issuer.address}/**`, (route) => route.fulfill({ status: 204 }));
  await page.goto(portal.origin + START);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Taking you to 127.0.0.1');
  await expectUsable(page, 'redirecting to the issuer');
  await page.unroute(`${issuer.address}/**`);
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second issuer');
});

/** Sends a request like a browser without scripts; returns the response and the cookies it sets. */
async function request(
  path: string,
  cookie: string,
): Promise<{ status: number; location: string; cookies: string[] }> {
  const answer = await fetch(new URL(path, portal.origin), { redirect: 'manual', headers: { cookie } });
  const refresh = /http-equiv="refresh" content="0;url=([^"]+)"/
    .exec(await answer.text())?.[1]
    ?.replaceAll('&#38;', '&')
    .replaceAll('&amp;', '&');
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? refresh ?? '',
    cookies: answer.headers.getSetCookie(),
  };
}
const cookieIn = ({ cookies }: { cookies: string[] }, name: string): string =>
  cookies
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .find((cookie) => cookie.startsWith(`${name}=`) && !cookie.endsWith('=')) ?? '';

/** Goes to the issuer and back, up to the address with which the browser returns to the portal. */
async function signInAtIssuer(cookie = ''): Promise<{ callback: string; signin: string }> {
  const left = await request(`${START}auth?r=${encodeURIComponent(`${START}clients`)}`, cookie);
  const { pathname, search } = await throughIssuer(left.location);
  return { callback: pathname + search, signin: cookieIn(left, 'signin') };
}
const sessions = async (): Promise<string[]> =>
  (await portal.sql('select session_hash from sessions order by session_hash')).map((row) =>
    String(row['session_hash']),
  );

test('a faulty response of the issuer leads to an error page, starts no session, and logs no secret', async () => {
  test.setTimeout(120_000);
  const secrets: string[] = [];
  const problems: string[] = [];
  const linked = await signInAtIssuer();
  expect(
    cookieIn(await request(linked.callback, linked.signin), 'sid'),
    'without a fault the sign-in succeeds',
  ).not.toBe('');
  const before = await sessions();
  for (const fault of Object.keys(FAULTS) as Fault[]) {
    issuer.spoil(fault);
    const { callback, signin } = await signInAtIssuer();
    const answer = await request(callback, signin);
    const isRight = answer.status === 303 && answer.location.startsWith(`${START}auth/signin-error?r=`);
    if (!isRight || cookieIn(answer, 'sid') !== '')
      problems.push(`${fault}: ${answer.status} ${answer.location} ${cookieIn(answer, 'sid')}`);
    secrets.push(
      signin.split('=')[1] ?? '',
      ...new URL(callback, portal.origin).searchParams.getAll('code'),
      ...new URL(callback, portal.origin).searchParams.getAll('state'),
    );
  }
  expect([problems, await sessions()]).toEqual([[], before]);
  const log = portal
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n');
  expect(log.split('\n').filter((line) => line.includes('"sign-in.refused"')).length).toBeGreaterThanOrEqual(
    Object.keys(FAULTS).length - 5,
  );
  expect(secrets.filter((secret) => secret.length > 8 && log.includes(secret))).toEqual([]);
  expect(
    [PEOPLE.olivia, issuer.person.sub, CLIENT.secret, 'eyJ'].filter((word) => log.includes(word)),
  ).toEqual([]);
});

test("an issuer response of an attacker, opened in another person's browser, changes nothing there", async () => {
  const attacker = await signInAtIssuer();
  const victim = await signInAtIssuer();
  const signedIn = await request(victim.callback, victim.signin);
  const sid = cookieIn(signedIn, 'sid');
  const before = await sessions();
  for (const cookie of ['', sid, `${sid}; ${(await signInAtIssuer()).signin}`]) {
    const answer = await request(attacker.callback, cookie);
    expect([answer.status, answer.location.split('?')[0], cookieIn(answer, 'sid')]).toEqual([
      303,
      `${START}auth/signin-error`,
      '',
    ]);
    expect(answer.cookies.filter((line) => line.startsWith('sid='))).toEqual([]);
  }
  expect(await sessions()).toEqual(before);
  expect((await request('/api/security/v1/session', sid)).status).toBe(200);
  const pending = await signInAtIssuer();
  expect((await request(attacker.callback, pending.signin)).cookies).toEqual([]);
  expect(
    cookieIn(await request(pending.callback, pending.signin), 'sid'),
    'the pending sign-in continues',
  ).not.toBe('');
});

test('someone whose firm requires a second factor sees why they cannot enter, until the issuer confirms one', async () => {
  const olivia = { ...issuer.person };
  Object.assign(issuer.person, { sub: 'priya-at-the-issuer', email: PEOPLE.priya, amr: ['pwd'] });
  const once = await signInAtIssuer();
  const refused = await request(once.callback, once.signin);
  expect([refused.location, cookieIn(refused, 'sid')]).toEqual([
    `${START}auth/mfa-required?r=${encodeURIComponent(`${START}clients`)}`,
    '',
  ]);
  expect(await (await fetch(portal.origin + refused.location)).text()).toContain(
    `href="${START}auth?r=${encodeURIComponent(`${START}clients`)}"`,
  );
  issuer.person.amr = ['pwd', 'mfa'];
  const twice = await signInAtIssuer();
  const answer = await request(twice.callback, twice.signin);
  expect([answer.location, cookieIn(answer, 'sid') !== '']).toEqual([`${START}clients`, true]);
  Object.assign(issuer.person, olivia);
  delete issuer.person.amr;
});

test('signing in again starts a new session and ends the previous one', async () => {
  const first = await signInAtIssuer();
  const old = cookieIn(await request(first.callback, first.signin), 'sid');
  const second = await signInAtIssuer(); // in another tab, opened earlier
  const young = cookieIn(await request(second.callback, `${old}; ${second.signin}`), 'sid');
  expect(young).not.toBe(old);
  expect([
    (await request('/api/security/v1/session', old)).status,
    (await request('/api/security/v1/session', young)).status,
  ]).toEqual([401, 200]);
});

test('the API starts a sign-in at the issuer and returns a token only to the browser that started it', async () => {
  const post = (path: string, cookie: string, json?: unknown) =>
    fetch(portal.origin + path, {
      method: 'POST',
      headers: {
        origin: portal.origin,
        cookie,
        ...(json
          ? { 'content-type': 'application/json' }
          : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(json ? { body: JSON.stringify(json) } : {}),
    });
  const begun = await post('/api/security/v1/oidc/login', '', {
    type: 'code',
    sp: 'portal',
    lang: 'en-US',
    redirectUri: '//evil.example',
  });
  const { redirectUrl } = (await begun.json()) as { redirectUrl: string };
  expect([begun.status, begun.headers.get('location')]).toEqual([200, redirectUrl]);
  expect(redirectUrl.startsWith(`${issuer.address}/auth?`)).toBe(true);
  const signin = cookieIn({ cookies: begun.headers.getSetCookie() }, 'signin');
  const { searchParams } = await throughIssuer(redirectUrl);
  const exchange = `/api/security/v1/oidc/auth-code/session?${searchParams}`;
  expect((await post(exchange, 'theme=none')).status, 'another browser is refused').toBe(401);
  const exchanged = await post(exchange, signin);
  expect([exchanged.status, await exchanged.json()]).toEqual([
    200,
    { tokenValue: expect.stringMatching(/^[\w-]{43}$/) as unknown as string },
  ]);
  const again = await post(exchange, signin);
  expect([again.status, await again.json()]).toEqual([
    401,
    { errors: [{ code: 'SIGN_IN_FAILED', reason: 'SIGN_IN_FAILED' }] },
  ]);
});
