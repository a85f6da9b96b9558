import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** The styles of the portal: files and the `<style>` of components. */
const styles = globSync('src/**/*.{css,astro}').flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const blocks = file.endsWith('.css')
    ? [text]
    : [...text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, css = '']) => css);
  return blocks.map((css) => ({ file, css: withoutComments(css) }));
});

function withoutComments(css: string): string {
  return css.replaceAll(/\/\*[\s\S]*?\*\//g, '');
}

/** The values of a property, in every rule: [property, value]. */
const declarations = (css: string, property: RegExp): [string, string][] =>
  [...css.matchAll(/([\w-]+):\s*([^;{}]+);/g)].flatMap(([, name = '', value = '']): [string, string][] =>
    property.test(name) ? [[name, value.replaceAll(/\s+/g, ' ')]] : [],
  );

const isToken = (value: string, kind: string): boolean => new RegExp(`^var\\(--${kind}-\\w+\\)$`).test(value);

const BREAKPOINTS = new Set([600, 750, 960, 1024]);
const LOW_WINDOW = 520;

/** What is wrong with some styles, each as a sentence that says what to write instead. */
function problemsOf(css: string): string[] {
  const problems: string[] = [];
  for (const [, value] of declarations(css, /^z-index$/))
    if (!isToken(value, 'layer') && !['auto', '0'].includes(value))
      problems.push(`z-index: ${value}: use a --layer-* of src/ui/portal.css.`);
  for (const [name, value] of declarations(css, /^font(-size)?$/)) {
    const isSize = name === 'font-size' ? isToken(value, 'text') : /^var\(--text-\w+\) \/ /.test(value);
    const isOnPaper = /^[\d.]+pt$/.test(value); // there are no tokens for print
    if (!isSize && !isOnPaper && value !== 'inherit')
      problems.push(`${name}: ${value}: use a --text-* of src/ui/portal.css.`);
  }
  for (const [name, value] of declarations(css, /^((row|column)-)?gap$|^(padding|margin)\b/))
    if (/(?<![\w.-])(4|8|12|16|24|32|48)px/.test(value))
      problems.push(`${name}: ${value}: use --space-* of src/ui/portal.css.`);
  for (const [name, value] of declarations(css, /inline-size$/))
    if (/^(452|640|720|1120)px$/.test(value))
      problems.push(`${name}: ${value}: use a --width-* of src/ui/portal.css.`);
  for (const [, query = ''] of css.matchAll(/@(?:media|container)([^{]+)\{/g)) {
    if (/\b(?:min|max)-(?:width|height|inline-size|block-size)/.test(query))
      problems.push(
        `${query.trim()}: write (width < 600px) or (width >= 600px), so that no width is between two rules.`,
      );
    for (const [all, axis, , size] of query.matchAll(/\b(width|height)\s*(<=?|>=?)\s*([\d.]+\w*)/g)) {
      const isAllowed =
        axis === 'height' ? size === `${LOW_WINDOW}px` : BREAKPOINTS.has(Number(size?.replace('px', '')));
      if (!isAllowed || /<=|>(?!=)/.test(all))
        problems.push(`${all}: use one of the breakpoints of src/ui/portal.css, with < or >=.`);
    }
  }
  return problems;
}

describe('styles use the tokens of src/ui/portal.css', () => {
  test('no component has a layer, a size of type, a step of space or a breakpoint of its own', () => {
    expect(styles.length).toBeGreaterThan(20);
    expect(
      styles.flatMap(({ file, css }) => problemsOf(css).map((problem) => `${file}: ${problem}`)),
    ).toEqual([]);
  });

  test.each([
    'a { z-index: 5; }',
    'a { font-size: 15px; }',
    'a { font: 14px/1.5 serif; }',
    'a { font-size: 1.1rem; }',
    'a { gap: 0 12px; }',
    'a { margin-block: 8px 0; }',
    'a { max-inline-size: 640px; }',
    '@media (max-width: 599px) { a { color: red; } }',
    '@media (width < 700px) { a { color: red; } }',
    '@media (width <= 600px) { a { color: red; } }',
    '@media (height < 600px) { a { color: red; } }',
    '@container (width >= 730px) { a { color: red; } }',
  ])('%s is refused', (css) => {
    expect(problemsOf(css)).toHaveLength(1);
  });

  test.each([
    'a { z-index: var(--layer-menu); font-size: var(--text-s); padding: var(--space-2) 20px; }',
    'a { font: inherit; margin: -8px 0; inline-size: 44px; }',
    '@media (scripting: none) and (width < 600px) { a { color: red; } }',
    '@container (width >= 750px) { a { color: red; } }',
  ])('%s is allowed', (css) => {
    expect(problemsOf(css)).toEqual([]);
  });

  test('every token that is used is defined, and every one that is defined is used', () => {
    const all = styles.map(({ css }) => css).join('\n');
    const kinds = /--(?:space|text|width|layer|radius)(?:-\w+)?/;
    const defined = new Set([...all.matchAll(new RegExp(`(${kinds.source}):`, 'g'))].map(([, name]) => name));
    const used = new Set(
      [...all.matchAll(new RegExp(`var\\((${kinds.source})\\)`, 'g'))].map(([, name]) => name),
    );
    expect([...used.symmetricDifference(defined)]).toEqual([]);
  });
});

describe('recurring styles are defined once', () => {
  test('only the recipes, and tables by the width of their container, hide something visually', () => {
    const hiding = styles.filter(({ css }) => /inline-size: 1px;[^}]*clip-path/.test(css));
    expect(hiding.map(({ file }) => path.basename(file)).toSorted()).toEqual([
      'Table.astro',
      'portal.css',
      'sheet.css',
    ]);
  });
});

describe('styles are next to what they style', () => {
  test('a style that is global says why', () => {
    const silent = globSync('src/**/*.astro').filter((file) =>
      [...readFileSync(file, 'utf8').matchAll(/<style is:global>\s*(\/\*[\s\S]*?\*\/)?/g)].some(
        ([, comment = '']) => !/\bGlobal, because\b/.test(comment),
      ),
    );
    expect(silent).toEqual([]);
  });
});
