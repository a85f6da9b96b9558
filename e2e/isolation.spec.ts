import type { Page } from 'playwright/test';
import { enter, expect, PEOPLE, test } from './support/test.ts';

/** Returns the images of a page that failed to load. */
const brokenImages = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const images = [...document.images].filter(({ loading }) => loading !== 'lazy');
    return images.filter(({ naturalWidth }) => naturalWidth === 0).map(({ src }) => src);
  });

test('every page is cross-origin isolated, and all its resources still load', async ({ page }) => {
  const expectIsolated = async (address: string): Promise<void> => {
    await page.goto(address, { waitUntil: 'load' });
    expect(await page.evaluate(() => self.crossOriginIsolated), address).toBe(true);
    expect(await brokenImages(page), address).toEqual([]);
    const styles = await page.evaluate(() => ({
      rules: [...document.styleSheets].map(({ cssRules }) => cssRules.length),
      firmsColor: getComputedStyle(document.documentElement).getPropertyValue('--firm-header'),
    }));
    expect(Math.min(...styles.rules), address).toBeGreaterThan(0);
    expect(styles.firmsColor, address).not.toBe('');
  };
  await expectIsolated('auth');
  await enter(page, PEOPLE.olivia, 'documents?view=flat&name=tax+return');
  await expectIsolated('documents?view=flat&name=tax+return');
  const view = String(
    await page
      .getByRole('row', { name: /Tax return 2025/ })
      .getByRole('link', { name: /^Tax return 2025/ })
      .getAttribute('href'),
  );
  await expectIsolated(new URL(view, page.url()).href);
  const first = page.getByRole('region', { name: 'Page 1 of 6' }).locator('img');
  await expect
    .poll(() => first.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(600);
  await expectIsolated('mailbox');
});
