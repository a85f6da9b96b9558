import type { Page } from 'playwright/test';
import { API_ROUTES, PAGES } from '../src/routes.ts';
import { allRows, type Portal } from './kit/portal.ts';
import { PEOPLE, enter, expect, test } from './kit/test.ts';

/* Staff look with a contact's eyes: exact, harmless and accounted for (security.md T14, T15, T16). */

const HART = 'hart@maplehart.example';

/** Signs in as staff and looks as Olivia; answers her contact id. */
async function lookAsOlivia(page: Page): Promise<string> {
  await enter(page, HART, '');
  await page.goto(`staff/contacts?searchTerm=${encodeURIComponent(PEOPLE.olivia)}`);
  const link = page.getByRole('link', { name: 'View as Olivia Bennett' });
  const contact = /view-as\/(\w+)/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? '';
  await link.click();
  await page.getByLabel('Reason').fill('She cannot find her payroll papers.');
  await page.getByRole('button', { name: 'Start viewing' }).click();
  await expect(page.getByText('Viewing as Olivia Bennett', { exact: true })).toBeVisible();
  await page.goto('documents');
  await expect(page.getByRole('heading', { name: 'Documents', exact: true })).toBeVisible();
  return contact;
}

/** Every row that a look may not touch; what the identity provider and the outbox keep for themselves is no part of it. */
async function rows(portal: Portal): Promise<Record<string, string[]>> {
  const kept = [...(await allRows(portal))].filter(([table]) => !/^(sessions|audit|audit_heads|sqlite_\w+)$/.test(table));
  return Object.fromEntries(kept.map(([table, all]) => [table, all.filter((row) => !row.includes('"fetched-')).toSorted()])); // what staff fetch counts as theirs
}

const count = async (portal: Portal, action: string): Promise<number> => Number((await portal.sql(`select count(*) as n from audit where action = '${action}'`))[0]?.['n']);

test('everything can be looked at, nothing changes, and every request is one entry of the trail', async ({ page, portal }) => {
  const contact = await lookAsOlivia(page);
  const ids = await page.locator('#document-list input[name=id]').evaluateAll((boxes) => boxes.map((box) => [box.getAttribute('value') ?? '', box.getAttribute('data-container') ?? '']));
  const [document = '', container = ''] = ids[0] ?? [];
  const client = String((await portal.sql(`select client_id from documents where document_id = '${document}'`))[0]?.['client_id']);
  const pages = Object.entries(PAGES).flatMap(([pattern, { who }]) => (who === 'demo' || !pattern.startsWith('/[base]') ? [] : [pattern.replace('[base]', 'clientcenter').replace('[lang]', 'en-us').replaceAll(/\[\w+\]/g, contact)]));
  const calls = API_ROUTES.flatMap(({ method, path, who }) => (method !== 'get' || who === 'demo' ? [] : [path.replace('{id}', container).replace('{documentId}', document).replace('{token}', 'x'.repeat(43))]));
  const addresses = [...pages, ...calls, `/api/storage/v1/containers/documents?clientId=${client}`, `/clientcenter/en-us/documents?folder=${container}`, '/clientcenter/en-us/nowhere'];
  const [before, reads] = [await rows(portal), await count(portal, 'view.read')];
  for (const address of addresses) {
    const { status } = await page.request.get(portal.origin + address, { maxRedirects: 0 }).then((answer) => ({ status: answer.status() }));
    expect(status, address).toBeLessThan(500);
  }
  await page.request.head(`${portal.origin}/clientcenter/en-us/documents`);
  expect(await count(portal, 'view.read')).toBe(reads + addresses.length + 1);
  expect(await rows(portal)).toEqual(before);
});

test('what would change something answers that nothing was changed, in a page and in a call', async ({ page, portal }) => {
  await lookAsOlivia(page);
  const before = await rows(portal);
  const headers = { Origin: portal.origin };
  const answer = await page.request.post('clients', { headers, form: { client: 'client_x' }, maxRedirects: 0 });
  expect([answer.status(), await answer.text()]).toEqual([403, expect.stringMatching(/Nothing was changed[\s\S]*You view the portal as Olivia Bennett/)]);
  const call = await page.request.post('/api/storage/v1/folders', { headers, data: {} });
  expect([call.status(), await call.json()]).toEqual([403, { errors: [{ code: 'EMULATION_READ_ONLY', reason: 'EMULATION_READ_ONLY' }] }]);
  expect(await rows(portal)).toEqual(before);
  await page.goto('documents');
  await page.locator('input[type=file]').setInputFiles({ name: 'mine.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\n%%EOF\n') });
  await expect(page.getByText('mine.pdf').filter({ visible: true }).first()).toBeVisible();
  expect(Number((await portal.sql("select count(*) as n from documents where name = 'mine.pdf'"))[0]?.['n'])).toBe(0);
});

test('leaving leads back to the staff area under the own name; the contact finds who looked', async ({ page, portal, browser }) => {
  await lookAsOlivia(page);
  await page.goto('staff');
  await expect(page.getByRole('heading', { name: 'This is not open to you' })).toBeVisible();
  await page.goto('staff/view-as/end');
  await page.getByRole('button', { name: 'Stop viewing' }).click();
  await expect(page.getByText('You view the portal under your own name again.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Staff area' })).toBeVisible();
  await page.goto('staff/audit?action=view.start');
  await expect(page.getByText('Reason: She cannot find her payroll papers.').first()).toBeVisible();
  const hers = await (await browser.newContext({ baseURL: `${portal.origin}/clientcenter/en-us/` })).newPage();
  await enter(hers, PEOPLE.olivia, 'profile/activity');
  const row = hers.getByRole('row').filter({ hasText: 'Began to view the portal as' }).first();
  await expect(row).toContainText('Eleanor Hart');
  await expect(hers.getByText('She cannot find')).toHaveCount(0);
});

test('when the time is up the next page is the staff area, and says so', async ({ page, portal }) => {
  await lookAsOlivia(page);
  await portal.sql('update sessions set view_until = 1 where viewer_contact_id is not null');
  await page.goto('documents');
  await expect(page).toHaveURL(/\/en-us\/staff$/);
  await expect(page.getByText('The time to view as somebody else is over.')).toBeVisible();
  await expect(page.getByText('Eleanor Hart').first()).toBeAttached();
});

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('staff look and come back', async ({ page }) => {
    await lookAsOlivia(page);
    await page.goto('staff/view-as/end');
    await page.getByRole('button', { name: 'Stop viewing' }).click();
    await expect(page.getByText('You view the portal under your own name again.')).toBeVisible();
  });
});
