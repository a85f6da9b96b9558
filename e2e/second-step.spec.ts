import type { CDPSession, Page } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { freePort, startPortal, type Portal } from './support/portal.ts';
import { PEOPLE, expect, signIn, test as base } from './support/test.ts';

/**
 * A portal of its own under a host name: browsers bind passkeys to names only, and these tests change
 * passwords.
 */
const test = base.extend<object, { portal: Portal }>({
  portal: [
    async ({}, use) => {
      const port = await freePort();
      const origin = `http://localhost:${port}`;
      const portal = await startPortal({ PORT: String(port), PUBLIC_ORIGIN: origin, DEMO: '1' });
      await use({ ...portal, origin });
      await portal.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

/** Reads the code that an authenticator app would show now; the demo displays it. */
async function demoCode(page: Page): Promise<string> {
  return /\d{6}/.exec(await page.getByText('This is a demo. The app would show').innerText())?.[0] ?? '';
}

/**
 * Adds a virtual platform authenticator that confirms every request, as a laptop with a fingerprint reader.
 */
async function withAuthenticator(page: Page): Promise<Authenticator> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { devtools, authenticatorId };
}

interface Authenticator {
  devtools: CDPSession;
  authenticatorId: string;
}

/** Sets the count of uses that the authenticator's only passkey signs next, as that of a copy does not follow. */
async function setCount({ devtools, authenticatorId }: Authenticator, signCount: number): Promise<void> {
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toHaveLength(1);
  for (const credential of credentials) {
    const { credentialId } = credential;
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    await devtools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount },
    });
  }
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const keptCodes = (page: Page): Promise<string[]> => page.locator('ol code').allInnerTexts();

test.describe.configure({ mode: 'serial' });

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test("someone who needs a second step sets up an app, continues where they wanted to go, and next time enters the app's code or a recovery code", async ({
    browser,
    page,
    portal,
  }) => {
    test.setTimeout(120_000);
    await page.goto('clients?searchTerm=nair');
    await signIn(page, PEOPLE.priya);
    await expect(heading(page)).toHaveText('Set up two‑step verification');
    await page.goto('documents');
    await expect(heading(page), 'the password alone gives no access').toHaveText('Sign in');
    for (const form of [{ act: 'continue' }, { form: 'app-code', code: '000000' }]) {
      const tooEarly = await page.request.post('auth/mfa-required', {
        form,
        headers: { origin: portal.origin },
      });
      expect([form, tooEarly.status() < 500, await tooEarly.text()]).toEqual([
        form,
        true,
        expect.stringContaining('<h1>Set up two‑step verification</h1>'),
      ]);
    }
    await page.goBack();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await expect(page.getByRole('img', { name: 'QR code with the key' })).toBeVisible();
    await page.getByLabel('Code from your authenticator app').fill('000000');
    await page.getByRole('button', { name: 'Verify' }).click();
    await expect(page.getByRole('alert').first()).toContainText('Incorrect or expired code');
    await page.getByLabel('Code from your authenticator app').fill(await demoCode(page));
    await page.getByRole('button', { name: 'Verify' }).click();
    await expect(heading(page)).toHaveText('Recovery codes');
    const codes = await keptCodes(page);
    expect(codes).toHaveLength(10);
    await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
    await expect(page).toHaveURL(/clients\?searchTerm=nair$/);

    const other = await (
      await browser.newContext({ javaScriptEnabled: false, baseURL: `${portal.origin}/clientcenter/en-us/` })
    ).newPage();
    await other.goto('documents?orderBy=name');
    await signIn(other, PEOPLE.priya);
    await expect(heading(other)).toHaveText('Two-step verification');
    await other.locator('#second-step-code').fill('000000');
    await other.getByRole('button', { name: 'Continue' }).first().click();
    await expect(other.getByRole('alert').first()).toContainText('Incorrect or expired code');
    await other.getByText('Use a recovery code').click();
    await other.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] ?? '');
    await other.getByRole('button', { name: 'Continue' }).last().click();
    await expect(other).toHaveURL(/documents\?orderBy=name$/);

    await other.goto('profile/security');
    await expect(other.getByText('9 codes left')).toBeVisible();
    await expect(other.getByText('This device')).toHaveCount(1);
    await other.getByRole('button', { name: 'Sign out all other devices' }).click();
    await expect(other.getByText('1 other device signed out.')).toBeVisible();
    await page.goto('profile/security');
    await expect(heading(page)).toHaveText('Sign in');

    await portal.sql('update sessions set authenticated_at = 0');
    await other.goto('profile/security');
    await expect(other.getByRole('button', { name: 'Change password' })).toHaveCount(0);
    const before = (await other.context().cookies()).find(({ name }) => name === 'sid')?.value;
    await other.getByRole('link', { name: 'Confirm it’s you' }).click();
    await expect(other.locator('#confirm-password'), 'the password alone is not enough').toHaveCount(0);
    await other.locator('#confirm-app-code').fill('000000');
    await other.getByRole('button', { name: 'Confirm' }).click();
    await expect(other.getByRole('alert').first()).toContainText('Incorrect or expired code');
    await other.locator('#confirm-app-code').fill(await demoCode(other));
    await other.getByRole('button', { name: 'Confirm' }).click();
    await expect(heading(other)).toHaveText('Sign-in and security');
    expect((await other.context().cookies()).find(({ name }) => name === 'sid')?.value).not.toBe(before);
    await other.getByLabel('Current password').fill('correct-horse-2026');
    await other.getByLabel('New password').fill('password2026');
    await other.getByRole('button', { name: 'Change password' }).click();
    await expect(other.getByRole('alert').first()).toContainText('too common');
    await other.getByLabel('Current password').fill('correct-horse-2026');
    await other.getByLabel('New password').fill('seven grey lakes sing');
    await other.getByRole('button', { name: 'Change password' }).click();
    await expect(other.getByText('Password changed')).toBeVisible();
    await other.getByRole('button', { name: 'Remove Authenticator app' }).click();
    await expect(other.getByRole('alert').first()).toContainText('this is your only method');
  });

  test('someone who is signed in when their firm begins to require a second step sets it up before anything else', async ({
    page,
    portal,
  }) => {
    await page.goto('profile/security');
    await signIn(page, PEOPLE.sophie);
    await expect(page).toHaveURL(/profile\/security$/);
    const demand = (who: string) =>
      portal.sql(
        `update firms set second_step = '${who}', second_step_from = 0 where name = 'Northern Ledger'`,
      );
    await demand('everybody');
    await page.goto('documents?orderBy=name');
    await expect(heading(page)).toHaveText('Sign in');
    await signIn(page, PEOPLE.sophie);
    await expect(heading(page)).toHaveText('Set up two‑step verification');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByLabel('Code from your authenticator app').fill(await demoCode(page));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
    await expect(page).toHaveURL(/documents\?orderBy=name$/);
    await demand('nobody');
  });
});

test.describe('with a passkey', () => {
  test('a passkey signs someone in without a password, and also serves as the second step after the password', async ({
    page,
    portal,
  }) => {
    await withAuthenticator(page);
    await page.goto('profile/security');
    await signIn(page, PEOPLE.olivia);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(heading(page)).toHaveText('Recovery codes');
    expect(await keptCodes(page)).toHaveLength(10);
    await page.getByRole('link', { name: 'I’ve saved my codes' }).click();
    await expect(page.getByRole('button', { name: /^Remove Chrome on / })).toBeVisible();

    await page.context().clearCookies();
    await page.goto('documents?orderBy=name');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(page).toHaveURL(/documents\?orderBy=name$/);

    await page.context().clearCookies();
    await page.goto('documents?orderBy=size');
    await signIn(page, PEOPLE.olivia);
    await expect(heading(page)).toHaveText('Two-step verification');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(page).toHaveURL(/documents\?orderBy=size$/);

    await portal.sql('update sessions set authenticated_at = 0');
    await page.goto('profile/security');
    await page.getByRole('link', { name: 'Confirm it’s you' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: /^Remove Chrome on / }).click();
    await expect(page.getByText('Removed.')).toBeVisible();
    await expect(page.getByText('Off. Your password is the only protection')).toBeVisible();
  });

  test('a copy of a passkey that counts behind the original does not sign in', async ({ page }) => {
    const authenticator = await withAuthenticator(page);
    await page.goto('profile/security');
    await signIn(page, PEOPLE.olivia);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('link', { name: 'I’ve saved my codes' }).click();
    const signInByPasskey = async (): Promise<void> => {
      await page.context().clearCookies();
      await page.goto('documents?orderBy=name');
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    };
    await setCount(authenticator, 40);
    await signInByPasskey();
    await expect(page).toHaveURL(/documents\?orderBy=name$/);
    await setCount(authenticator, 10);
    await signInByPasskey();
    await expect(
      page
        .getByRole('alert')
        .filter({ hasText: /passkey/ })
        .first(),
    ).toBeVisible();
    await expect(heading(page)).toHaveText('Sign in');
    await setCount(authenticator, 60);
    await signInByPasskey();
    await expect(page).toHaveURL(/documents\?orderBy=name$/);
    await page.goto('profile/security');
    await page.getByRole('button', { name: /^Remove Chrome on / }).click();
    await expect(page.getByText('Removed.')).toBeVisible();
  });

  test('a passkey that fails leaves the other ways to sign in, and the page says so', async ({ page }) => {
    await page.goto('auth');
    await page.evaluate(() => {
      navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(page.getByText('The passkey request was canceled.')).toBeVisible();
    await signIn(page, PEOPLE.ana);
    await expect(page).toHaveURL(/\/home$/);
  });
});

test('a wrong password is reported beside its field without leaving the page, and the right one continues', async ({
  page,
  portal,
}) => {
  await page.goto('profile/security');
  await signIn(page, PEOPLE.ana);
  await expect(heading(page)).toHaveText('Sign-in and security');
  await portal.sql('update sessions set authenticated_at = 0');
  await page.goto('auth/confirm');
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('not this one');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(password).toHaveAccessibleDescription('Incorrect password.');
  await password.fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(heading(page)).toHaveText('Sign-in and security');

  const [current, next] = [
    page.getByLabel('Current password', { exact: true }),
    page.getByLabel('New password', { exact: true }),
  ];
  await current.fill('not this one');
  await next.fill('seven grey lakes sing');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(current).toHaveAccessibleDescription('Incorrect password.');
  await expect(next, 'the input is kept').toHaveValue('seven grey lakes sing');
  await current.fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Password changed')).toBeVisible();
});
