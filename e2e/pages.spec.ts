import type { Page } from 'playwright/test';
import { PAGES } from '../src/routes.ts';
import { exampleOf, staleExamples, WALKS } from './examples/all.ts';
import { statesOf, type State } from './examples/page-example.ts';
import { expectUsable, WIDTHS } from './support/accessibility.ts';
import type { Portal } from './support/portal.ts';
import { linkInMailbox } from './support/steps.ts';
import { PEOPLE, enter, expect, signIn, test } from './support/test.ts';
import { WHOLE } from '../tests/support/whole.ts';

/*
 * The pages in every state, checked for accessibility, width and markup. The states are declared in
 * e2e/examples/; what takes more than opening a page and a few steps is a test of its own below. A page that
 * no test opens fails the run (e2e/support/every-page.ts).
 */

test.describe.configure({ mode: 'parallel' }); // the longest file: each walk may run on another worker

const PER_TEST = 20; // states; walks whose states follow one another are shorter

test('every page has an example with its budget and its states', () => {
  for (const pattern of Object.keys(PAGES)) expect(exampleOf(pattern).budget.total).toBeGreaterThan(0);
  expect(() => exampleOf('/[base]/[lang]/news')).toThrow(/news is in PAGES .* Add it .* e2e\/examples/);
  expect(staleExamples(), 'These pages no longer exist: remove their examples from e2e/examples/.').toEqual(
    [],
  );
});

for (const { title, pages, person } of WALKS) {
  const states = statesOf(pages);
  const parts = Math.ceil(states.length / PER_TEST);
  for (let part = 0; part < parts; part += 1)
    test(`${title} are accessible and valid${parts > 1 ? `, part ${part + 1} of ${parts}` : ''}`, async ({
      page,
    }) => {
      test.setTimeout(240_000);
      await enterOnPhone(page, PEOPLE[person]);
      await walk(
        page,
        states.filter((_, i) => i % parts === part),
      );
    });
}

test('share links in each state are accessible and valid', async ({ page, portal }) => {
  test.setTimeout(240_000);
  await enterOnPhone(page, PEOPLE.ana);
  await expectLinksUsable(page, portal);
});

test('the client picker is accessible and valid', async ({ page }) => {
  await enterOnPhone(page, PEOPLE.marcus);
  await expectPickerUsable(page);
});

test('the single-column pages, signed out, are accessible and valid', async ({ page, portal }) => {
  test.setTimeout(240_000); // the documentation of the API has hundreds of controls
  await narrow(page);
  await page.goto('auth');
  await expectUsable(page, 'sign in');
  await page.goto('auth/logout');
  await expectUsable(page, 'signed out');
  await page.goto(`${portal.origin}/api/docs`);
  await expectUsable(page, 'API documentation', WHOLE ? WIDTHS : [WIDTHS[0]]); // one layout at every width, a minute each
});

test('the second step is accessible and valid', async ({ page, portal }) => {
  test.setTimeout(240_000);
  await narrow(page);
  await expectSecondStepUsable(page, portal);
});

test('terms, accounts, sign-in links and the session timeout are accessible and valid', async ({
  page,
  portal,
}) => {
  test.setTimeout(240_000);
  await narrow(page);
  await page.goto('');
  await signIn(page, 'tess@terms.example');
  await page.getByRole('button', { name: 'Accept and continue' }).waitFor();
  await expectUsable(page, 'terms to accept');
  await page.context().clearCookies();
  await page.goto('staff/terms');
  await signIn(page, 'hart@maplehart.example');
  await page.getByRole('button', { name: 'Publish' }).waitFor();
  await expectUsable(page, 'the terms of the firm');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expectUsable(page, 'the terms of the firm, with an error');
  await page.context().clearCookies();
  await page.goto('');
  await signIn(page, 'daniel@twofirms.example');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goto('account-switch');
  await expectUsable(page, 'linked accounts');
  const issued = await page.request.post(`${portal.origin}/api/security/v1/long-tokens`, {
    data: { kind: 'link' },
    headers: { Origin: portal.origin },
  });
  await page.goto(`documents?token=${((await issued.json()) as { longToken: string }).longToken}`);
  await expectUsable(page, 'a sign-in link');
  await page.goto('clients');
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('#session-end')?.showModal());
  await expectUsable(page, 'the session timeout');
});

/** Opens each page on a phone, without alerts of the previous one, and checks it. */
async function walk(page: Page, states: readonly State[]): Promise<void> {
  for (const [name, path, prepare] of states) {
    await page.evaluate(() => sessionStorage.clear());
    await narrow(page);
    await page.goto(typeof path === 'string' ? path : await path(page));
    await prepare?.(page);
    await expectUsable(page, name);
  }
}

const narrow = (page: Page): Promise<void> => page.setViewportSize({ width: WIDTHS[0], height: 800 });

async function enterOnPhone(page: Page, email: string): Promise<void> {
  await narrow(page);
  await enter(page, email);
}

/** Checks the client picker: with results, without any, and when loading fails. */
async function expectPickerUsable(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Select a company' });
  await page.getByRole('button', { name: 'Switch company' }).click();
  await page.getByRole('button', { name: 'All companies' }).click();
  await dialog.getByText('1–25 of 40').waitFor();
  await expectUsable(page, 'the client picker');
  await dialog.getByRole('searchbox').fill('zzzz');
  await dialog.getByText('No companies match your search.').waitFor();
  await expectUsable(page, 'the client picker, no results');
  await page.route(/v1\/clients\//, (route) => route.fulfill({ status: 404, json: { errors: [] } }));
  await dialog.getByRole('searchbox').fill('dover');
  await dialog.getByRole('alert').waitFor();
  await expectUsable(page, 'the client picker, loading failed');
}

/**
 * Checks share links in each state a recipient may see: unopened, open, with a code, after a wrong code,
 * expired, and requested again.
 */
async function expectLinksUsable(page: Page, portal: Portal): Promise<void> {
  const form = {
    locale: 'en-US',
    expirationPeriod: 'AfterOneDay',
    recipients: [{ emailAddress: 'states@supplier.example' }],
  };
  const documents = await page
    .locator('#document-list input[name=id]')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));
  const sharedItems = documents
    .slice(0, 2)
    .map((documentId) => ({ containerType: 'Folder', containerId: '-', documentId }));
  const share = async (extra: object): Promise<string> => {
    const subject = `States ${crypto.randomUUID()}`;
    const answer = await page.request.post('/api/storage/v2/sharing/share', {
      data: { ...form, overrides: { subject }, sharedItems, ...extra },
      headers: { Origin: portal.origin },
    });
    expect(answer.status()).toBe(200);
    return (await linkInMailbox(page, subject)).link;
  };
  const plain = await share({});
  const coded = await share({ authorizationCode: 'croissant-41' });
  await page.goto(plain);
  await expectUsable(page, 'a share link');
  await page.getByRole('button', { name: /View document/ }).click();
  await page
    .getByRole('link', { name: /^Download/ })
    .first()
    .waitFor();
  await expectUsable(page, 'an opened share link');
  await page
    .getByRole('link', { name: /^Open / })
    .first()
    .click();
  await page.getByRole('link', { name: 'Back to documents' }).waitFor();
  await expectUsable(page, 'a document of a share link');
  await page.goto(coded);
  await expectUsable(page, 'a share link with an access code');
  await page.getByLabel('Access code').fill('not-this-one');
  await page.getByRole('button', { name: /View document/ }).click();
  await page.locator('main [role=alert]').first().waitFor();
  await expectUsable(page, 'a share link after a wrong code');
  await page.goto('shares');
  await expectUsable(page, 'my shares, with two shares');
  await page.locator('.links tbody th a').first().click();
  await page.locator('article').waitFor();
  await expectUsable(page, 'one of my shares');
  const steps = await page
    .locator('article')
    .first()
    .getByRole('link', { name: /Extend|Revoke all|Resend/ })
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  expect(steps).toHaveLength(3);
  for (const step of steps) {
    await page.goto(step);
    await expectUsable(page, 'my shares, confirmation');
  }
  await portal.sql('update shares set expires_at = 1');
  await page.goto(steps.find((step) => step.includes('act=extend')) ?? '');
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.locator('main [role=alert]').first().waitFor();
  await expectUsable(page, 'my shares, extending an expired link');
  await page.goto('shares');
  await expectUsable(page, 'my shares, expired');
  await page.goto(coded);
  await expectUsable(page, 'an expired share link');
  await page.getByRole('button', { name: 'Request new link' }).click();
  await expect(page.getByRole('status').last()).toContainText(
    'Request sent. Ana Souza will email you a new link.',
  );
  await expectUsable(page, 'a requested share link');
  await page.goto('mailbox/');
  await page.getByRole('main').getByRole('row').getByRole('link').first().click();
  await page.locator('.text').waitFor();
  await expectUsable(page, 'a mail');
}

/** Checks the second step: setting it up, its QR code, a wrong code, recovery codes, and the next sign-in. */
async function expectSecondStepUsable(page: Page, portal: Portal): Promise<void> {
  for (const table of ['totp_secrets', 'recovery_codes', 'limits']) await portal.sql(`delete from ${table}`);
  const signInAs = async (): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(`${portal.origin}/clientcenter/en-us/auth`);
    await signIn(page, PEOPLE.priya);
  };
  await signInAs();
  await expectUsable(page, 'second step, setup');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  await page.getByLabel('Code from your authenticator app').fill('000000');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.locator('main [role=alert]').first().waitFor();
  await expectUsable(page, 'second step, wrong code');
  const code =
    /\d{6}/.exec(await page.getByText('This is a demo. The app would show').innerText())?.[0] ?? '';
  await page.getByLabel('Code from your authenticator app').fill(code);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  await expectUsable(page, 'recovery codes');
  await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
  await page.goto('profile/security');
  await expectUsable(page, 'sign-in and security, with an app');
  await signInAs();
  await page.getByText('Use a recovery code').click();
  await expectUsable(page, 'second step');
}
