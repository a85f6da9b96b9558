import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright/test';
import { WHOLE } from '../../tests/support/whole.ts';
import { brokenRules, movingParts } from './accessibility-rules.ts';
import { markupProblems } from './markup.ts';
import { expect, servedMarkup } from './test.ts';
import { patternOf, recordCheckedPage } from './every-page.ts';

/** Half the size of `axe.source`, which is sent to each page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

declare const window: { axe: typeof axe };

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Viewport widths of a small phone, a tablet and a desktop. */
export const WIDTHS = [320, 768, 1280] as const;

/**
 * Whether axe checks this state at a width of WIDTHS. In `npm test` it skips the tablet, whose layout combines those of
 * phone and desktop; of each page it checks one state at the other widths, and further ones only if they show a kind of
 * element that it has not seen.
 */
async function needsAxe(page: Page, width: number, widths: readonly number[]): Promise<boolean> {
  if (WHOLE || widths !== WIDTHS) return true;
  if (width === WIDTHS[1]) return false;
  const pattern = `${patternOf(new URL(page.url()).pathname)} ${width}`;
  const isFirst = !seen.has(pattern);
  seen.add(pattern);
  const kinds = await page.evaluate(kindsOfElements);
  const isNew = kinds.some((kind) => !seen.has(`${kind} ${width}`));
  for (const kind of kinds) seen.add(`${kind} ${width}`);
  return isFirst || isNew;
}
/** The pages and kinds of elements that axe has seen in this worker, each with a width. */
const seen = new Set<string>();

/** Runs in the page. Elements of one kind have the same tag, type, classes and attributes for assistive technology. */
function kindsOfElements(): string[] {
  const kindOf = (element: Element): string =>
    [
      element.parentElement?.tagName,
      element.tagName,
      element.getAttribute('class'),
      ...[...element.attributes]
        .filter(({ name }) => /^(?:aria-|role$|type$|tabindex$|disabled$|hidden$|open$)/.test(name))
        .map(({ name, value }) =>
          /^(?:role|type|tabindex)$|^aria-(?:current|invalid|hidden)$/.test(name) ? `${name}=${value}` : name,
        ),
    ].join(' ');
  const isShown = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });
  return [...new Set([...document.body.querySelectorAll('*')].filter(isShown).map(kindOf))];
}

/**
 * Windows that are low, as on a phone on its side, or at a zoom of 400 %: two of them, and those between them in the whole
 * run.
 */
const LOW = [
  { width: 320, height: 256 },
  { width: 568, height: 320 },
  ...(WHOLE
    ? [
        { width: 360, height: 400 },
        { width: 400, height: 500 },
        { width: 480, height: 320 },
      ]
    : []),
];

/** Runs in the page. The controls of the header that are cut off, or covered where one would press them. */
function unreachableControls(): string[] {
  if (document.querySelector('dialog:modal')) return [];
  return [...document.querySelectorAll('body > header :is(a, button, summary)')]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .flatMap((control) => {
      control.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      const { x, y, width, height, left, right } = control.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      const isWhole = left >= 0 && right <= document.documentElement.clientWidth + 1 && width >= 24;
      // an open menu may cover what is below it
      return isWhole && (control.contains(hit) || hit?.closest('.menu-panel, [popover]'))
        ? []
        : [`${control.getAttribute('aria-label') ?? control.textContent.trim()} (${width} × ${height})`];
    });
}

/** Expects the page to fit into low windows, with all that is in its header. */
async function expectFitsLowWindows(page: Page, name: string): Promise<void> {
  for (const size of LOW) {
    await page.setViewportSize(size);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    const where = `${name} at ${size.width} × ${size.height} px`;
    expect(overflow, `${where} does not scroll horizontally`).toBeLessThanOrEqual(0);
    expect(await page.evaluate(unreachableControls), where).toEqual([]);
  }
}

/**
 * Expects no axe violations and no horizontal scrolling at any width, nor in low windows. axe runs in the page itself: the
 * builder of @axe-core/playwright opens another page for each run, and is five times slower.
 */
export async function expectUsable(
  page: Page,
  name: string,
  widths: readonly number[] = WIDTHS,
): Promise<void> {
  recordCheckedPage(page.url());
  expect(await markupProblems(await servedMarkup(page)), `${name} conforms to the HTML standard`).toEqual([]);
  // after a resize the pointer would be over another element, which might start loading
  await page.mouse.move(0, 0);
  for (const width of widths) {
    if (width !== page.viewportSize()?.width) await page.setViewportSize({ width, height: 800 });
    await page.evaluate(() => scrollTo(0, 0)); // what is partly under the header can be scrolled into view
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} does not scroll horizontally at ${width} px`).toBeLessThanOrEqual(0);
    const checks = (await needsAxe(page, width, widths)) ? [...CHECKS, byAxe] : CHECKS;
    if (checks.length > CHECKS.length || width === widths[0])
      expect(await problemsOf(page, checks), `${name} at ${width} px`).toEqual([]);
  }
  const pattern = `${patternOf(new URL(page.url()).pathname)} low`;
  if (widths !== WIDTHS || (!WHOLE && seen.has(pattern))) return;
  seen.add(pattern);
  await expectFitsLowWindows(page, name);
}

type Check = (page: Page) => Promise<string[]>;

/** What axe finds, which takes most of the time. */
const byAxe: Check = (page) => violations(page, RULES);

/** What else finds problems in the current state and width of a page. */
const CHECKS: readonly Check[] = [
  (page) => page.evaluate(namingProblems),
  (page) => page.evaluate(brokenRules),
  async (page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const problems = await page.evaluate(movingParts);
    await page.emulateMedia({ reducedMotion: null });
    return problems;
  },
];

/** What keeps people from using the page in its current state and width: by axe, and by rules that it does not have. */
export const accessProblems = (page: Page): Promise<string[]> => problemsOf(page, [...CHECKS, byAxe]);

async function problemsOf(page: Page, checks: readonly Check[]): Promise<string[]> {
  const problems: string[] = [];
  for (const check of checks) problems.push(...(await check(page)));
  return problems;
}

/** Whether {@link accessProblems} finds any; stops at the first check that does. */
export async function hasAccessProblems(page: Page): Promise<boolean> {
  for (const check of [...CHECKS, byAxe]) if ((await check(page)).length > 0) return true;
  return false;
}

/**
 * Runs in the page. Reports forms with fields, groups and landmarks without a name or with a duplicate one,
 * duplicate ids, and labels without text. Hidden elements such as closed dialogs are skipped. A form with a
 * single button is named by that button.
 */
function namingProblems(): string[] {
  const textOf = (ids: string): string =>
    ids
      .split(/\s+/)
      .map((id) => document.getElementById(id)?.textContent.trim() ?? '')
      .join(' ');
  const nameOf = (element: Element): string =>
    (
      element.getAttribute('aria-label') ??
      (element.hasAttribute('aria-labelledby')
        ? textOf(element.getAttribute('aria-labelledby') ?? '')
        : element.querySelector(':scope > legend')?.textContent)
    )?.trim() ?? '';
  const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });
  const hasFields = (element: Element): boolean =>
    [...element.querySelectorAll('input:not([type=hidden]), select, textarea')].some(isSeen);
  const parts = [
    ...document.querySelectorAll('form, fieldset, nav, [role=group], [role=region], [role=search]'),
  ].filter((part) => isSeen(part) && (part.tagName !== 'FORM' || hasFields(part)));
  const described = parts.map((part) => ({
    kind: part.getAttribute('role') ?? part.tagName.toLowerCase(),
    name: nameOf(part),
    text: part.textContent.trim().replaceAll(/\s+/g, ' ').slice(0, 60),
  }));
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return [
    ...described.filter(({ name }) => name === '').map(({ kind, text }) => `${kind} without a name: ${text}`),
    ...described
      .filter(
        ({ kind, name }, i) =>
          name !== '' && described.findIndex((other) => other.kind === kind && other.name === name) < i,
      )
      .map(({ kind, name }) => `two of ${kind} "${name}"`),
    ...[...document.querySelectorAll('label')]
      .filter((label) => isSeen(label) && label.textContent.trim() === '')
      .map((label) => `label without text for ${label.htmlFor}`),
    ...ids.filter((id, i) => ids.indexOf(id) < i).map((id) => `id ${id} occurs twice`),
  ];
}

/** Expects sufficient contrast of all text in the current state of the page, including hover. */
export async function expectReadable(page: Page, name: string): Promise<void> {
  expect(await violations(page, ['color-contrast']), name).toEqual([]);
}

async function violations(page: Page, runOnly: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const found: Pick<AxeResults, 'violations'> = await page.evaluate(
    (rules) => window.axe.run({ runOnly: rules, resultTypes: ['violations'] }),
    runOnly,
  );
  const obscured = found.violations
    .flatMap(({ nodes }) => nodes)
    .filter(({ any: [reason] }) => reason?.message.includes('partially obscured'))
    .map(({ target }) => target.join(' '));
  const behind = new Set(obscured.length > 0 ? await page.evaluate(behindOpenMenu, obscured) : []);
  return found.violations.flatMap(({ id, nodes }) => {
    const bad = nodes
      .map((node) => ({ target: node.target.join(' '), message: node.any[0]?.message ?? '' }))
      .filter(({ target }) => !behind.has(target));
    return bad.length === 0
      ? []
      : [`${id} at ${bad.map(({ target, message }) => `${target} (${message})`).join(', ')}`];
  });
}

/** Runs in the page. Returns those of the elements that an open menu covers: they are no targets until it is closed. */
function behindOpenMenu(selectors: string[]): string[] {
  const panels = [...document.querySelectorAll('.menu[open] > .menu-panel')];
  return selectors.filter((selector) => {
    const element = document.querySelector(selector);
    const box = element?.getBoundingClientRect();
    return panels.some((panel) => {
      const { left, right, top, bottom } = panel.getBoundingClientRect();
      return (
        box &&
        !panel.contains(element) &&
        box.left < right &&
        box.right > left &&
        box.top < bottom &&
        box.bottom > top
      );
    });
  });
}
