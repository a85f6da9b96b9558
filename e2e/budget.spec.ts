import type { Page } from 'playwright/test';
import { PAGES } from '../src/routes.ts';
import { exampleOf } from './examples/all.ts';
import type { Portal } from './support/portal.ts';
import { idOfClient, linkInMailbox } from './support/steps.ts';
import { PEOPLE, enter, expect, signIn, test } from './support/test.ts';

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
  const inFlight = new Map<string, string>();
  let lastChange = performance.now();
  const isOver = (requestId: string): void => {
    inFlight.delete(requestId);
    lastChange = performance.now();
  };
  // whether a headless browser fetches the favicon depends on its version
  const isFavicon = (address: string): boolean => address.endsWith('/favicon.svg');
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    // a stream does not end
    if (!isFavicon(request.url) && type !== 'EventSource') inFlight.set(requestId, request.url);
  });
  session.on('Network.loadingFailed', ({ requestId }) => isOver(requestId));
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (inFlight.has(requestId)) inFlight.set(requestId, `${response.url}, answered ${response.status}`);
    kinds.set(requestId, type);
    addresses.set(requestId, response.url);
    headers.set(requestId, response.encodedDataLength);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!isFavicon(addresses.get(requestId) ?? '')) bytes.set(requestId, encodedDataLength);
    isOver(requestId);
  });
  /** Waits until every request has ended and none has begun for a while; names those that do not end. */
  const settled = async (): Promise<void> => {
    await expect.poll(() => [...inFlight.values()], { message: url, intervals: [50] }).toEqual([]);
    await expect
      .poll(() => inFlight.size === 0 && performance.now() - lastChange > 250, { intervals: [50] })
      .toBe(true);
  };
  await page.goto(url);
  await settled();
  if (touch) {
    bytes.clear();
    await touch();
    await settled();
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

/** kB of the documents page when it is the first page that a browser opens. */
const FIRST_VIEW = 35.4; // 0.6 of it are the bell, its live count and the search, 0.2 the messages
/** Budgets of the scripts after the first touch of an island, in kB. */
const AFTER_TOUCH = 85;
/** The scanner and tasks are used on a phone, perhaps on mobile data; grids are opened all day. */
const LESS_AFTER_TOUCH: Readonly<Record<string, number>> = { scanner: 80, grid: 80 };
/** Over the goal: names of files are repaired in the browser, too, steps know more kinds of questions and show what the law says; docs/benchmarks/goals.md. */
const MORE_AFTER_TOUCH: Readonly<Record<string, number>> = { uploader: 85.3, step: 81.2 };

/**
 * A request weighs what a step of a task does, and little more. The rules of its kind come when a field is entered, with
 * copies of what they share with the editor (astro.config.mjs).
 */
const MORE_OF_REQUEST = 3;
const RULES = 14.2;

const baseOf = (portal: Portal): string => `${portal.origin}/clientcenter/en-us/`;
const isDownload = (pattern: string): boolean => /\.csv$|\/documents\/\[documentId\]$/.test(pattern);
const isPart = (pattern: string): boolean =>
  /\/(?:home|tasks|tasks\/clients\/.+|actions|actions\/(?:\[section\]\/\[action\]|service-request\/.+))$/.test(
    pattern,
  );

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

/**
 * Weighs the pages of this group that have a fixed address, take one of these ids, or say how to find their
 * address.
 */
async function weighAll(
  page: Page,
  portal: Portal,
  kind: ReturnType<typeof openedBy>,
  ids: Readonly<Record<string, string>> = {},
): Promise<Record<string, Weight>> {
  const weights: Record<string, Weight> = {};
  const patterns = Object.keys(PAGES).filter(
    (one) => one.startsWith('/[base]') && !SENT_BY_MAIL.test(one) && openedBy(one) === kind,
  );
  for (const pattern of patterns) {
    const path = await addressOf(page, pattern, isDownload(pattern) ? {} : ids);
    weights[pattern] = await weigh(page, new URL(path, baseOf(portal)).href);
  }
  return weights;
}

/** The address of a page: as its example finds it, or with these ids. */
async function addressOf(
  page: Page,
  pattern: string,
  ids: Readonly<Record<string, string>>,
): Promise<string> {
  const example = exampleOf(pattern);
  const [, path] = ('states' in example ? example.states[0] : undefined) ?? [];
  if (typeof path === 'function') return path(page);
  return pattern
    .replace(/^\/\[base\]\/\[lang\]\/?/, '')
    .replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, (_, name: string) => ids[name] ?? 'none');
}

/** Pages that a link in a mail opens, and the mail itself. */
const SENT_BY_MAIL = /\/\[token\]$|\/mailbox\/\[id\]$/;

/** Expects that every page of these groups was weighed and is within its budget. */
function expectLight(weights: Record<string, Weight>, kinds: readonly ReturnType<typeof openedBy>[]): void {
  console.table(weights);
  expect(Object.keys(weights).toSorted(), 'every page was weighed').toEqual(
    Object.keys(PAGES)
      .filter((pattern) => kinds.includes(openedBy(pattern)))
      .toSorted(),
  );
  for (const [name, weight] of Object.entries(weights)) {
    const { budget } = exampleOf(name);
    expect.soft(weight.script, `${name}: script`).toBeLessThanOrEqual(budget.script);
    expect.soft(weight.total, `${name}: total`).toBeLessThanOrEqual(budget.total);
    expect
      .soft(weight.react, `${name}: React may be loaded only when an island is touched (client:interaction)`)
      .toBe(0);
    expect.soft(weight.font, `${name}: use the fonts of the device`).toBe(0);
  }
}

function expectLightTouched(weights: Record<string, Weight>): void {
  console.table(weights);
  for (const [name, weight] of Object.entries(weights)) {
    expect
      .soft(weight.script, `${name}, touched: script`)
      .toBeLessThanOrEqual(LESS_AFTER_TOUCH[name] ?? MORE_AFTER_TOUCH[name] ?? AFTER_TOUCH);
    expect(weight.react, `${name}, touched: React is detected when it is loaded`).toBeGreaterThan(0);
  }
}

test('public pages stay within their budget for a cheap phone on a slow connection', async ({
  page,
  browser,
  portal,
  trouble,
}) => {
  test.setTimeout(240_000);
  trouble.expect(/answered 500: document/);
  trouble.expect(/the portal logged .*"page.failed"/);
  const weights = await weighAll(page, portal, 'strangers');
  weights['/404'] = await weigh(page, `${portal.origin}/nowhere`);
  for (const kind of ['reset', 'invitation', 'first-owner', 'email'])
    weights[`/[base]/[lang]/auth/${kind}/[token]`] = await weigh(page, `${baseOf(portal)}auth/${kind}/none`);
  weights['/[base]/[lang]/sign/[token]'] = await weigh(page, `${baseOf(portal)}sign/none`);
  for (const kind of ['task-link', 'sandbox-checkout'])
    weights[`/[base]/[lang]/${kind}/[token]`] = await weigh(page, `${baseOf(portal)}${kind}/none`);
  const sender = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await sender.goto('documents');
  await signIn(sender, PEOPLE.olivia);
  await sender.locator('#document-list input[name=id]').first().check();
  await sender.getByRole('button', { name: 'Share', exact: true }).click();
  await sender.getByLabel('To', { exact: true }).fill('light@supplier.example');
  await sender.getByLabel('Subject').fill('A light page');
  await sender.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  const { link, address } = await linkInMailbox(sender, 'A light page');
  weights['/[base]/[lang]/share/[token]'] = await weigh(page, link);
  await page.getByRole('button', { name: 'View document' }).click();
  const shared = await page.getByRole('link', { name: /^Open / }).getAttribute('href');
  weights['/[base]/[lang]/share/[token]/[documentId]'] = await weigh(page, new URL(shared ?? '', link).href);
  weights['/[base]/[lang]/mailbox/[id]'] = await weigh(sender, address);
  await sender.goto('documents');
  await sender.locator('#document-list input[name=id]').last().check();
  await sender.locator('.more summary').click();
  await sender.locator('.more [value=comment]').click();
  await sender.getByLabel('Your comment').fill('An email that can be turned off');
  await sender.getByRole('button', { name: 'Add comment' }).click();
  const { mail } = await linkInMailbox(sender, 'New comments on');
  const unsubscribeLink = /http\S+\/unsubscribe\/\S+/.exec(mail)?.[0] ?? '';
  weights['/[base]/[lang]/unsubscribe/[token]'] = await weigh(page, unsubscribeLink);
  weights['/[base]/[lang]/reminders/[token]'] = await weigh(page, `${baseOf(portal)}reminders/none`);
  const ana = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await enter(ana, PEOPLE.ana, '');
  const client = await idOfClient(portal, 'Padaria Sol Nascente Ltda');
  await ana.goto(`/clientcenter/pt/home/cnd/${client}/passports?client=${client}`);
  await ana.getByLabel('Para quem').fill('Banco do Vale');
  await ana.getByRole('button', { name: 'Criar link' }).click();
  const passport = await ana.getByLabel('Link', { exact: true }).inputValue();
  weights['/[base]/[lang]/clearance/[token]'] = await weigh(page, passport);
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
  test.setTimeout(240_000);
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
  // every page before this one was weighed with its style sheets and icons in files
  await page.context().clearCookies({ name: /styles$/ });
  const first = await weigh(page, `${baseOf(portal)}documents`);
  expect(first.total, 'documents, the first page that a browser opens').toBeLessThanOrEqual(FIRST_VIEW);
  const many = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await many.goto('documents');
  await signIn(many, PEOPLE.marcus);
  await many.waitForURL(/\/documents$/);
  const documents = `${baseOf(portal)}documents`;
  const tasks = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await tasks.goto('tasks');
  await signIn(tasks, PEOPLE.olivia);
  await tasks.waitForURL(/\/tasks$/);
  const step = await tasks.locator('main a[href*="/task/"]').first().getAttribute('href');
  expectLightTouched({
    step: await weigh(tasks, new URL(step ?? '', portal.origin).href, () => hydrate(tasks, '#step')),
    uploader: await weigh(page, documents, () => hydrate(page, '.upload-choose')),
    scanner: await weigh(page, `${documents}/scan`, () => hydrate(page, '.scan-sources')),
    send: await weigh(page, documents, async () => {
      await page.locator('#document-list input[name=id]').first().check();
      await hydrate(page, '.button-primary[form=document-form]');
    }),
    clients: await weigh(many, documents, () => hydrate(many, '.client-menu summary')),
  });
});

test('staff pages and the optional areas of a firm stay within their budget for a cheap phone on a slow connection', async ({
  page,
  browser,
  portal,
}) => {
  test.setTimeout(240_000);
  await page.goto('staff');
  await signIn(page, PEOPLE.lima);
  await page.waitForURL((url) => !url.pathname.includes('/auth'));
  const weights = await weighAll(page, portal, 'staff');
  expectLightTouched({
    grid: await weigh(page, `${baseOf(portal)}staff/people`, () => hydrate(page, '.grid-page table')),
  });
  const brazilian = await (await browser.newContext({ baseURL: baseOf(portal) })).newPage();
  await brazilian.goto('home');
  await signIn(brazilian, PEOPLE.ana);
  await brazilian.getByRole('heading', { level: 1 }).waitFor();
  await brazilian.goto('actions/service-request/vacation-notice');
  await brazilian.locator('main form button').first().click();
  await brazilian.locator('#step').waitFor();
  const request = new URL(brazilian.url()).href;
  const touched = await weigh(brazilian, request, () => hydrate(brazilian, '#step'));
  console.table({ request: touched });
  expect
    .soft(touched.script, 'a request, touched: script')
    .toBeLessThanOrEqual((MORE_AFTER_TOUCH['step'] ?? 0) + MORE_OF_REQUEST);
  const entered = await weigh(brazilian, request, async () => {
    await hydrate(brazilian, '#step');
    await brazilian.locator('#step input:not([type=hidden])').first().focus();
  });
  console.table({ rules: entered });
  // both are rounded to a tenth, and so is their difference
  const rules = Math.round((entered.script - touched.script) * 10) / 10;
  expect.soft(rules, 'the rules of a vacation: script').toBeLessThanOrEqual(RULES);
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

/** What a row of the list of documents may weigh on average: a hundred of them are on a page. */
const ROW = { elements: 18, bytes: 1085 };

test('a row of the list of documents is small', async ({ page }) => {
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  const rows = page.locator('#document-list tbody tr');
  await rows.first().waitFor();
  const average = await rows.evaluateAll((all) => ({
    elements: all.reduce((sum, row) => sum + row.querySelectorAll('*').length + 1, 0) / all.length,
    bytes: all.reduce((sum, row) => sum + new TextEncoder().encode(row.outerHTML).length, 0) / all.length,
  }));
  expect(average.elements).toBeLessThanOrEqual(ROW.elements);
  expect(average.bytes).toBeLessThanOrEqual(ROW.bytes);
});
