import type { Page } from 'playwright/test';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

/*
 * Uncaught errors of a page's scripts are reported, once and without what they say. What the portal does with
 * a report is tested in tests/features/logging/.
 */

/** Lets a script of every page fail when its heading is clicked. */
const failByClick = (page: Page, statement: string) =>
  page.route('**/_astro/Page.astro*.js', async (route) => {
    const response = await route.fetch();
    const listener = `addEventListener('click', ({ target }) => { if (target.closest('h1')) ${statement} });`;
    await route.fulfill({ response, body: `${await response.text()}\n${listener}` });
  });

interface Report {
  source: string;
  data: { message: string; stack: string };
}

/** Collects the reports that a page sends and the portal accepts. */
function reportsOf(page: Page): Report[] {
  const reports: Report[] = [];
  page.on('response', (response) => {
    if (!response.url().endsWith('/api/logging/v1/log')) return;
    expect(response.status()).toBe(200);
    reports.push(...(response.request().postDataJSON() as { items: Report[] }).items);
  });
  return reports;
}

test('an uncaught error and a rejection of a page are reported once each, without what they say', async ({
  page,
  trouble,
}) => {
  trouble.expect(/script error: TypeError: .*reading 'x'/);
  trouble.expect(/script error: RangeError: Olivia Bennett/);
  const reports = reportsOf(page);
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  await failByClick(
    page,
    '{ setTimeout(() => undefined.x); Promise.reject(new RangeError("Olivia Bennett")); }',
  );
  await page.goto('documents?orderBy=name');
  const heading = page.getByRole('heading', { level: 1 });
  await heading.click();
  await expect.poll(() => reports.length).toBe(2);
  await heading.click();
  await page.goto('shares'); // time enough for another report
  expect(reports.map(({ data }) => data.message).toSorted()).toEqual(['RangeError', 'TypeError']);
  for (const { source, data } of reports) {
    expect(source).toBe('/clientcenter/en-us/documents');
    expect(data.stack).toMatch(/^\/_astro\/Page\.astro[\w.-]+\.js:\d+:\d+$/m);
  }
  expect(JSON.stringify(reports)).not.toContain('Olivia');
});

test('an error that is not of the portal is not reported, and a token in the address never is', async ({
  page,
  trouble,
}) => {
  trouble.expect(/script error: Error: of an extension/);
  trouble.expect(/script error: EvalError/);
  const reports = reportsOf(page);
  await failByClick(page, 'throw new EvalError();');
  await page.goto('share/Xq3_vF81kPz0KsXq3_vF81kPz0KsXq3_vF81kPz0Ks');
  await page.evaluate(() =>
    queueMicrotask(() => {
      throw new Error('of an extension');
    }),
  );
  await page.getByRole('heading', { level: 1 }).click();
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]).toMatchObject({
    source: '/clientcenter/en-us/share/*',
    data: { message: 'EvalError' },
  });
});
