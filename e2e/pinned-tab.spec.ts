import type { Locator, Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { PAGES as ROUTES } from '../src/routes.ts';
import { openPageMenu } from './support/steps.ts';
import { enter, expect, test } from './support/test.ts';

/*
 * A tab whose address names a client stays with that client, whichever link, form or button is used, with
 * scripts off.
 */

test.use({ javaScriptEnabled: false });

/** States of pages about documents; DOC and CLIENT are replaced with the client's own ids. */
const STATES = [
  'documents',
  'documents?view=flat',
  'documents?name=a&orderBy=name',
  'documents/trash',
  'documents/send?id=DOC',
  'documents/delete?id=DOC',
  'documents/download',
  'documents/scan',
  'documents/DOC/comments',
  'documents/DOC/view',
  'documents/rights?item=CLIENT',
  'shares',
  'receipts',
  'clients',
];

/** Values for the placeholders of src/routes.ts; others name what is not there. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  clientId: 'CLIENT',
  taskId: 'TASK',
  documentId: 'DOC',
  number: '1',
  section: 'office',
  action: 'simulations',
  '...action': 'office/simulations',
  companyId: 'CLIENT',
  link: 'documents',
  id: 'CONTACT',
  month: '2026-11',
  agencyId: 'federal',
};

/** Queries that a page needs. */
const QUERIES: Readonly<Record<string, string>> = { 'documents/rights': '?item=CLIENT' };

/**
 * Every page of the portal except sign-in and account switch, which have no client, and the component
 * library, whose links are examples.
 */
const ALL_PAGES = Object.keys(ROUTES)
  .filter(
    (pattern) =>
      pattern.startsWith('/[base]/[lang]') &&
      !/\/(?:auth|account-switch)\b|\.csv$|\/staff\/export\/|\/kit$/.test(pattern),
  )
  .map((pattern) =>
    pattern
      .replace(/^\/\[base\]\/\[lang\]\/?/, '')
      .replaceAll(/\[([.\w]+)\]/g, (_, name: string) => PLACEHOLDERS[name] ?? 'unknown'),
  )
  .map((path) => path + (QUERIES[path] ?? ''));

/** Addresses without a client, or that are not pages: signing in and out, another account, downloads. */
const ELSEWHERE = /^[^?]*\/(?:auth|account-switch|theme|api)\b|^(?:mailto|tel|https?):|^#/;

interface Scene {
  client: string;
  name: string;
  documentId: string;
  contactId: string;
  taskId: string;
}

/** Signs in as Hart and picks a client of her firm that is not the one she has selected. */
async function open(page: Page, portal: Portal): Promise<Scene> {
  await enter(page, 'hart@maplehart.example');
  const [row] = await portal.sql("select client_id from clients where name = 'Cho Imports Inc'");
  const client = String(row?.['client_id']);
  const [document] = await portal.sql(
    `select document_id from documents where client_id = '${client}' and deleted_at is null and uploaded_by_staff = 1 order by document_id limit 1`,
  );
  const [contact] = await portal.sql(
    "select contact_id from contacts where staff = 0 and company_id = (select company_id from clients where name = 'Cho Imports Inc')",
  );
  const [task] = await portal.sql(`select task_id from tasks where client_id = '${client}' limit 1`);
  return {
    client,
    name: 'Cho Imports Inc',
    taskId: String(task?.['task_id']),
    documentId: String(document?.['document_id']),
    contactId: String(contact?.['contact_id']),
  };
}

const addressOf = (pattern: string, { client, documentId, contactId, taskId }: Scene): string =>
  pattern
    .replace('TASK', taskId)
    .replace('DOC', documentId)
    .replace('CLIENT', client)
    .replace('CONTACT', contactId);

/**
 * Counts the controls that lead to pages of the portal, and collects those that lose the client of the tab.
 */
async function readControls(
  part: Locator,
  where: string,
  { client }: Scene,
  lost: string[],
): Promise<number> {
  let count = 0;
  for (const { address, label, clients, isField } of await part
    .locator('a[href], button, input[type=submit]')
    .evaluateAll(targetsOf)) {
    if (ELSEWHERE.test(address)) continue;
    count += 1;
    if (!isField && (clients.length !== 1 || clients[0] !== client))
      lost.push(`${where}: ${label} leads to ${address}`);
  }
  return count;
}

const withClient = (path: string, client: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}client=${client}`;

interface Target {
  address: string;
  label: string;
  /** The clients named in the address, and whether a field of the form names one. */
  clients: string[];
  isField: boolean;
}

/** Returns where links and buttons lead. Runs in the page. */
const targetsOf = (controls: Element[]): Target[] =>
  controls.map((element) => {
    const label = element.textContent.trim() || element.getAttribute('name') || element.tagName;
    const leadsTo = (address: string) => ({
      address,
      label,
      clients: new URL(address, location.href).searchParams.getAll('client'),
      isField: false,
    });
    if (element instanceof HTMLAnchorElement) return leadsTo(element.getAttribute('href') ?? '#');
    const button = element as HTMLButtonElement;
    const { form } = button;
    if (!form || button.type !== 'submit') return leadsTo('#');
    const target = leadsTo(
      button.getAttribute('formaction') ?? form.getAttribute('action') ?? location.pathname + location.search,
    );
    const method = (button.getAttribute('formmethod') ?? form.method).toLowerCase();
    const isField = button.name === 'client' || form.querySelector('input[name=client]') !== null;
    return method === 'get' ? { ...target, clients: [], isField } : target;
  });

test('every link, form and button of the documents pages carries the client of the tab', async ({
  page,
  portal,
}) => {
  test.setTimeout(120_000);
  const scene = await open(page, portal);
  const lost: string[] = [];
  let controls = 0;
  for (const pattern of STATES) {
    const answer = await page.goto(withClient(addressOf(pattern, scene), scene.client));
    expect([pattern, answer?.status()]).toEqual([pattern, 200]);
    await expect(page, pattern).toHaveTitle(/Cho Imports Inc/);
    controls += await readControls(page.locator('body'), pattern, scene, lost);
  }
  expect(lost).toEqual([]);
  expect(controls, 'the pages were checked').toBeGreaterThan(150);
});

test('every page of the portal carries the client of the tab in its links, forms and buttons', async ({
  page,
  portal,
}) => {
  test.setTimeout(240_000);
  const scene = await open(page, portal);
  expect(ALL_PAGES.filter((path) => path.includes('['))).toEqual([]);
  const lost: string[] = [];
  let controls = 0;
  for (const pattern of ALL_PAGES) {
    const answer = await page.goto(withClient(addressOf(pattern, scene), scene.client));
    expect([pattern, (answer?.status() ?? 500) < 500]).toEqual([pattern, true]);
    // requires step-up authentication, which returns to the page
    if (/\/auth\b/.test(new URL(page.url()).pathname)) continue;
    // the firm's side is about all clients: its links name the client of each row
    if (/\/staff\//.test(new URL(page.url()).pathname)) continue;
    const where = `${pattern} (${new URL(page.url()).pathname})`;
    if (!new URL(page.url()).searchParams.has('client')) lost.push(`${where} is about no client`);
    // the language links of the not-found page lead to the start page
    const part = answer?.status() === 404 ? page.locator('main') : page.locator('body');
    controls += await readControls(part, where, scene, lost);
  }
  expect(lost).toEqual([]);
  expect(controls, 'the pages were checked').toBeGreaterThan(700);
});

test('every action in a tab pinned to a client leads to pages of that client', async ({ page, portal }) => {
  const { client, name } = await open(page, portal);
  page.setDefaultTimeout(5000);
  const chosen = () => page.locator('#document-list input[name=id]');
  const isSame = async (what: string): Promise<void> => {
    await expect(page, what).toHaveTitle(new RegExp(name));
    await expect(page, what).toHaveURL(new RegExp(`client=${client}`));
  };
  const list = async (): Promise<void> => void (await page.goto(withClient('documents?view=flat', client)));
  await list();
  await chosen().nth(0).check();
  await chosen().nth(1).check();
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await isSame('the download page');
  await page.getByRole('link', { name: 'Back' }).first().click();
  await isSame('the list after the download page');
  await list();
  await openPageMenu(page);
  await page.getByText('New folder').click();
  await page.getByRole('textbox', { name: 'Folder name' }).fill('Pinned 2026');
  await page.getByRole('textbox', { name: 'Folder name' }).press('Enter');
  await isSame('the list with a new folder');
  await list();
  await page.locator('.document-tools input[name=name]').fill('a');
  await page.locator('.document-tools input[name=name]').press('Enter');
  await isSame('a search');
  await list();
  await page.getByLabel('Select Customs invoice.pdf').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await isSame('the confirmation before deleting');
  await page.getByRole('main').getByRole('button').click();
  await isSame('the list after deleting');
  await page.getByRole('button', { name: 'Undo' }).click();
  await isSame('the list after undoing');
  await list();
  await chosen().first().check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await isSame('the share form');
  await page.locator('form .actions').getByRole('button', { name: 'Share', exact: true }).click();
  await isSame('the share form with errors');
});
