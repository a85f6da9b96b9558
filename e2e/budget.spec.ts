import type { Page } from 'playwright/test';
import { PAGES } from '../src/routes.ts';
import type { Portal } from './support/portal.ts';
import { linkInMailbox } from './support/steps.ts';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

// one of the longest files: each test may run on another worker
test.describe.configure({ mode: 'parallel' });

interface Weight {
  total: number;
  script: number;
  /** kB of scripts that contain React. */
  react: number;
  font: number;
}

/** Text that every build of React contains. */
const REACT = /Symbol\.for\(["'`]react\.(?:transitional\.)?element["'`]\)/;
const kB = (bytes: number): number => Math.round(bytes / 100) / 10;

/** Pages of a document as images: their weight depends on the document. */
const CONTENT = /\/documents\/[^/]+\/pages\//;

/**
 * Loads a page with an empty cache and returns the bytes on the wire, in kB of 1,000 bytes: all responses
 * with their headers, scripts by their bodies. Images of document pages are left out.
 */
async function weigh(page: Page, url: string, touch?: () => Promise<void>): Promise<Weight> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const kinds = new Map<string, string>();
  const addresses = new Map<string, string>();
  const headers = new Map<string, number>();
  const bytes = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    kinds.set(requestId, type);
    addresses.set(requestId, response.url);
    headers.set(requestId, response.encodedDataLength);
  });
  session.on(
    'Network.loadingFinished',
    ({ requestId, encodedDataLength }) => void bytes.set(requestId, encodedDataLength),
  );
  await page.goto(url);
  await page.waitForLoadState('networkidle');
  if (touch) {
    bytes.clear();
    await touch();
    await page.waitForLoadState('networkidle');
  }
  const of = (kind: string): [string, number][] =>
    [...bytes]
      .filter(([id]) => kinds.get(id) === kind)
      .map(([id, size]) => [id, size - (headers.get(id) ?? 0)]);
  const sum = (sizes: (readonly [string, number])[]): number =>
    kB(sizes.reduce((all, [, size]) => all + size, 0));
  const withReact: [string, number][] = [];
  for (const script of of('Script')) {
    // the browser drops response bodies when it is short of memory
    const code = await fetch(addresses.get(script[0]) ?? '');
    if (REACT.test(await code.text())) withReact.push(script);
  }
  await session.detach();
  return {
    total: sum([...bytes].filter(([id]) => !CONTENT.test(addresses.get(id) ?? ''))),
    script: sum(of('Script')),
    react: sum(withReact),
    font: sum(of('Font')),
  };
}

/** Touches an island and waits until it is hydrated. */
async function hydrate(page: Page, inside: string): Promise<void> {
  await page.locator(inside).hover();
  await page.locator('astro-island:not([ssr])', { has: page.locator(inside) }).waitFor();
}

/** Budgets of the first view and of the first touch in kB, compressed with brotli. */
const PLAIN = { total: 20, script: 4 };
const LIST = { total: 45, script: 16 };
/** htmx is loaded at the first touch of the list. */
const DOCUMENTS = { total: 37, script: 8 };
const AFTER_TOUCH = 85;
/** The scanner is used on a phone, perhaps on mobile data. */
const SCANNER_AFTER_TOUCH = 80;

/** The budget of each page; pages that people without an account open on a phone are PLAIN. */
const BUDGETS: Readonly<Record<string, typeof LIST>> = {
  '/[base]/[lang]': LIST,
  '/[base]/[lang]/documents': DOCUMENTS,
  '/[base]/[lang]/documents/send': LIST,
  '/[base]/[lang]/documents/delete': LIST,
  '/[base]/[lang]/documents/organize': LIST,
  '/[base]/[lang]/documents/project': LIST,
  '/[base]/[lang]/documents/trash': LIST,
  '/[base]/[lang]/documents/scan': LIST,
  '/[base]/[lang]/documents/rights': LIST,
  '/[base]/[lang]/shares': LIST,
  '/[base]/[lang]/partials/documents': LIST,
  '/[base]/[lang]/documents/[documentId]': LIST,
  '/[base]/[lang]/documents/[documentId]/comments': LIST,
  '/[base]/[lang]/documents/[documentId]/view': LIST,
  '/[base]/[lang]/documents/download': LIST,
  '/[base]/[lang]/partials/download': LIST,
  '/[base]/[lang]/receipts': LIST,
  '/[base]/[lang]/receipts/[number]': LIST,
  '/[base]/[lang]/verify': PLAIN,
  '/[base]/[lang]/clients': LIST,
  '/[base]/[lang]/home': LIST,
  '/[base]/[lang]/tasks': LIST,
  '/[base]/[lang]/actions': LIST,
  '/[base]/[lang]/actions/not-authorized': LIST,
  '/[base]/[lang]/actions/[section]/[action]': LIST,
  '/[base]/[lang]/company/[companyId]': LIST,
  '/[base]/[lang]/mobile': PLAIN,
  '/[base]/[lang]/mobile/actions/[...action]': LIST,
  '/[base]/[lang]/.well-known/[link]': LIST,
  '/[base]/[lang]/staff/access': LIST,
  '/[base]/[lang]/profile/activity': LIST,
  '/[base]/[lang]/staff': LIST,
  '/[base]/[lang]/staff/settings': LIST,
  '/[base]/[lang]/staff/contacts': LIST,
  '/[base]/[lang]/staff/mails': LIST,
  '/[base]/[lang]/staff/mails/[id]': LIST,
  '/[base]/[lang]/staff/mails/[id]/letter': LIST,
  '/[base]/[lang]/staff/view-as/[id]': LIST,
  '/[base]/[lang]/staff/view-as/end': LIST,
  '/[base]/[lang]/staff/view-as/read-only': LIST,
  '/[base]/[lang]/staff/audit': LIST,
  '/[base]/[lang]/staff/audit.csv': LIST,
  '/[base]/[lang]/kit': LIST,
  '/[base]/[lang]/mailbox': LIST,
  '/[base]/[lang]/mailbox/[id]': LIST,
  '/[base]/[lang]/profile': LIST,
  '/[base]/[lang]/announcement': LIST,
  '/[base]/[lang]/staff/sharing': LIST,
  '/[base]/[lang]/staff/theme': LIST,
  '/[base]/[lang]/profile/security': LIST,
  '/[base]/[lang]/auth/second-step': PLAIN,
  '/[base]/[lang]/auth/confirm': PLAIN,
  '/[base]/[lang]/auth/leaving': PLAIN,
  '/[base]/[lang]/auth': PLAIN,
  '/[base]/[lang]/auth/logout': PLAIN,
  '/[base]/[lang]/auth/continue': PLAIN,
  '/[base]/[lang]/account-switch': PLAIN,
  '/[base]/[lang]/kept-form': PLAIN,
  '/[base]/[lang]/terms-and-conditions': LIST,
  '/[base]/[lang]/staff/terms': LIST,
  '/[base]/[lang]/auth/firm-locked': PLAIN,
  '/[base]/[lang]/auth/mfa-required': PLAIN,
  '/[base]/[lang]/auth/signin-error': PLAIN,
  '/[base]/[lang]/auth/forgot': PLAIN,
  '/[base]/[lang]/auth/reset/[token]': PLAIN,
  '/[base]/[lang]/auth/rescue': PLAIN,
  '/[base]/[lang]/auth/invitation/[token]': PLAIN,
  '/[base]/[lang]/auth/first-owner/[token]': PLAIN,
  '/[base]/[lang]/staff/invitations': LIST,
  '/[base]/[lang]/staff/rescue': LIST,
  '/[base]/[lang]/language': PLAIN,
  '/[base]/[lang]/share/[token]': PLAIN,
  '/[base]/[lang]/not-authorized': PLAIN,
  '/[base]/[lang]/notfound': PLAIN,
  '/404': PLAIN,
  '/500': PLAIN,
};

const withoutBudget = (pages: string[]): string[] =>
  pages
    .filter((page) => !Object.hasOwn(BUDGETS, page))
    .map(
      (page) =>
        `${page} has no budget. Add it to BUDGETS in e2e/budget.spec.ts: PLAIN, or LIST when only people who are signed in open it.`,
    );

test('every page has a budget', () => {
  expect(withoutBudget(Object.keys(PAGES))).toEqual([]);
  expect(withoutBudget([...Object.keys(PAGES), '/[base]/[lang]/planted'])).toEqual([
    expect.stringMatching(/planted has no budget/),
  ]);
  expect(
    Object.keys(BUDGETS).filter((page) => !(page in PAGES)),
    'These budgets are for pages that no longer exist: remove them.',
  ).toEqual([]);
});

const baseOf = (portal: Portal): string => `${portal.origin}/clientcenter/en-us/`;
const isDownload = (pattern: string): boolean => /\.csv$|\/documents\/\[documentId\]$/.test(pattern);
const isPart = (pattern: string): boolean =>
  /\/(?:home|actions|actions\/\[section\]\/\[action\])$/.test(pattern);

/**
 * Groups pages by who opens them: people without an account, staff, people of a firm that has every area, and
 * other people. Of a download, the refusal is weighed.
 */
function openedBy(pattern: string): 'strangers' | 'staff' | 'parts' | 'people' {
  const { who } = PAGES[pattern] ?? {};
  // contains the mail with the recipient's link
  if (who === 'visitor' || pattern.endsWith('/mailbox/[id]')) return 'strangers';
  if (isPart(pattern)) return 'parts';
  return who === 'staff' && !isDownload(pattern) ? 'staff' : 'people';
}

/** Weighs the pages of this group that have a fixed address or take one of these ids. */
async function weighAll(
  page: Page,
  portal: Portal,
  kind: ReturnType<typeof openedBy>,
  ids: Readonly<Record<string, string>> = {},
): Promise<Record<string, Weight>> {
  const weights: Record<string, Weight> = {};
  const patterns = Object.keys(PAGES).filter(
    (one) =>
      one.startsWith('/[base]') && !/\[(?:id|token)\](?:\/letter)?$/.test(one) && openedBy(one) === kind,
  );
  for (const pattern of patterns) {
    const values = isDownload(pattern) ? {} : ids;
    const path = pattern
      .replace(/^\/\[base\]\/\[lang\]\/?/, '')
      .replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, (_, name: string) => values[name] ?? 'none');
    weights[pattern] = await weigh(page, baseOf(portal) + path);
  }
  return weights;
}

/** Expects that every page of these groups was weighed and is within its budget. */
function expectLight(weights: Record<string, Weight>, kinds: readonly ReturnType<typeof openedBy>[]): void {
  console.table(weights);
  expect(Object.keys(weights).toSorted(), 'every page was weighed').toEqual(
    Object.keys(PAGES)
      .filter((pattern) => kinds.includes(openedBy(pattern)))
      .toSorted(),
  );
  for (const [name, weight] of Object.entries(weights)) {
    const budget = BUDGETS[name] ?? PLAIN;
    expect(weight.script, `${name}: script`).toBeLessThanOrEqual(budget.script);
    expect(weight.total, `${name}: total`).toBeLessThanOrEqual(budget.total);
    expect(
      weight.react,
      `${name}: React may be loaded only when an island is touched (client:interaction)`,
    ).toBe(0);
    expect(weight.font, `${name}: use the fonts of the device`).toBe(0);
  }
}

function expectLightTouched(weights: Record<string, Weight>): void {
  console.table(weights);
  for (const [name, weight] of Object.entries(weights)) {
    expect(weight.script, `${name}, touched: script`).toBeLessThanOrEqual(
      name === 'scanner' ? SCANNER_AFTER_TOUCH : AFTER_TOUCH,
    );
    expect(weight.react, `${name}, touched: React is detected when it is loaded`).toBeGreaterThan(0);
  }
}

test('public pages stay within their budget for a cheap phone on a slow connection', async ({
  page,
  browser,
  portal,
  trouble,
}) => {
  test.setTimeout(120_000);
  trouble.expect(/answered 500: document/);
  trouble.expect(/the portal logged .*"page.failed"/);
  const weights = await weighAll(page, portal, 'strangers');
  weights['/404'] = await weigh(page, `${portal.origin}/nowhere`);
  for (const kind of ['reset', 'invitation', 'first-owner'])
    weights[`/[base]/[lang]/auth/${kind}/[token]`] = await weigh(page, `${baseOf(portal)}auth/${kind}/none`);
  const sender = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await sender.goto('documents');
  await signIn(sender, PEOPLE.olivia);
  await sender.locator('#document-list input[name=id]').first().check();
  await sender.getByRole('button', { name: 'Send by e-mail' }).click();
  await sender.getByRole('textbox', { name: 'To', exact: true }).fill('light@supplier.example');
  await sender.getByLabel('Subject').fill('A light page');
  await sender.getByRole('button', { name: 'Send', exact: true }).click();
  const { link, address } = await linkInMailbox(sender, 'A light page');
  weights['/[base]/[lang]/share/[token]'] = await weigh(page, link);
  weights['/[base]/[lang]/mailbox/[id]'] = await weigh(sender, address);
  await portal.sql('alter table documents rename to documents_away');
  weights['/500'] = await weigh(sender, `${baseOf(portal)}documents`);
  await portal.sql('alter table documents_away rename to documents');
  expectLight(weights, ['strangers']);
});

test('pages behind the sign-in stay within their budget for a cheap phone on a slow connection', async ({
  page,
  browser,
  portal,
}) => {
  test.setTimeout(120_000);
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().waitFor();
  // otherwise the start page of the app redirects before it is weighed
  await page.evaluate(() => sessionStorage.setItem('ccMobile', 'true'));
  await page.goto('documents?view=flat&name=engagement+letter');
  const row = page.locator('#document-list tr', { hasText: '.pdf' });
  const documentId = (await row.locator('input[name=id]').getAttribute('value')) ?? '';
  await page.goto('receipts');
  const receipt = await page.locator('main a[href*="/receipts/"]').first().getAttribute('href');
  const number = /[^/]+$/.exec(receipt ?? '')?.[0] ?? '';
  const weights = await weighAll(page, portal, 'people', { documentId, number });
  expectLight(weights, ['people']);
  const many = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await many.goto('documents');
  await signIn(many, PEOPLE.marcus);
  await many.waitForURL(/\/documents$/);
  const documents = `${baseOf(portal)}documents`;
  expectLightTouched({
    uploader: await weigh(page, documents, () => hydrate(page, '.upload-choose')),
    scanner: await weigh(page, `${documents}/scan`, () => hydrate(page, '.scan-sources')),
    send: await weigh(page, documents, () => hydrate(page, '.button-primary[form=document-form]')),
    clients: await weigh(many, documents, () => hydrate(many, '[form=client-switch]')),
  });
});

test('staff pages and the optional areas of a firm stay within their budget for a cheap phone on a slow connection', async ({
  page,
  browser,
  portal,
}) => {
  test.setTimeout(120_000);
  await page.goto('staff');
  await signIn(page, PEOPLE.eleanor);
  await page.waitForURL(/\/staff\//);
  const weights = await weighAll(page, portal, 'staff');
  await page.goto('staff/contacts?searchTerm=olivia');
  weights['/[base]/[lang]/staff/view-as/[id]'] = await weigh(
    page,
    new URL(
      (await page.getByRole('link', { name: 'View as Olivia' }).getAttribute('href')) ?? '',
      baseOf(portal),
    ).href,
  );
  await page.goto('staff/mails?state=bounced');
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  weights['/[base]/[lang]/staff/mails/[id]'] = await weigh(page, page.url());
  weights['/[base]/[lang]/staff/mails/[id]/letter'] = await weigh(page, `${page.url()}/letter`);
  const brazilian = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await brazilian.goto('home');
  await signIn(brazilian, PEOPLE.ana);
  await brazilian.getByRole('heading', { level: 1 }).waitFor();
  expectLight(
    {
      ...weights,
      ...(await weighAll(brazilian, portal, 'parts', {
        section: 'service-request',
        action: 'vacation-notice',
      })),
    },
    ['staff', 'parts'],
  );
});
