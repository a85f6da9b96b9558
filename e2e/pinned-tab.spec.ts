import type { Locator, Page } from 'playwright/test';
import type { Portal } from './support/portal.ts';
import { enter, expect, test } from './support/test.ts';

/*
 * A tab whose address names a client stays with that client, whichever link, form or button of the documents
 * pages is used, with scripts off.
 */

test.use({ javaScriptEnabled: false });

/** Pages about documents; DOC and CLIENT are replaced with the client's own ids. */
const PAGES = [
  'documents',
  'documents?view=flat',
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
/** Addresses that are about no client or are not pages: signing out, changing the language, downloads. */
const ELSEWHERE = /\/(?:auth|account-switch|language|mailbox|theme|api)\b|^(?:mailto|tel):|^#/;

interface Scene {
  client: string;
  name: string;
  documentId: string;
}

/** Signs in as Hart and picks a client of her firm that is not the one she has selected. */
async function open(page: Page, portal: Portal): Promise<Scene> {
  await enter(page, 'hart@maplehart.example');
  const [row] = await portal.sql("select client_id from clients where name = 'Cho Imports Inc'");
  const client = String(row?.['client_id']);
  const [document] = await portal.sql(
    `select document_id from documents where client_id = '${client}' and deleted_at is null and uploaded_by_staff = 1 order by document_id limit 1`,
  );
  return { client, name: 'Cho Imports Inc', documentId: String(document?.['document_id']) };
}

const withClient = (path: string, client: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}client=${client}`;

/** Returns where a link or a button leads. */
const targetOf = (control: Locator): Promise<{ address: string; label: string; carries: boolean }> =>
  control.evaluate((element) => {
    const label = element.textContent.trim() || element.getAttribute('name') || element.tagName;
    if (element instanceof HTMLAnchorElement)
      return {
        address: element.getAttribute('href') ?? '#',
        label,
        carries: element.search.includes('client='),
      };
    const button = element as HTMLButtonElement;
    const { form } = button;
    if (!form || button.type !== 'submit') return { address: '#', label, carries: true };
    const address =
      button.getAttribute('formaction') ?? form.getAttribute('action') ?? location.pathname + location.search;
    const method = (button.getAttribute('formmethod') ?? form.method).toLowerCase();
    const isField = button.name === 'client' || form.querySelector('input[name=client]') !== null;
    return {
      address,
      label,
      carries: method === 'get' ? isField : new URL(address, location.href).searchParams.has('client'),
    };
  });

test('every link, form and button of the documents pages carries the client of the tab', async ({
  page,
  portal,
}) => {
  test.setTimeout(120_000);
  const scene = await open(page, portal);
  const lost: string[] = [];
  let controls = 0;
  for (const pattern of PAGES) {
    const path = pattern.replace('DOC', scene.documentId).replace('CLIENT', scene.client);
    const answer = await page.goto(withClient(path, scene.client));
    expect([pattern, answer?.status()]).toEqual([pattern, 200]);
    await expect(page, pattern).toHaveTitle(/Cho Imports Inc/);
    for (const control of await page.locator('a[href], button, input[type=submit]').all()) {
      const { address, label, carries } = await targetOf(control);
      if (ELSEWHERE.test(address)) continue;
      controls += 1;
      if (!carries) lost.push(`${pattern}: ${label} leads to ${address}`);
    }
  }
  expect(lost).toEqual([]);
  expect(controls, 'the pages were read').toBeGreaterThan(150);
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
  await isSame('the page that prepares a download');
  await page.getByRole('link', { name: 'Back' }).first().click();
  await isSame('back from the download');
  await list();
  await page.getByText('New folder').click();
  await page.getByRole('textbox', { name: 'Name of the folder' }).fill('Pinned 2026');
  await page.getByRole('textbox', { name: 'Name of the folder' }).press('Enter');
  await isSame('a folder was made');
  await list();
  await page.locator('.document-tools input[name=name]').fill('a');
  await page.locator('.document-tools input[name=name]').press('Enter');
  await isSame('a search');
  await list();
  await page.getByLabel('Select Customs invoice.pdf').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await isSame('the question whether to delete');
  await page.getByRole('main').getByRole('button').click();
  await isSame('the list after deleting');
  await page.getByRole('button', { name: 'Undo' }).click();
  await isSame('the list after taking it back');
  await list();
  await chosen().first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await isSame('the form to send');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await isSame('the form with what is wrong');
});
