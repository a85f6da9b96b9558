import type { Page } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { GRACE } from '../tests/support/whole.ts';
import { expect, PEOPLE, signIn, test } from './support/test.ts';

/* Signing out ends the session in every tab of this browser (threat-model.md T24, T22). */

async function signOut(page: Page): Promise<void> {
  await page.locator('#account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'You’ve signed out' })).toBeVisible();
}

test('signing out applies to every tab within a second, and the back button shows no document', async ({
  page,
  context,
}) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  const row = page.locator('#document-list tbody tr').first();
  await expect(row).toBeVisible();
  const name = (await row.getByRole('link').first().innerText()).trim();
  const other = await context.newPage();
  await other.goto('clients');
  await other.getByRole('link', { name: 'English (United States)' }).click();
  await expect(other.getByRole('dialog')).toBeVisible();
  await page.goto('documents?orderBy=name');
  await expect(page.locator('#document-list tbody tr').first()).toBeVisible();

  await signOut(page);
  await expect(other).toHaveURL(/\/auth\?r=%2Fclientcenter%2Fen-us%2Fclients$/, { timeout: 1000 + GRACE });
  await expect(other.getByLabel('Password')).toBeVisible();
  await expect(other.getByRole('dialog')).toBeHidden();
  expect(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)])).toEqual([
    [],
    [],
  ]);
  const left = (await context.cookies()).map((cookie) => cookie.name);
  expect(
    ['sid', 'client', 'flash', 'visit', 'signin', '_session', '_session.sig'].filter((cookie) =>
      left.includes(cookie),
    ),
  ).toEqual([]);

  await page.goBack();
  await expect(page.getByLabel('Password')).toBeVisible();
  expect(await page.content()).not.toContain(name);
});

test('signing out remembers the current page for the next sign-in, and never a foreign address', async ({
  portal,
  page,
}) => {
  const leave = async (r: string): Promise<string> =>
    (
      await fetch(`${portal.origin}/clientcenter/en-us/auth/logout`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: portal.origin },
        body: new URLSearchParams({ r }),
      })
    ).headers.get('location') ?? '';
  expect(await leave('/clientcenter/en-us/clients')).toBe(
    '/clientcenter/en-us/auth?r=%2Fclientcenter%2Fen-us%2Fclients&signed-out=',
  );
  for (const r of ['', '/clientcenter/en-us/auth/logout', 'https://evil.example'])
    expect(await leave(r)).toBe('/clientcenter/en-us/auth/logout');
  const bare = await fetch(`${portal.origin}/clientcenter/en-us/auth/logout`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: portal.origin },
  });
  expect([bare.status, bare.headers.get('clear-site-data')]).toEqual([303, '"cache", "storage"']);

  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  await expect(page).toHaveURL(/\/documents$/);
  await page.goto('auth/logout');
  await expect(page, 'a GET does not sign out').toHaveURL(/\/home$/);
});

for (const javaScriptEnabled of [true, false]) {
  test(`someone who signs out and in again returns to the same page, with scripts ${javaScriptEnabled ? 'on' : 'off'}`, async ({
    browser,
    portal,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    await page.goto(`${portal.origin}/clientcenter/en-us/receipts?kind=sent`);
    await signIn(page, PEOPLE.olivia);
    await expect(page).toHaveURL(/receipts\?kind=sent$/);
    await signOut(page);
    await expect(page).toHaveURL(/\/auth\?r=%2Fclientcenter%2Fen-us%2Freceipts%3Fkind%3Dsent&signed-out=$/);
    await signIn(page, PEOPLE.olivia);
    await expect(page).toHaveURL(/receipts\?kind=sent$/);
    await context.close();
  });
}

test('signing in again on the same device starts a new session and ends the previous one', async ({
  page,
  context,
  portal,
}) => {
  const sid = async (): Promise<string> =>
    (await context.cookies()).find(({ name }) => name === 'sid')?.value ?? '';
  const status = async (value: string): Promise<number> =>
    (await fetch(`${portal.origin}/api/security/v1/session`, { headers: { cookie: `sid=${value}` } })).status;
  await context.addCookies([{ name: 'sid', value: 'x'.repeat(43), url: portal.origin }]);
  await page.goto('documents');
  const form = await context.newPage();
  await form.goto('auth'); // stays open while the person signs in in another tab
  await signIn(page, PEOPLE.olivia);
  await expect(page).toHaveURL(/\/documents$/);
  const first = await sid();
  await form.getByLabel('Email address').fill(PEOPLE.ana);
  await form.getByLabel('Password').fill(DEMO_PASSWORD);
  await form.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(form).toHaveURL(/\/(home|clients)$/);
  const second = await sid();
  expect(new Set(['x'.repeat(43), first, second]).size).toBe(3);
  expect([await status('x'.repeat(43)), await status(first), await status(second)]).toEqual([401, 401, 200]);
});
