import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright/test';
import { WHOLE } from '../../tests/kit/whole.ts';
import { expect } from './test.ts';

declare const window: { axe: typeof axe };

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The widths of a small phone, a tablet and a desk (quality.md, Accessibility). */
export const WIDTHS = [320, 768, 1280] as const;

/** The tablet's layout is put together from those of the phone and the desk: axe looks at it in the large form, at its width `npm test` looks as well. */
const NOT_ASKED = WHOLE ? [] : [768];

/**
 * Expects that everybody can use the page as it stands, at each of the widths: axe finds nothing, and nothing makes
 * it scroll sideways. axe runs in the page itself; the builder of @axe-core/playwright opens another page each time, and is five times
 * as slow.
 */
export async function expectUsable(page: Page, name: string, widths: readonly number[] = WIDTHS): Promise<void> {
  await page.mouse.move(0, 0); // in another width the pointer would lie on another part, which would begin to load
  await expect(page.locator('astro-island[aria-busy=true]'), 'a part that is being loaded is faint').toHaveCount(0);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  for (const width of widths) {
    if (width !== page.viewportSize()?.width) await page.setViewportSize({ width, height: 800 });
    await page.evaluate(() => scrollTo(0, 0)); // what lies half under the header can be scrolled
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} does not scroll sideways at ${width} px`).toBeLessThanOrEqual(0);
    if (NOT_ASKED.includes(width)) continue;
    const { violations }: Pick<AxeResults, 'violations'> = await page.evaluate((runOnly) => window.axe.run({ runOnly, resultTypes: ['violations'] }), RULES);
    expect(violations.map(({ id, nodes }) => `${name} at ${width} px: ${id} at ${nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual([]);
  }
}
