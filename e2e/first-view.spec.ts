import type { Page } from 'playwright/test';
import { PEOPLE, enter, expect, settled, test } from './support/test.ts';

const sheets = (page: Page): Promise<number> =>
  page.locator('link[rel=stylesheet][href^="/_astro/"]').count();

const isFile = (address: string): boolean => /\.css$|\/icons\.svg$/.test(new URL(address).pathname);

/** Notes the style sheets and the sprite that a page asks for. */
function noteFiles(page: Page): string[] {
  const noted: string[] = [];
  page.on('request', (request) => isFile(request.url()) && noted.push(request.url()));
  return noted;
}

/** What a page loaded from the network, not from the cache. */
const transferred = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap((entry) =>
        entry instanceof PerformanceResourceTiming && entry.transferSize > 0 ? [entry.name] : [],
      ),
  );

test.describe('the first page inside the frame', () => {
  test.beforeEach(async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await enter(page, PEOPLE.olivia);
    await page.mouse.move(0, 0); // over nothing that changes with the mouse
    await page.context().clearCookies({ name: 'styles' });
  });

  test('needs no style sheet, and looks like the same page later', async ({ page }) => {
    const noted = noteFiles(page);
    await page.goto('/clientcenter/en-us/documents');
    await settled(page);
    const first = await page.screenshot({ animations: 'disabled' });
    expect(noted).toEqual([]);
    expect(await sheets(page)).toBe(0);

    await page.goto('/clientcenter/en-us/documents');
    expect(await sheets(page)).toBeGreaterThan(2);
    await expect
      .poll(async () => first.equals(await page.screenshot({ animations: 'disabled' })), 'the same pixels')
      .toBe(true);
  });

  test('loads the files when it is touched, so that the next page finds them', async ({ page }) => {
    await page.goto('/clientcenter/en-us/documents');
    const noted = noteFiles(page);
    await page.locator('#document-list .file-text a').first().hover();
    await expect.poll(() => noted.length).toBeGreaterThan(5);
    await settled(page);

    await page.goto('/clientcenter/en-us/documents');
    expect(await sheets(page)).toBeGreaterThan(2);
    expect((await transferred(page)).filter(isFile)).toEqual([]);
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('the first page has its styles and icons, and so has the next', async ({ page }) => {
    await enter(page, PEOPLE.olivia);
    await page.context().clearCookies({ name: 'styles' });
    for (const expected of ['none', 'some']) {
      await page.goto('/clientcenter/en-us/documents');
      expect((await sheets(page)) > 0 ? 'some' : 'none').toBe(expected);
      await expect(page.locator('.header')).not.toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
      const bell = page.locator('#help .icon use');
      expect((await bell.boundingBox())?.width).toBeGreaterThan(5);
    }
  });
});
