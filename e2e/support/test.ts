import {
  expect,
  test as base,
  type BrowserContext,
  type Frame,
  type Page,
  type Response,
} from 'playwright/test';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { onPostgres, WHOLE } from '../../tests/support/whole.ts';
import { takeLoggedErrors, startPortal, type Portal } from './portal.ts';

/** People of the demo data, by purpose. */
export const PEOPLE = {
  olivia: 'olivia@juniper.example',
  ana: 'ana@padaria.example',
  sophie: 'sophie@erable.example',
  marcus: 'marcus@holdings.example',
  nora: 'nora@newhere.example',
  leo: 'leo@closed.example',
  priya: 'priya@secure.example',
  lima: 'lima@aurora.example',
  eleanor: 'hart@maplehart.example',
} as const;

export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };

/**
 * Viewports for journeys on phone and desktop. Layout does not depend on the engine, so desktop only on
 * PostgreSQL and S3.
 */
export const SIZES = onPostgres && !WHOLE ? [DESK] : [PHONE, DESK];

/**
 * For journeys whose pages other tests check at every width, and most walk through at the width of a desktop: the
 * phone, and both sizes in the whole run.
 */
export const ONE_SIZE = WHOLE ? SIZES : SIZES.slice(0, 1);

/**
 * Sizes with scripts on and off, for journeys to which both matter: the phone with scripts and the desktop without,
 * and all four in the whole run.
 */
export const WAYS = SIZES.flatMap((viewport) =>
  [true, false].map((javaScriptEnabled) => ({ viewport, javaScriptEnabled })),
).filter(({ viewport, javaScriptEnabled }) => WHOLE || javaScriptEnabled === (viewport === PHONE));

/** Hostile text in a firm's branding, which must be escaped. */
export const HOSTILE = '"><script>alert(1)</script></style>';

/**
 * The worst possible branding of a firm; `npm test` runs all journeys on services with it (threat-model.md
 * T69).
 */
const WORST_THEME = `update themes set header_fill_color = '#ffff00', header_text_color = '#ffff00', button_fill_color = '#ffff00', button_text_color = '#ffff00', login_background = 'stripes', version = 'ffffffffffff', header_line1 = '${HOSTILE.replaceAll("'", "''")}', login_page_text = '${HOSTILE.replaceAll("'", "''")}'`;

interface WorkerFixtures {
  portal: Portal;
}

/** Expected problems; any other problem fails the test. */
export interface Trouble {
  /**
   * Expects one or more problems that match; without any the test fails, since it did not provoke what it
   * meant to.
   */
  expect: (pattern: RegExp) => void;
}

/**
 * One portal per worker. Watches every page of every context, including those that a test opens itself:
 * unexpected problems fail the test, and so do errors logged by the portal.
 */
export const test = base.extend<{ trouble: Trouble }, WorkerFixtures>({
  portal: [
    async ({}, use) => {
      const portal = await startPortal();
      if (onPostgres && !WHOLE) await portal.sql(WORST_THEME);
      await use(portal);
      await portal.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/en-us/`),
  context: async ({ context }, use) => {
    await use(context);
    // A script still loading when the test ends is not a failure.
    await Promise.all(
      [context, ...context.pages()].map((place) => place.unrouteAll({ behavior: 'ignoreErrors' })),
    );
  },
  trouble: [
    async ({ browser }, use) => {
      const seen: string[] = [];
      const expected: RegExp[] = [];
      takeLoggedErrors();
      const checks: Promise<void>[] = [];
      const watch = (context: BrowserContext): void => watchContext(context, seen, checks);
      browser.on('context', watch);
      await use({ expect: (pattern) => void expected.push(pattern) });
      browser.off('context', watch);
      await Promise.all(checks);
      seen.push(...takeLoggedErrors().map((line) => `the portal logged ${line}`));
      expect(
        seen.filter((trouble) => !expected.some((pattern) => pattern.test(trouble))),
        'These problems occurred in a page or in the portal. Fix them; if the test causes one on purpose, declare it with trouble.expect(/…/).',
      ).toEqual([]);
      expect(
        expected.filter((pattern) => !seen.some((trouble) => pattern.test(trouble))).map(String),
        'The test expects this problem, but it did not occur. Remove the trouble.expect(), or cause it again.',
      ).toEqual([]);
    },
    { auto: true },
  ],
});

/** Resources that must load; other requests may well get a 4xx, such as a form with invalid input. */
const RESOURCES = ['script', 'stylesheet', 'image', 'font', 'manifest', 'media'];

function watchContext(context: BrowserContext, troubles: string[], looks: Promise<void>[]): void {
  void context.addInitScript(() => {
    document.addEventListener(
      'securitypolicyviolation',
      ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
        console.error(
          `the content policy refused ${blockedURI} (${effectiveDirective}) in ${sourceFile}:${lineNumber}`,
        );
      },
    );
  });
  context.on('weberror', (error) => troubles.push(`script error: ${String(error.error())}`));
  context.on('console', (message) => {
    // Requests are judged by their response, below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      troubles.push(`console: ${message.text()}`);
  });
  context.on('response', (response: Response) => {
    const kind = response.request().resourceType();
    if (response.status() >= 500 || (response.status() >= 400 && RESOURCES.includes(kind)))
      troubles.push(`answered ${response.status()}: ${kind} ${response.url()}`);
    if (kind === 'document' || kind === 'fetch') looks.push(checkCookies(response, troubles));
    if (kind === 'document') noteMarkup(response);
  });
  context.on('request', (request) => {
    if (/^https?:\/\/(?!127\.0\.0\.1|localhost)/.test(request.url()))
      troubles.push(`a request to a stranger: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // For the next page (ui/prefetch.ts): the portal may have been stopped by then.
    const isPrefetch = request.resourceType() === 'fetch' && /\.(?:css|svg)$/.test(request.url());
    // A page opens it again by itself (ui/live-counts.ts).
    const isStream = request.resourceType() === 'eventsource';
    // Aborted by the user: leaving a page before it has loaded, or following a link that is a download.
    if (reason !== 'net::ERR_ABORTED' && !isPrefetch && !isStream)
      troubles.push(`request failed: ${reason} ${request.url()}`);
  });
}

const served = new WeakMap<Page, Promise<string>>();

/** The HTML of the page as last served, before any script ran; empty for a page that was not served. */
export const servedMarkup = async (page: Page): Promise<string> => (await served.get(page)) ?? '';

/** The frame of a response; undefined for a new window without one. */
function frameOf(response: Response): Frame | undefined {
  try {
    return response.request().isNavigationRequest() ? response.frame() : undefined;
  } catch {
    return undefined;
  }
}

function noteMarkup(response: Response): void {
  const frame = frameOf(response);
  const isPage =
    frame &&
    frame === frame.page().mainFrame() &&
    response.headers()['content-type']?.startsWith('text/html');
  if (isPage)
    served.set(
      frame.page(),
      response.text().catch(() => ''),
    ); // the page has been closed
}

/** Checks that every cookie of the portal is HttpOnly and SameSite (threat-model.md T25). */
async function checkCookies(response: Response, troubles: string[]): Promise<void> {
  // the page has been closed
  const cookies = await response.headerValues('set-cookie').catch(() => []);
  for (const cookie of cookies)
    if (!/; *httponly/i.test(cookie) || !/; *samesite=(?:lax|strict)/i.test(cookie))
      troubles.push(`an open cookie: ${cookie.split('=', 1)[0]} of ${response.url()}`);
}

export { expect };

export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/**
 * Waits until the page has loaded and its scripts have nothing left to do, so that what they would have requested by
 * themselves has been requested.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
}

/** Opens a page as a person with a session; tests of the sign-in itself use signIn. */
export async function enter(page: Page, email: string, path = 'documents'): Promise<void> {
  const answer = await page.request.post('auth', {
    form: { email, password: DEMO_PASSWORD },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(answer.url(), `${email} is signed in`).not.toContain('/auth');
  await page.goto(path);
}
