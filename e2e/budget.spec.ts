import type { Page } from 'playwright/test';
import { linkInMailbox } from './kit/steps.ts';
import { PEOPLE, expect, signIn, test } from './kit/test.ts';

interface Weight {
  total: number;
  script: number;
}

/** Bytes on the wire of one cold view of a page, in kB of 1,000 bytes: all with their headers, scripts by their bodies. */
async function weigh(page: Page, url: string, touch?: () => Promise<void>): Promise<Weight> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const kinds = new Map<string, string>();
  const weight = { total: 0, script: 0 };
  const headers = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    kinds.set(requestId, type);
    headers.set(requestId, response.encodedDataLength);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    weight.total += encodedDataLength / 1000;
    if (kinds.get(requestId) === 'Script') weight.script += (encodedDataLength - (headers.get(requestId) ?? 0)) / 1000;
  });
  await page.goto(url);
  await page.waitForLoadState('networkidle');
  if (touch) {
    weight.total = 0;
    weight.script = 0;
    await touch();
    await page.waitForLoadState('networkidle');
  }
  await session.detach();
  return { total: Math.round(weight.total * 10) / 10, script: Math.round(weight.script * 10) / 10 };
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

test('pages stay light enough for a cheap phone on a slow line', async ({ page, browser, portal }, info) => {
  const weights: Record<string, Weight> = {};
  const base = `${portal.origin}/clientcenter/en-us/`;
  weights['auth'] = await weigh(page, `${base}auth`);
  weights['auth/signin-error'] = await weigh(page, `${base}auth/signin-error`);
  weights['notfound'] = await weigh(page, `${base}notfound`);
  await page.goto(base);
  await signIn(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().waitFor();
  weights['documents'] = await weigh(page, `${base}documents`);
  weights['documents/send'] = await weigh(page, `${base}documents/send`);
  weights['clients'] = await weigh(page, `${base}clients`);
  weights['documents, uploader touched'] = await weigh(page, `${base}documents`, () => wake(page, '.upload-choose'));
  weights['documents, send touched'] = await weigh(page, `${base}documents`, () => wake(page, '[form=document-form]'));
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Send by e-mail' }).click();
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('light@supplier.example');
  await page.getByLabel('Subject').fill('A light page');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const { link } = await linkInMailbox(page, 'A light page');
  const stranger = await (await browser.newContext()).newPage();
  weights['share'] = await weigh(stranger, link);

  await info.attach('weights', { body: JSON.stringify(weights, null, 2), contentType: 'application/json' });
  console.table(weights);
  for (const [name, weight] of Object.entries(weights)) {
    if (name.endsWith('touched')) expect(weight.script, `${name}: script`).toBeLessThanOrEqual(AFTER_TOUCH);
    else {
      const budget = name.startsWith('documents') || name === 'clients' ? LIST : PLAIN;
      expect(weight.script, `${name}: script`).toBeLessThanOrEqual(budget.script);
      expect(weight.total, `${name}: all`).toBeLessThanOrEqual(budget.total);
    }
  }
});
