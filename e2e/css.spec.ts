import { globSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright/test';
import { expect, test } from './support/test.ts';

/*
 * Every declaration of the source stylesheets that Chromium understands is in the built stylesheets with the
 * same value: a minifier may rewrite it, but not lose it.
 */

const SCOPE = /:where\(\.astro-[\w-]+\)|\.astro-[\w-]+|\[data-astro-cid-[\w-]+\]/g;

const sources = (): string[] =>
  globSync('src/**/*.{css,astro}').flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return file.endsWith('.css')
      ? [text]
      : [...text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, css = '']) => css);
  });

const built = (): string[] =>
  globSync('dist/client/**/_astro/*.css').map((file) => readFileSync(file, 'utf8').replaceAll(SCOPE, ''));

test.use({ baseURL: '' }); // opens no page of the portal

/**
 * Returns `selector { property: value }` of each declaration as the browser computes it; of a custom property
 * only the name, as its value is plain text.
 */
const declarations = (page: Page, sheets: string[]): Promise<string[]> =>
  page.evaluate((texts) => {
    const found = new Set<string>();
    const probe = document.body.appendChild(document.createElement('p'));
    const computed = (name: string, value: string): string => {
      if (name.startsWith('--')) return '';
      if (value.includes('var(')) return value.replaceAll(/\s/g, '');
      probe.style.cssText = `${name}: ${value}`;
      return getComputedStyle(probe).getPropertyValue(name).replace(/^0%$/, '0px');
    };
    const read = (rules: CSSRuleList): void => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule || rule instanceof CSSKeyframeRule) {
          const selectors =
            rule instanceof CSSStyleRule ? rule.selectorText.split(/,\s*(?![^(]*\))/) : [rule.keyText];
          for (const selector of selectors)
            for (const name of rule.style)
              found.add(`${selector} { ${name}: ${computed(name, rule.style.getPropertyValue(name))} }`);
        }
        if ('cssRules' in rule) read(rule.cssRules as CSSRuleList);
      }
    };
    for (const text of texts) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      read(sheet.cssRules);
    }
    return [...found];
  }, sheets);

test('the first stylesheet defines the order of the cascade layers', async ({ page, portal }) => {
  const kit = `${portal.origin}/clientcenter/en-us/kit`;
  await page.goto(kit);
  await page.goto(kit); // the first page has its styles in it
  const sheets = await page
    .locator('link[rel=stylesheet][href*="/_astro/"]')
    .evaluateAll((links) =>
      Promise.all(links.map(async (link) => (await fetch((link as HTMLLinkElement).href)).text())),
    );
  expect(sheets.length).toBeGreaterThan(1);
  expect(sheets.map((sheet) => /@layer (\w+)/.exec(sheet)?.[1] ?? 'components')).toEqual([
    'reset',
    ...sheets.slice(1).map(() => 'components'),
  ]);
});

test('the build loses no CSS declaration', async ({ page }) => {
  const there = new Set(await declarations(page, built()));
  const wanted = await declarations(page, sources());
  expect(wanted.length).toBeGreaterThan(500);
  expect(wanted.filter((declaration) => !there.has(declaration))).toEqual([]);
});
