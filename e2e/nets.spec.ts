import type { Page } from 'playwright/test';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * Checks that axe does not cover. Each check is also run against a page with the fault injected, to show that
 * it catches it.
 */

const STOPS = 12;

/** Presses Tab and returns the elements that got the focus without a visible indicator. */
async function stopsWithoutFocusRing(page: Page): Promise<string[]> {
  const missing: string[] = [];
  await page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
  );
  for (let stop = 0; stop < STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return '';
      // a field may show its focus on its label
      const shown = [element, ...(element.parentElement ? [element.parentElement] : [])];
      const isSeen = shown.some(
        (each) =>
          getComputedStyle(each).outlineStyle !== 'none' || getComputedStyle(each).boxShadow !== 'none',
      );
      return isSeen ? '' : element.outerHTML.slice(0, 80);
    });
    if (name !== '') missing.push(name);
  }
  return missing;
}

test('every element reached with Tab has a visible focus indicator', async ({ page }) => {
  await page.goto('auth');
  expect(await stopsWithoutFocusRing(page)).toEqual([]);
  await enter(page, PEOPLE.olivia);
  expect(await stopsWithoutFocusRing(page)).toEqual([]);
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { outline: none !important; box-shadow: none !important; }');
    document.adoptedStyleSheets = [sheet];
  });
  expect(
    (await stopsWithoutFocusRing(page)).length,
    'a page without a focus indicator is detected',
  ).toBeGreaterThan(3);
});

test('each language is named in its own language', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'language');
  const unmarked = () =>
    page
      .locator('main a')
      .filter({ hasText: /Español|Português|Français/ })
      .evaluateAll(
        (links) =>
          links.filter((link) => !link.closest('[lang]:not(html)') && !link.querySelector('[lang]')).length,
      );
  expect(
    await page
      .locator('main a')
      .filter({ hasText: /Español|Português|Français/ })
      .count(),
  ).toBe(3);
  expect(await unmarked()).toBe(0);
  await page.evaluate(() =>
    document.querySelectorAll('main [lang]').forEach((element) => element.removeAttribute('lang')),
  );
  expect(await unmarked(), 'names without a language are detected').toBe(3);
});

test('the error summary of a form takes the focus', async ({ page }) => {
  await enter(page, PEOPLE.olivia, 'verify');
  await page.locator('#verify').evaluate((form: HTMLFormElement) => form.setAttribute('novalidate', ''));
  await page.locator('#verify button').last().click();
  await expect(page.locator('.error-summary')).toBeFocused();
});

test('the number of selected documents is announced', async ({ page }) => {
  await enter(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().check();
  await expect(page.getByRole('status').filter({ hasText: '1 document selected' })).toHaveCount(1);
});

test('nothing moves for people who prefer reduced motion', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await enter(page, PEOPLE.olivia);
  const moving = () => page.evaluate(() => document.getAnimations().length);
  expect(await moving()).toBe(0);
  await page.evaluate(() => document.body.animate([{ opacity: 0 }, { opacity: 1 }], 10_000));
  expect(await moving(), 'motion is detected').toBe(1);
});
