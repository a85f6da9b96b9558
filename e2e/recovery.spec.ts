import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright/test';
import { startPortal, type Portal } from './support/portal.ts';
import { linkInMailbox } from './support/steps.ts';
import { totpNow } from './support/totp.ts';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

/*
 * Password reset, invitations, first owner and locked firms, all with scripts off as on the cheapest phone.
 */
test.use({ javaScriptEnabled: false });

const PHRASE = 'nine green kettles sing';

async function signInWith(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('someone who forgot the password sets a new one by mail, after which the old one and the link no longer work', async ({
  page,
  portal,
}) => {
  const hers = "prism_guid in (select prism_guid from contacts where full_name = 'Nora Lind')";
  const [before] = await portal.sql(`select password_hash from users where ${hers}`);
  await page.goto('auth');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email address').fill(PEOPLE.nora);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  const { link, mail } = await linkInMailbox(page, 'Reset your password');
  expect(mail).toContain('Maple & Hart CPAs');
  await page.goto(link);
  await page.getByLabel('New password', { exact: true }).fill('Nora Lind 2026');
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page.getByRole('alert')).toContainText('Don’t use your name');
  await page.getByLabel('New password', { exact: true }).fill(PHRASE);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page.getByRole('status').first()).toContainText('Password changed.');
  await signIn(page, PEOPLE.nora);
  await expect(page.getByRole('alert')).toContainText('Incorrect');
  await expect(page).toHaveTitle(/^Error: Sign in/);
  await expect(page.getByLabel('Password')).toBeFocused();
  for (const field of [page.getByLabel('Email address'), page.getByLabel('Password')]) {
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(field).toHaveAccessibleDescription(/Incorrect/);
  }
  await signInWith(page, PEOPLE.nora, PHRASE);
  await expect(page).toHaveURL(/\/home$/);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link has expired');
  // other tests use this portal, too
  await portal.sql(`update users set password_hash = '${String(before?.['password_hash'])}' where ${hers}`);
});

test('staff invite a contact, who sets a password and sees the client; a rescue code lets them in again', async ({
  page,
  browser,
  baseURL,
}) => {
  await page.goto('auth');
  await signIn(page, PEOPLE.eleanor);
  await page.goto('staff/people/new');
  await page.getByLabel('Email address').fill('nia@new.example');
  await page.getByLabel('First name').fill('Nia');
  await page.getByLabel('Last name').fill('Newcomer');
  await page.getByLabel('Client numbers').fill('ND-01');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status').first()).toContainText('Invitation sent to nia@new.example.');
  const { link } = await linkInMailbox(page, 'invited you', 1, 'nia@new.example');

  const phone = await (
    await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 640 },
      ...(baseURL && { baseURL }),
    })
  ).newPage();
  await phone.goto(link);
  await phone.getByLabel('New password', { exact: true }).fill(PHRASE);
  await phone.getByRole('button', { name: 'Create password and continue' }).click();
  await signInWith(phone, 'nia@new.example', PHRASE);
  // another test may have published terms for this firm
  const [accept, client] = [
    phone.getByRole('button', { name: 'Accept and continue' }),
    phone.getByText('Nair Dental PLLC').first(),
  ];
  await expect(accept.or(client).first()).toBeVisible();
  if (await accept.isVisible()) await accept.click();
  await expect(client).toBeVisible();

  await page.goto('staff/rescue');
  await page.getByLabel('Contact’s email address').fill('nia@new.example');
  await page.getByRole('button', { name: 'Create access code' }).click();
  const code = await page.locator('main code').innerText();
  await phone.goto('auth/rescue');
  await phone.getByLabel('Email address').fill('nia@new.example');
  await phone.getByLabel('One-time access code', { exact: true }).fill(code);
  await phone.getByLabel('New password', { exact: true }).fill('eleven blue kettles hum');
  await phone.getByRole('button', { name: 'Reset password' }).click();
  await phone.goto('documents');
  await expect(phone, 'the earlier session has ended').toHaveURL(/\/auth\?r=/);
  await signInWith(phone, 'nia@new.example', 'eleven blue kettles hum');
  await expect(phone).toHaveURL(/\/documents$/);
  await phone.context().close();
});

test('no response reveals who has an account: they are the same byte for byte', async ({ page, portal }) => {
  const post = async (address: string, form: Record<string, string>): Promise<unknown> => {
    const answer = await page.request.post(`${portal.origin}/clientcenter/en-us/${address}`, {
      form,
      // uncompressed: the compressed size depends on the letters of the address
      headers: { Origin: portal.origin, 'Accept-Encoding': 'identity' },
      maxRedirects: 0,
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers()).filter(([name]) => !['date', 'x-request-id'].includes(name)),
    );
    return {
      status: answer.status(),
      headers,
      // each page has another key for its forms, of the same length
      body: (await answer.text())
        .replaceAll(form['email'] ?? '', 'WHO')
        .replaceAll(/name="request-key" value="[^"]{16}"/g, 'KEY'),
    };
  };
  const sleeping = { password: PHRASE, code: '1111 2222' };
  for (const [address, status] of [
    ['auth/forgot', 303],
    ['auth', 422],
    ['auth/rescue', 422],
  ] as const) {
    const form = address.replace('auth/', '');
    const known = await post(address, { form, email: 'lima@aurora.example', ...sleeping });
    expect(known).toMatchObject({ status });
    expect(await post(address, { form, email: 'nemo@aurora.example', ...sleeping }), address).toEqual(known);
  }
});

test.describe('a portal of its own', () => {
  test.use({ baseURL: '' });
  let own: Portal;
  test.afterEach(() => own.stop());

  test('an empty portal prints a link for its first owner, who names the firm, sets up a second step, and may make it optional', async ({
    page,
    browser,
  }) => {
    own = await startPortal({ DEMO: '0' });
    const link = /http:\S+first-owner\/\S+/.exec(own.output())?.[0] ?? '';
    const inTokyo = await browser.newContext({ javaScriptEnabled: true, timezoneId: 'Asia/Tokyo' });
    const theirs = await inTokyo.newPage();
    await theirs.goto(link);
    await expect(theirs.locator('input[name=timeZone]')).toHaveValue('Asia/Tokyo');
    await inTokyo.close();
    await page.goto(link);
    for (const [label, text] of [
      ['Firm name', 'New Ledger'],
      ['Firm phone number', '+1 312 555 0142'],
      ['First name', 'Olga'],
      ['Last name', 'Owner'],
      ['Email address', 'olga@new.example'],
      ['New password', PHRASE],
    ] as const)
      await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: 'Set up portal' }).click();
    await expect(page.getByRole('status').first()).toContainText('The New Ledger portal is set up.');
    await signInWith(page, 'olga@new.example', PHRASE);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up two‑step verification');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page
      .getByLabel('Code from your authenticator app')
      .fill(totpNow(await page.locator('main code').first().innerText()));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
    await expect(page.getByText('Olga Owner').first()).toBeAttached();
    await page.goto(`${own.origin}/clientcenter/en-us/staff/access`);
    await expect(page.getByLabel('Your team', { exact: true })).toBeChecked();
    await page.getByLabel('From').fill('2099-01-01');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alert')).toContainText('Enter a date within the next year.');
    await page.getByLabel('From').fill('');
    await page.getByLabel('No one').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Two-step verification settings saved.')).toBeVisible();
    await expect(page.getByLabel('No one')).toBeChecked();
    await page.goto(`${own.origin}/clientcenter/en-us/staff/theme`);
    await expect(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('America/New_York');
    await page.goto(link);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link has expired');
  });

  test('people of a locked firm are turned away at their next request', async ({ page }) => {
    own = await startPortal();
    await page.goto(`${own.origin}/clientcenter/en-us/auth`);
    await signIn(page, PEOPLE.olivia);
    await expect(page).toHaveURL(/\/home$/);
    await own.sql("update firms set locked = 1 where name = 'Maple & Hart CPAs'");
    await page.reload();
    await expect(page).toHaveURL(/\/auth\/firm-locked$/);
  });

  test('an operator lets a locked-out owner in again with a command', async ({ page }) => {
    own = await startPortal();
    const env = { ...process.env, ...own.env, PUBLIC_ORIGIN: own.origin, LOG_LEVEL: 'error' };
    const command = spawn(process.execPath, ['dist/server/owner.mjs', 'reset', PEOPLE.eleanor], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said, [code]] = await Promise.all([
      text(command.stdout),
      once(command, 'exit') as Promise<[number]>,
    ]);
    expect(code).toBe(0);
    await page.goto(/http:\S+\/auth\/reset\/\S+/.exec(said)?.[0] ?? '');
    await page.getByLabel('New password', { exact: true }).fill(PHRASE);
    await page.getByRole('button', { name: 'Reset password' }).click();
    await signInWith(page, PEOPLE.eleanor, PHRASE);
    await expect(page.getByText('Eleanor Hart').first()).toBeAttached();
    await page.waitForLoadState(); // the portal stops now
  });

  test('an operator can lock a firm with a command while the portal runs', async () => {
    own = await startPortal();
    const env = { ...process.env, ...own.env, LOG_LEVEL: 'error' };
    for (const [args, locked] of [
      [['Contábil Aurora'], 1],
      [['Contábil Aurora', '--unlock'], 0],
    ] as const) {
      const [code] = (await once(
        spawn(process.execPath, ['dist/server/lock-firm.mjs', ...args], { env, stdio: 'ignore' }),
        'exit',
      )) as [number];
      expect(code).toBe(0);
      expect(await own.sql("select locked from firms where name = 'Contábil Aurora'")).toMatchObject([
        { locked },
      ]);
    }
  });
});
