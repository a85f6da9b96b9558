import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright/test';
import { PAGES } from '../src/routes.ts';
import { linkInMailbox } from './kit/steps.ts';
import { PEOPLE, expect, signIn, test } from './kit/test.ts';

interface Weight {
  total: number;
  script: number;
  /** Scripts in which React stands. */
  react: number;
  font: number;
}

/** What React's own code says in every build of it. */
const REACT = /Symbol\.for\(["'`]react\.(?:transitional\.)?element["'`]\)/;
const kB = (bytes: number): number => Math.round(bytes / 100) / 10;

/** Bytes on the wire of one cold view of a page, in kB of 1,000 bytes: all with their headers, scripts by their bodies. */
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
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => void bytes.set(requestId, encodedDataLength));
  await page.goto(url);
  await page.waitForLoadState('networkidle');
  if (touch) {
    bytes.clear();
    await touch();
    await page.waitForLoadState('networkidle');
  }
  const of = (kind: string): [string, number][] => [...bytes].filter(([id]) => kinds.get(id) === kind).map(([id, size]) => [id, size - (headers.get(id) ?? 0)]);
  const sum = (sizes: (readonly [string, number])[]): number => kB(sizes.reduce((all, [, size]) => all + size, 0));
  const withReact: [string, number][] = [];
  for (const script of of('Script')) {
    const code = await fetch(addresses.get(script[0]) ?? ''); // the browser forgets bodies when it is short of memory
    if (REACT.test(await code.text())) withReact.push(script);
  }
  await session.detach();
  return { total: sum([...bytes]), script: sum(of('Script')), react: sum(withReact), font: sum(of('Font')) };
}

/** Touches an island and waits until it is live. */
async function wake(page: Page, inside: string): Promise<void> {
  await page.locator(inside).hover();
  await page.locator('astro-island:not([ssr])', { has: page.locator(inside) }).waitFor();
}

/** The budgets of a first view and of the first touch, brotli, in kB. */
const PLAIN = { total: 20, script: 4 };
const LIST = { total: 45, script: 16 };
const AFTER_TOUCH = 85;

/** What each page may weigh: what strangers open on a phone is PLAIN. */
const BUDGETS: Readonly<Record<string, typeof LIST>> = {
  '/[base]/[lang]': LIST,
  '/[base]/[lang]/documents': LIST,
  '/[base]/[lang]/documents/send': LIST,
  '/[base]/[lang]/documents/delete': LIST,
  '/[base]/[lang]/documents/trash': LIST,
  '/[base]/[lang]/shares': LIST,
  '/[base]/[lang]/partials/documents': LIST,
  '/[base]/[lang]/documents/[documentId]': LIST,
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
  '/[base]/[lang]/staff/contacts': LIST,
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
  '/[base]/[lang]/staff/theme': LIST,
  '/[base]/[lang]/profile/security': LIST,
  '/[base]/[lang]/auth/second-step': PLAIN,
  '/[base]/[lang]/auth/confirm': PLAIN,
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
  pages.filter((page) => !Object.hasOwn(BUDGETS, page)).map((page) => `${page} has no budget. Add it to BUDGETS in e2e/budget.spec.ts: PLAIN, or LIST when only people who are signed in open it.`);

test('every page has a budget', () => {
  expect(withoutBudget(Object.keys(PAGES))).toEqual([]);
  expect(withoutBudget([...Object.keys(PAGES), '/[base]/[lang]/planted'])).toEqual([expect.stringMatching(/planted has no budget/)]);
  expect(Object.keys(BUDGETS).filter((page) => !(page in PAGES)), 'These budgets are of pages that are gone: remove them.').toEqual([]);
});

test('pages stay light enough for a cheap phone on a slow line', async ({ page, browser, portal, trouble }, info) => {
  test.setTimeout(120_000);
  trouble.expect(/answered 500: document/);
  trouble.expect(/the portal logged .*"page.failed"/);
  const weights: Record<string, Weight> = {};
  const touched: Record<string, Weight> = {};
  const base = `${portal.origin}/clientcenter/en-us/`;
  /** Fixed addresses of pages, by their pattern: those that this person opens. */
  const openAll = async (by: Page, who: (pattern: string) => boolean): Promise<void> => {
    const fixed = Object.keys(PAGES).filter((pattern) => pattern.startsWith('/[base]') && !/\[(?:id|token)\]$/.test(pattern) && who(pattern));
    for (const pattern of fixed) weights[pattern] = await weigh(by, base + pattern.replace(/^\/\[base\]\/\[lang\]\/?/, ''));
  };
  const isDownload = (pattern: string): boolean => pattern.endsWith('.csv');
  const stranger = await (await browser.newContext()).newPage();
  await openAll(stranger, (pattern) => PAGES[pattern]?.who === 'visitor');
  weights['/404'] = await weigh(stranger, `${portal.origin}/nowhere`);

  await page.goto(`${base}documents`);
  await signIn(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().waitFor();
  await page.evaluate(() => sessionStorage.setItem('ccMobile', 'true')); // else the start of the app goes back before it is weighed
  await openAll(page, (pattern) => ['signed-in', 'demo'].includes(PAGES[pattern]?.who ?? '') || isDownload(pattern)); // of a download, the refusal
  const staff = await (await browser.newContext()).newPage();
  await staff.goto(`${base}staff`);
  await signIn(staff, PEOPLE.eleanor);
  await staff.waitForURL(/\/staff$/);
  await openAll(staff, (pattern) => PAGES[pattern]?.who === 'staff' && !isDownload(pattern));
  // The parts of the Brazilian firm, which has them all.
  const brazilian = await (await browser.newContext()).newPage();
  await brazilian.goto(`${base}home`);
  await signIn(brazilian, PEOPLE.ana);
  await brazilian.getByRole('heading', { level: 1 }).waitFor();
  for (const address of ['home', 'actions', 'actions/[section]/[action]']) {
    weights[`/[base]/[lang]/${address}`] = await weigh(brazilian, base + address.replace('[section]/[action]', 'service-request/vacation-notice'));
  }
  touched['uploader'] = await weigh(page, `${base}documents`, () => wake(page, '.upload-choose'));
  touched['send'] = await weigh(page, `${base}documents`, () => wake(page, '.button-primary[form=document-form]'));
  const many = await (await browser.newContext()).newPage();
  await many.goto(`${base}documents`);
  await signIn(many, PEOPLE.marcus);
  await many.waitForURL(/\/documents$/);
  touched['clients'] = await weigh(many, `${base}documents`, () => wake(many, '[form=client-switch]'));
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('light@supplier.example');
  await page.getByLabel('Subject').fill('A light page');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const { link } = await linkInMailbox(page, 'A light page');
  await page.goto(`${base}mailbox`);
  const mail = await page.getByRole('main').getByRole('listitem').getByRole('link').first().getAttribute('href');
  weights['/[base]/[lang]/mailbox/[id]'] = await weigh(page, new URL(String(mail), base).href);
  await staff.goto(`${base}staff/contacts?searchTerm=olivia`);
  weights['/[base]/[lang]/staff/view-as/[id]'] = await weigh(staff, new URL((await staff.getByRole('link', { name: 'View as Olivia' }).getAttribute('href')) ?? '', base).href);
  weights['/[base]/[lang]/share/[token]'] = await weigh(stranger, link);
  for (const kind of ['reset', 'invitation', 'first-owner']) weights[`/[base]/[lang]/auth/${kind}/[token]`] = await weigh(stranger, `${base}auth/${kind}/none`);
  const database = new DatabaseSync(`${portal.folder}/data/portal.db`);
  database.exec('alter table documents rename to documents_away');
  weights['/500'] = await weigh(page, `${base}documents`);
  database.exec('alter table documents_away rename to documents');
  database.close();

  await info.attach('weights', { body: JSON.stringify({ ...weights, ...touched }, null, 2), contentType: 'application/json' });
  console.table({ ...weights, ...touched });
  expect(Object.keys(weights).toSorted(), 'every page was weighed').toEqual(Object.keys(PAGES).toSorted());
  for (const [name, weight] of Object.entries(weights)) {
    const budget = BUDGETS[name] ?? PLAIN;
    expect(weight.script, `${name}: script`).toBeLessThanOrEqual(budget.script);
    expect(weight.total, `${name}: all`).toBeLessThanOrEqual(budget.total);
    expect(weight.react, `${name}: React may come only when an island is touched (client:interaction)`).toBe(0);
    expect(weight.font, `${name}: use the fonts that the device has`).toBe(0);
  }
  for (const [name, weight] of Object.entries(touched)) {
    expect(weight.script, `${name}, touched: script`).toBeLessThanOrEqual(AFTER_TOUCH);
    expect(weight.react, `${name}, touched: React is recognised when it comes`).toBeGreaterThan(0);
  }
});
