import type { Locator, Page } from 'playwright/test';
import { dragOverRow, pdf, pdfToDrop } from './support/steps.ts';
import { DESK, PEOPLE, PHONE, enter, expect, settled, test } from './support/test.ts';

test('React is loaded only when an island is touched, and the first click is not lost', async ({ page }) => {
  const scripts: string[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.url());
  });
  await enter(page, PEOPLE.olivia);
  await settled(page);
  expect(scripts.filter((url) => /react|Uploader|ShareDialog|\/messages\//i.test(url))).toEqual([]);
  await page.locator('#document-list input[name=id]').nth(3).check();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('dialog', { name: /^Share \d+ documents?$/ })).toBeVisible();
  expect(scripts.some((url) => /react/i.test(url))).toBe(true);
  expect(scripts.filter((url) => url.includes('/messages/share/en-us/'))).toHaveLength(1);
});

test('files chosen before hydration on a slow connection are all uploaded', async ({ page, context }) => {
  await enter(page, PEOPLE.olivia);
  await context.route(/_astro\/.*\.js/, async (route) => {
    const response = await route.fetch();
    // eslint-disable-next-line portal/no-sleeping -- simulates a slow connection
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.fulfill({ response });
  });
  await page.reload();
  await page.locator('input[type=file]').setInputFiles(
    ['one', 'two'].map((name) => ({
      name: `early ${name}.pdf`,
      mimeType: 'application/pdf',
      buffer: pdf(name),
    })),
  );
  await expect(page.locator('#alerts').getByText('2 documents uploaded.')).toBeVisible();
});

test('files chosen while the page is loading are uploaded', async ({ page }) => {
  await page.addInitScript((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'at once.pdf', { type: 'application/pdf' }));
    // No listener is attached yet, so nothing hears the change event.
    new MutationObserver((_, observer) => {
      const field = document.querySelector<HTMLInputElement>('input[type=file]');
      if (!field) return;
      observer.disconnect();
      field.files = data.files;
    }).observe(document, { childList: true, subtree: true });
  }, pdf('at once').toString());
  await enter(page, PEOPLE.olivia);
  await expect(page.locator('#alerts').getByText('at once.pdf uploaded.')).toBeVisible();
});

test('files dropped before hydration are uploaded', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  const dataTransfer = await pdfToDrop(page, 'dropped.pdf');
  const target = page.locator('.upload-choose');
  await target.dispatchEvent('dragover', { dataTransfer });
  await target.dispatchEvent('drop', { dataTransfer });
  await expect(page.locator('#alerts').getByText('dropped.pdf uploaded.')).toBeVisible();
});

test('files dropped while the island becomes interactive are uploaded once', async ({ page }) => {
  // the time between React's first render and the moment when the island stops holding events
  await page.addInitScript(() => {
    const real = setTimeout;
    Object.assign(window, {
      setTimeout: (run: () => void, ms?: number, ...rest: unknown[]) => real(run, ms ?? 2000, ...rest),
    });
  });
  await enter(page, PEOPLE.olivia);
  const island = page.locator('astro-island').filter({ has: page.locator('.upload-choose') });
  const drop = await dragOverRow(page, 'dropped once.pdf');
  await expect(island).toHaveAttribute('aria-busy', 'true');
  await expect(island).not.toHaveAttribute('ssr');
  await drop();
  await expect(page.locator('html')).not.toHaveAttribute('data-dropping');
  await expect(page.locator('#alerts').getByText('dropped once.pdf uploaded.')).toBeVisible();
  await expect(page.locator('.upload-files > li')).toHaveCount(1);
});

test('a file with a name in use is stored under the next free one, and the person is informed', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  const file = { name: 'Same name.pdf', mimeType: 'application/pdf', buffer: pdf('same') };
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(page.locator('#alerts').getByText('Same name.pdf uploaded.')).toBeVisible();
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(
    page.getByText('Uploaded as Same name (1).pdf, because a file with that name already exists'),
  ).toBeVisible();
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(
    page.getByText('Uploaded as Same name (2).pdf, because a file with that name already exists'),
  ).toBeVisible();
});

test('when one of several files is refused, the others are uploaded and every reason is listed', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('input[type=file]').setInputFiles([
    { name: 'good.pdf', mimeType: 'application/pdf', buffer: pdf('good') },
    { name: 'not really.pdf', mimeType: 'application/pdf', buffer: Buffer.from('this is no PDF') },
    { name: 'Wrong|name.exe', mimeType: 'x/y', buffer: Buffer.alloc(0) },
  ]);
  const refused = page.locator('#alerts .alert-danger');
  await expect(refused).toContainText('The file is empty.');
  await expect(refused).toContainText('This file type isn’t supported.');
  const partial = page
    .locator('#alerts')
    .getByText('The following documents were unable to be uploaded at this time.');
  await expect(partial).toBeVisible();
  await page.locator('#alerts').getByText('More details').click();
  await expect(page.locator('#alerts').getByText('not really.pdf')).toBeVisible();
  await expect(page.getByRole('row', { name: /good\.pdf/ }).first()).toBeVisible();
});

const addressesOf = (links: Locator): Promise<string[]> =>
  links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));

/** The places of all controls, headings and texts of a page. */
const placesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('body :is(a, button, input, select, textarea, summary, h1, h2, label, p)')]
      .filter((element) => element.checkVisibility())
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const numbers = [x, y, width, height].map((number) => Math.round(number)).join(' ');
        return `${element.tagName} ${element.textContent.trim().slice(0, 30)} ${numbers}`;
      }),
  );

for (const viewport of [PHONE, DESK])
  test(`nothing moves when an island becomes interactive, at ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport);
    for (const [person, paths] of [
      [PEOPLE.olivia, ['documents/scan', 'a task']],
      [PEOPLE.marcus, ['home', 'documents']],
      [PEOPLE.eleanor, ['documents']],
    ] as const) {
      await page.context().clearCookies();
      await enter(page, person, '');
      for (const path of paths) {
        const islands = page.locator('astro-island');
        await page.goto(path === 'a task' ? 'tasks' : path);
        if (path === 'a task')
          for (const address of await addressesOf(page.locator('main a[href*="/task/"]'))) {
            await page.goto(address);
            if ((await islands.count()) > 0) break;
          }
        await expect(islands.first(), `${path} of ${person}`).toBeAttached();
        await settled(page);
        const before = await placesOf(page);
        await islands.evaluateAll((all) => {
          for (const island of all) island.dispatchEvent(new Event('pointerover'));
        });
        await expect(page.locator('astro-island:is([ssr], [aria-busy])')).toHaveCount(0);
        await settled(page);
        expect(await placesOf(page), `${path} of ${person}`).toEqual(before);
      }
    }
  });
