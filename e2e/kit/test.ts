import { expect, test as base, type BrowserContext, type Page, type Response } from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo.ts';
import { onPostgres, WHOLE } from '../../tests/kit/whole.ts';
import { faultsLogged, startPortal, type Portal } from './portal.ts';

/** People of the demo world, by what they are needed for. */
export const PEOPLE = { olivia: 'olivia@juniper.example', ana: 'ana@padaria.example', sophie: 'sophie@erable.example', marcus: 'marcus@holdings.example', nora: 'nora@newhere.example', leo: 'leo@closed.example', priya: 'priya@secure.example', lima: 'lima@aurora.example', eleanor: 'hart@maplehart.example' } as const;

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };

/** For journeys that must work on a phone and at a desk. How a page is laid out does not hang on the engine, so on PostgreSQL and S3 the desk will do. */
export const SIZES = onPostgres && !WHOLE ? [DESK] : [PHONE, DESK];

/** What a firm may well write into its texts; it must stay a text. */
export const HOSTILE = '"><script>alert(1)</script></style>';

/** The worst look that a firm can have: on the services the journeys of `npm test` go through with it from beginning to end (security.md T69). */
const WORST_LOOK = `update themes set header_fill_color = '#ffff00', header_text_color = '#ffff00', button_fill_color = '#ffff00', button_text_color = '#ffff00', login_background = 'stripes', version = 'ffffffffffff', header_line1 = '${HOSTILE.replaceAll("'", "''")}', login_page_text = '${HOSTILE.replaceAll("'", "''")}'`;

interface WorkerFixtures {
  portal: Portal;
}

/** Names what a test provokes on purpose; everything else that goes wrong fails it. */
export interface Trouble {
  /** One or more troubles like this will come. When none comes, the test fails: what it provokes did not happen. */
  expect: (pattern: RegExp) => void;
}

/**
 * One portal per worker. Every page of every context is watched, also of those that a test opens itself: what goes wrong in it without
 * being expected fails the test. So does a portal that logs an error.
 */
export const test = base.extend<{ trouble: Trouble }, WorkerFixtures>({
  portal: [
    async ({}, use) => {
      const portal = await startPortal();
      if (onPostgres && !WHOLE) await portal.sql(WORST_LOOK);
      await use(portal);
      await portal.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/en-us/`),
  context: async ({ context }, use) => {
    await use(context);
    // A script that a slow line still holds when the journey is over is no failure of it.
    await Promise.all([context, ...context.pages()].map((place) => place.unrouteAll({ behavior: 'ignoreErrors' })));
  },
  trouble: [
    async ({ browser }, use) => {
      const seen: string[] = [];
      const expected: RegExp[] = [];
      faultsLogged();
      const looks: Promise<void>[] = [];
      const watch = (context: BrowserContext): void => watchContext(context, seen, looks);
      browser.on('context', watch);
      await use({ expect: (pattern) => void expected.push(pattern) });
      browser.off('context', watch);
      await Promise.all(looks);
      seen.push(...faultsLogged().map((line) => `the portal logged ${line}`));
      expect(
        seen.filter((trouble) => !expected.some((pattern) => pattern.test(trouble))),
        'This went wrong in a page or in the portal. Mend it; only when the test provokes it on purpose, name it with trouble.expect(/…/).',
      ).toEqual([]);
      expect(
        expected.filter((pattern) => !seen.some((trouble) => pattern.test(trouble))).map(String),
        'The test says that this will go wrong, and nothing like it did. Take the trouble.expect() out, or provoke it again.',
      ).toEqual([]);
    },
    { auto: true },
  ],
});

/** Parts of a page that must be there; other addresses may well be answered with 4xx, such as a form with a mistake in it. */
const PARTS = ['script', 'stylesheet', 'image', 'font', 'manifest', 'media'];

function watchContext(context: BrowserContext, troubles: string[], looks: Promise<void>[]): void {
  void context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      console.error(`the content policy refused ${blockedURI} (${effectiveDirective}) in ${sourceFile}:${lineNumber}`);
    });
  });
  context.on('weberror', (error) => troubles.push(`script error: ${String(error.error())}`));
  context.on('console', (message) => {
    // A request is judged by its answer, below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) troubles.push(`console: ${message.text()}`);
  });
  context.on('response', (response: Response) => {
    const kind = response.request().resourceType();
    if (response.status() >= 500 || (response.status() >= 400 && PARTS.includes(kind))) troubles.push(`answered ${response.status()}: ${kind} ${response.url()}`);
    if (kind === 'document' || kind === 'fetch') looks.push(noteCookies(response, troubles));
  });
  context.on('request', (request) => {
    if (/^https?:\/\/(?!127\.0\.0\.1|localhost)/.test(request.url())) troubles.push(`a request to a stranger: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // What a person breaks off: a page left before all of it came, and a link that turns out to be a download.
    if (reason !== 'net::ERR_ABORTED') troubles.push(`request failed: ${reason} ${request.url()}`);
  });
}

/** Every cookie of the portal is closed to scripts and not sent with the forms of other sites (security.md T25). */
async function noteCookies(response: Response, troubles: string[]): Promise<void> {
  const cookies = await response.headerValues('set-cookie').catch(() => []); // of a page that is gone meanwhile
  for (const cookie of cookies) if (!/; *httponly/i.test(cookie) || !/; *samesite=(?:lax|strict)/i.test(cookie)) troubles.push(`an open cookie: ${cookie.split('=', 1)[0]} of ${response.url()}`);
}

export { expect };

export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Opens a page as somebody who signed in before; a journey about signing in fills in its form, with signIn. */
export async function enter(page: Page, email: string, path = 'documents'): Promise<void> {
  const answer = await page.request.post('auth', { form: { email, password: DEMO_PASSWORD }, headers: { 'sec-fetch-site': 'same-origin' } });
  expect(answer.url(), `${email} is signed in`).not.toContain('/auth');
  await page.goto(path);
}
