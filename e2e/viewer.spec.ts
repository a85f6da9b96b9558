import type { Page } from 'playwright/test';
import { expectUsable } from './support/accessibility.ts';
import { PEOPLE, WAYS, enter, expect, test } from './support/test.ts';

/* Documents in the viewer (product.md, Documents; threat-model.md T51). */

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('a PDF opens in the page with selectable text, search, zoom and rotation', async ({
    page,
    portal,
  }) => {
    await portal.sql('delete from document_reads'); // another test may have read it
    await enter(page, PEOPLE.olivia, 'documents?view=flat&name=tax+return');
    await page.goto('documents?view=flat&name=tax+return');
    const row = page.getByRole('row', { name: /Tax return 2025/ });
    await expect(row).toContainText('unread');
    await row.getByRole('link', { name: /Tax return 2025/ }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tax return 2025 - for your review.pdf');

    const first = page.getByRole('region', { name: 'Page 1 of 6' });
    await expect(first.getByText('U.S. Individual Income Tax Return')).toBeAttached();
    await expect
      .poll(() => first.locator('.page-image').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(600);

    await page.locator('summary[aria-label="Find in this document"]').click();
    await page.getByRole('searchbox').fill('adjusted gross');
    await page.getByRole('button', { name: 'Find' }).click();
    await expect(page.getByRole('status').filter({ hasText: /“adjusted gross” found/ })).toBeVisible();
    await page.getByRole('navigation', { name: 'Pages with matches' }).getByRole('link').first().click();
    await expect(page).toHaveURL(/#page-\d$/);
    await expect(page.locator('.page rect').first()).toBeAttached();

    await page.locator('summary[aria-label="Zoom: Fit width"]').click();
    await page.getByRole('link', { name: '200%' }).click();
    await expect(first.locator('.page-image')).toHaveAttribute('width', String(612 * 2 * (96 / 72)));
    await page.getByRole('textbox', { name: 'Page' }).fill('5');
    await page.getByRole('button', { name: 'Go' }).click();
    await expect(page.getByRole('heading', { level: 2 }).first()).toHaveText('Page 5 of 6');
    await expect(page.getByText(/“adjusted gross”/)).toBeVisible();

    await page.getByRole('link', { name: 'Back to documents' }).click();
    await expect(page).toHaveURL(/documents\?view=flat&name=tax\+return$/);
    await expect(row).not.toContainText('unread');
  });
});

test('what was found in a PDF is marked, and can still be read', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'documents?view=flat&name=tax+return');
  await page.getByRole('link', { name: /^Tax return 2025/ }).click();
  await page.goto(`${page.url().replace(/[?#].*/, '')}?find=Individual+Income`);
  await page.locator('.paper.is-loaded').first().waitFor();
  const mark = await page.locator('.page rect').first().screenshot();
  const colors = await page.evaluate(
    async (bytes) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas?.drawImage(image, 0, 0);
      const { data = [] } = canvas?.getImageData(0, 0, image.width, image.height) ?? {};
      const pixels = Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 3)]);
      const isYellow = ([red = 0, green = 0, blue = 0]: number[]): boolean =>
        red > 230 && green > 190 && blue < 60;
      const isDark = ([red = 0, green = 0]: number[]): boolean => red < 100 && green < 100;
      return { yellow: pixels.some(isYellow), text: pixels.some(isDark) };
    },
    [...mark],
  );
  expect(colors).toEqual({ yellow: true, text: true });
});

test('a PDF with a password says so and offers the download; with the preview setting its details are shown first', async ({
  page,
  portal,
}) => {
  await enter(page, PEOPLE.olivia, 'documents?view=flat&name=bank+letter');
  await page.goto('documents?view=flat&name=bank+letter');
  await page.getByRole('link', { name: /^Bank letter/ }).click();
  await expect(page.getByText('This PDF is password-protected')).toBeVisible();
  await expectUsable(page, 'a document that cannot be shown');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.viewer-bar').getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Bank letter (password protected).pdf');

  const [contact] = await portal.sql(
    `select company_id, contact_id from contacts where full_name = 'Olivia Bennett'`,
  );
  const who = [contact?.['company_id'], contact?.['contact_id']].map((id) => `'${String(id)}'`).join(', ');
  await portal.sql(
    `insert into access_settings (company_id, contact_id, kind, name, granted) values (${who}, 'permission', 'ShowPreviewB4CCViewer', 1)`,
  );
  await page.reload();
  await expect(page.getByRole('region', { name: 'About this document' })).toContainText('39.2 kB');
  await expectUsable(page, 'the details of a document');
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await expect(page.getByText('This PDF is password-protected')).toBeVisible();
  await portal.sql(`delete from access_settings where name = 'ShowPreviewB4CCViewer'`);
});

test('a table and a photo open in the viewer for everybody', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await page.goto('documents?view=flat&name=hours');
  await page
    .getByRole('link', { name: /^Hours/ })
    .first()
    .click();
  await expect(page.getByRole('columnheader', { name: 'Account' })).toBeVisible();
  await expect(page.getByRole('cell', { name: 'Petty cash' })).toBeVisible();
  await expectUsable(page, 'a table');
  await page.goto('documents?view=flat&name=oven');
  await page.getByRole('link', { name: /^Oven repair/ }).click();
  await expect(page.getByRole('img', { name: 'Image: Oven repair receipt.jpg' })).toBeVisible();
  await expectUsable(page, 'a photo');
});

/** Opens a document of Olivia's from the list in this order. */
async function openFrom(page: Page, query: string, name: RegExp): Promise<void> {
  await page.goto(`documents?${query}`);
  await page.locator('#document-list').getByRole('link', { name }).first().click();
  await page.locator('.viewer').waitFor();
}
const SORTED = 'view=flat&orderBy=name&orderDir=asc';

for (const { viewport, javaScriptEnabled } of WAYS) {
  test.describe(`at ${viewport.width} px, scripts ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ viewport, javaScriptEnabled });

    test('the first page begins within 110 px, and the bar stays in place', async ({ page, portal }) => {
      await portal.sql('delete from comments');
      await enter(page, PEOPLE.olivia);
      for (const name of [/^Tax return 2025/, /^Oven repair/]) {
        await openFrom(page, 'view=flat', name);
        const image = page.locator('.page-image').first();
        const top = () => image.evaluate((one) => Math.round(one.getBoundingClientRect().top));
        expect(await top(), `${name} before it is loaded`).toBeLessThanOrEqual(110);
        const height = await image.evaluate((one: HTMLImageElement) => Math.round(one.height));
        await expect
          .poll(() => image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth > 0))
          .toBe(true);
        expect(await top(), `${name}, loaded`).toBeLessThanOrEqual(110);
        const loaded = await image.evaluate((one: HTMLImageElement) => Math.round(one.height));
        expect(Math.abs(loaded - height), 'nothing moved').toBeLessThanOrEqual(1);
      }
      await openFrom(page, 'view=flat', /^Tax return 2025/);
      await page.locator('#page-3').evaluate((one) => one.scrollIntoView());
      await expect(page.getByRole('link', { name: 'Back to documents' })).toBeInViewport();
      const bar = await page.locator('.viewer-bar').boundingBox();
      expect([bar?.y, bar?.height]).toEqual([56, 48]);
      await expect(page.getByRole('link', { name: 'Next page' })).toBeInViewport();
      if (javaScriptEnabled) await expectUsable(page, 'the viewer', [viewport.width]);
    });

    test('the comments are beside the document on a wide screen, below it on a phone', async ({
      page,
      portal,
    }) => {
      await portal.sql('delete from comments');
      await enter(page, PEOPLE.olivia);
      await openFrom(page, 'view=flat', /^Tax return 2025/);
      const isWide = viewport.width >= 1280;
      if (isWide) await page.getByRole('link', { name: '0 comments' }).click();
      else {
        await page.locator('summary[aria-label="More actions"]').click();
        await page.getByRole('link', { name: 'Comment', exact: true }).click();
      }
      await page.getByLabel('Your comment').fill('Is line 12 right?');
      await page.getByRole('button', { name: 'Add comment' }).click();
      await expect(page.getByRole('list', { name: /Comments/ })).toContainText('Is line 12 right?');
      await expect(page).toHaveURL(/\/view\?list=view%3Dflat&page=1#comments$/);
      const [panel, paper] = await Promise.all(
        ['.viewer-comments', '.paper'].map((one) => page.locator(one).first().boundingBox()),
      );
      if (!panel || !paper) throw new Error('The comments or the page are not shown');
      if (isWide) expect(panel.x).toBeGreaterThanOrEqual(paper.x + paper.width);
      else expect(panel.y).toBeGreaterThan(paper.y + paper.height);
      if (javaScriptEnabled) await expectUsable(page, 'comments in the viewer', [viewport.width]);
      await portal.sql('delete from comments');
    });

    test('links lead to the documents beside it in the list that it was opened from', async ({ page }) => {
      await enter(page, PEOPLE.olivia);
      await page.goto(`documents?${SORTED}`);
      const link = page.locator('#document-list a[href*="/view"]').nth(1);
      const name = await link.innerText();
      await link.click();
      const title = page.getByRole('heading', { level: 1 });
      await expect(title).toHaveText(name);
      await expect(
        page
          .getByText(/^\d+ of \d+$/)
          .filter({ visible: true })
          .first(),
      ).toBeVisible();
      await page.waitForLoadState('load'); // its styles hide one of the two bars
      await page.getByRole('link', { name: /^Next document: / }).click();
      await expect(title).not.toHaveText(name);
      await page.getByRole('link', { name: `Previous document: ${name}` }).click();
      await expect(title).toHaveText(name);
      await page.getByRole('link', { name: 'Back to documents' }).click();
      await expect(page).toHaveURL(/documents\?view=flat&orderBy=name&orderDir=asc$/);
    });
  });
}

test('the arrow keys turn to the next and the previous document, and the arrows in the bar to the pages', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await enter(page, PEOPLE.olivia);
  await openFrom(page, 'view=flat&name=tax+return', /^Tax return 2025/);
  const field = page.getByRole('textbox', { name: 'Page' });
  await page.getByRole('link', { name: 'Next page' }).click();
  await expect(field).toHaveValue('2');
  await expect(page).toHaveURL(/#page-2$/);
  await field.fill('6');
  await field.press('ArrowLeft');
  await field.press('Enter');
  await expect(page.getByRole('region', { name: 'Page 6 of 6' })).toBeInViewport();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tax return 2025 - for your review.pdf');

  await openFrom(page, 'view=flat', /^Tax return 2025/);
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(/^Tax return 2025/);
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Tax return 2025/);
});

test('the image of the first page comes before the others, and the script of the viewer in one file', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia);
  await openFrom(page, 'view=flat&name=tax+return', /^Tax return 2025/);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const images: string[] = [];
  const scripts: string[] = [];
  session.on('Network.requestWillBeSent', ({ request, type, initiator }) => {
    const [, number] = /\/pages\/(\d+)\?/.exec(request.url) ?? [];
    if (number !== undefined) images.push(`${number} ${request.initialPriority}`);
    if (type === 'Script') scripts.push(`${initiator.url} asks for ${request.url}`);
  });
  await page.reload();
  await page.locator('.paper.is-loaded').first().waitFor();
  await page.locator('.paper').nth(1).scrollIntoViewIfNeeded();
  await expect.poll(() => images.slice(0, 2)).toEqual(['1 High', '2 Low']);
  expect(scripts.filter((one) => /viewing|viewer.* asks/i.test(one))).toEqual([]);
});

test('a document that cannot be shown keeps the bar with the download, and prints without it', async ({
  page,
}) => {
  await enter(page, PEOPLE.olivia, 'documents?view=flat&name=bank+letter');
  await openFrom(page, 'view=flat&name=bank+letter', /^Bank letter/);
  const bar = page.locator('.viewer-bar');
  await expect(bar.getByRole('link', { name: 'Download' })).toBeVisible();
  await expect(bar.getByRole('link', { name: 'Back to documents' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(bar).toBeHidden();
  await expect(page.getByText('This PDF is password-protected')).toBeVisible();
});

test.describe('fiscal documents', () => {
  /** Opens a fiscal document of the bakery. */
  async function openFiscal(page: Page, name: string): Promise<void> {
    await enter(page, PEOPLE.ana, 'clients');
    await page.getByRole('button', { name: /Padaria Sol Nascente/ }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('clients'));
    await page.goto(`documents?view=flat&name=${name}`);
    await page.locator('#document-list tbody th a').first().click();
    await page.locator('.fiscal').waitFor();
  }

  test('an invoice says in plain words what it is, shows every item, and what is proven', async ({
    page,
  }) => {
    await openFiscal(page, 'nfe-1001');
    const sheet = page.getByRole('article', { name: 'NF-e 1001' });
    await expect(sheet).toContainText('Embalagens Ipê Comércio Ltda');
    await expect(sheet.locator('.fiscal-lead')).toContainText(
      /1001 .*Embalagens Ipê.* Padaria Sol Nascente.*3[.,]000[.,]20/,
    );
    await expect(sheet.locator('.fiscal-items tbody tr')).toHaveCount(4);
    await expect(sheet.locator('.fiscal-proofs > .is-proven')).toHaveCount(3);
    await expect(sheet.locator('.fiscal-proofs > .is-open')).toHaveCount(2);
    await sheet.locator('.fiscal-others summary').click();
    await expect(sheet.getByRole('cell', { name: 'ide › verProc' })).toBeVisible();
  });

  test('on a phone the items of an invoice are cards, and nothing is wider than the page', async ({
    page,
  }) => {
    await openFiscal(page, 'nfe-1001');
    await page.setViewportSize({ width: 360, height: 740 });
    const [first] = await page.locator('.fiscal-items tbody tr').all();
    const box = await first?.boundingBox();
    expect(box?.width ?? 999).toBeLessThanOrEqual(360);
    await expect(page.getByRole('row', { name: /CX-2518/ })).toContainText(/1[.,]110[.,]00/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

  test('a fiscal document prints on A4 without what is around it', async ({ page }) => {
    await openFiscal(page, 'cte-2001');
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 703, height: 1000 }); // A4 without its margins
    for (const around of ['.header', '.viewer-bar', '.viewer-comments', '#details', '[data-print]'])
      await expect(page.locator(around).first()).toBeHidden();
    const wide = await page
      .locator('.fiscal *')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length);
    expect(wide).toBe(0);
  });
});
