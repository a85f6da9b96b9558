import type { FileChooser, Locator, Page } from 'playwright/test';
import type { Lang } from '#platform/text/languages.ts';
import type { Vars } from '#platform/text/messages.ts';
import { translationsFor, type KeysOf, type Namespace } from '#platform/text/translations.server.ts';
import { DESK, expect, PHONE, test as base } from './test.ts';
import { WHOLE } from '../../tests/support/whole.ts';

/*
 * Who goes through a journey, with the pointer or by keyboard alone, in one of the languages. A journey is written
 * once, as what the operator does.
 */

type Input = 'pointer' | 'keyboard';
type File = Parameters<FileChooser['setFiles']>[0];

export interface Operator {
  readonly page: Page;
  /**
   * A text of the portal in the language of the journey. Where it has placeholders without a value, anything may be in
   * their place.
   */
  readonly says: <N extends Namespace>(namespace: N, key: KeysOf<N>, vars?: Vars) => string | RegExp;
  /** A link, a button, or what opens a disclosure. */
  readonly activate: (target: Locator) => Promise<void>;
  /** A checkbox or a radio button. */
  readonly check: (target: Locator) => Promise<void>;
  readonly select: (target: Locator, option: string | { index: number }) => Promise<void>;
  readonly fill: (target: Locator, text: string) => Promise<void>;
  readonly attach: (target: Locator, file: File) => Promise<void>;
  /** The same person on another page. */
  readonly at: (page: Page) => Operator;
}

const says =
  (lang: Lang): Operator['says'] =>
  (namespace, key, vars) => {
    const text = translationsFor(lang, namespace)(key, vars);
    // French elides before a vowel: "de Maple", "d’Érable".
    const parts = text
      .split(/(?:e )?\{\{\w+\}\}/u)
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
    return parts.length === 1 ? text : new RegExp(parts.join('.+').replaceAll(/\s/gu, '\\s+'), 'u');
  };

const withPointer = (page: Page, lang: Lang = 'en-us'): Operator => ({
  page,
  says: says(lang),
  activate: (target) => target.click(),
  check: (target) => target.check(),
  select: async (target, option) => void (await target.selectOption(option)),
  fill: (target, text) => target.fill(text),
  attach: (target, file) => target.setInputFiles(file),
  at: (other) => withPointer(other, lang),
});

/** For steps that journeys share: what they are called with. */
export const operatorOf = (by: Page | Operator): Operator => ('says' in by ? by : withPointer(by));

/** How many keys lead from one control to the next that somebody needs. More is a page that needs a shortcut. */
const MOST_PRESSES = 75;

/**
 * The key that comes nearer to the target from where the focus is: Tab, arrows within the radio buttons of a question or
 * a grid, and Enter on a link that skips what comes before it. None if the target has the focus; undefined if another
 * element is shown in its place by now.
 */
function nextKey(target: SVGElement | HTMLElement): {
  key: string | undefined;
  unseen: string;
  focus: string;
} {
  const focused = document.activeElement;
  const focus = (focused?.cloneNode() as Element | undefined)?.outerHTML.slice(0, 120) ?? 'nothing';
  if (!target.checkVisibility()) return { key: undefined, unseen: '', focus };
  if (!focused || focused === document.body) return { key: 'Tab', unseen: '', focus };
  const isAfter = (one: Element, other: Element): boolean =>
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const isRadio = (element: Element): element is HTMLInputElement =>
    element instanceof HTMLInputElement && element.type === 'radio';
  const inGrid = (element: Element) => ({
    grid: element.closest('[role=grid], [role=treegrid]'),
    cell: element.closest('th, td') ?? element,
    row: Number(element.closest('tr')?.ariaRowIndex),
    column: Number(element.closest('th, td')?.ariaColIndex),
  });
  const keyOf = (): string => {
    const [here, there] = [inGrid(focused), inGrid(target)];
    if (focused === target || (there.grid && here.cell === there.cell)) return '';
    if (there.grid && here.grid === there.grid) {
      if (here.row !== there.row) return here.row < there.row ? 'ArrowDown' : 'ArrowUp';
      return here.column < there.column ? 'ArrowRight' : 'ArrowLeft';
    }
    if (isRadio(focused) && isRadio(target) && focused.name === target.name && focused.form === target.form)
      return isAfter(focused, target) ? 'ArrowDown' : 'ArrowUp';
    if (!isAfter(focused, target)) return 'Shift+Tab';
    const skips = (link: Element | null | undefined): boolean => {
      const end = link instanceof HTMLAnchorElement ? document.getElementById(link.hash.slice(1)) : null;
      return end !== null && isAfter(end, target);
    };
    if (focused.matches('.skip, .skip-list') && skips(focused)) return 'Enter';
    const list = focused.closest('fieldset:has(> .skip-list)');
    const controls = [...(list?.querySelectorAll('input, select, textarea, button') ?? [])];
    const isInFirstHalf = controls.indexOf(focused) < controls.length / 2;
    return skips(list?.querySelector('.skip-list')) && isInFirstHalf ? 'Shift+Tab' : 'Tab';
  };
  const shown = [focused, focused.parentElement, ...((focused as HTMLInputElement).labels ?? [])];
  const isSeen = shown.some((element) => element && getComputedStyle(element).outlineStyle !== 'none');
  const isStop = (focused as HTMLElement).tabIndex >= 0;
  return { key: keyOf(), unseen: isSeen || !isStop ? '' : focused.outerHTML.slice(0, 200), focus };
}

/** Presses keys until the target has the focus. */
async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  let element = await target.elementHandle(); // once, since to find it by its role takes long
  const trail: string[] = [];
  for (let presses = 0; presses <= MOST_PRESSES; presses += 1) {
    // Keys work once the scripts have run, and a link that skips moves the focus once the styles are there: of the
    // page that follows, too, if this one is left.
    await page.waitForLoadState();
    const { key, unseen, focus } = (await element?.evaluate(nextKey).catch(() => undefined)) ?? {}; // the page was left
    expect(unseen ?? '', 'has the focus, which cannot be seen').toBe('');
    if (key === '') {
      test.info().annotations.push({ type: 'keys pressed', description: `${presses} to ${String(target)}` });
      return;
    }
    trail.push(`${key ?? 'no key, another page or element'}: ${focus ?? ''}`);
    if (key === undefined) element = await target.elementHandle();
    else await page.keyboard.press(key);
  }
  throw new Error(
    `The keyboard does not reach ${String(target)}: ${MOST_PRESSES} keys were pressed, the last of them\n${trail.slice(-12).join('\n')}`,
  );
}

function withKeyboard(page: Page, lang: Lang): Operator {
  page.on('filechooser', () => undefined); // from now on, since the first would come before the listener for it
  return {
    page,
    says: says(lang),
    activate: async (target) => {
      await reach(page, target);
      await page.keyboard.press('Enter');
    },
    check: async (target) => {
      await reach(page, target);
      if (!(await target.isChecked())) await page.keyboard.press('Space');
      await expect(target).toBeChecked();
    },
    select: async (target, option) => {
      await reach(page, target);
      const options = target.locator('option');
      const wanted =
        typeof option === 'string'
          ? options.and(page.locator(`[value="${option}"]`))
          : options.nth(option.index);
      const moves = await wanted.evaluate(
        (element: HTMLOptionElement) => element.index - (element.closest('select')?.selectedIndex ?? 0),
      );
      for (let left = Math.abs(moves); left > 0; left -= 1)
        await page.keyboard.press(moves > 0 ? 'ArrowDown' : 'ArrowUp');
      await expect(wanted).toHaveJSProperty('selected', true);
    },
    fill: async (target, text) => {
      await reach(page, target);
      await page.keyboard.press('ControlOrMeta+a');
      await (text === '' ? page.keyboard.press('Delete') : page.keyboard.type(text));
      await expect(target).toBeFocused();
    },
    attach: async (target, file) => {
      await reach(page, target);
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')]);
      await chooser.setFiles(file);
    },
    at: (other) => withKeyboard(other, lang),
  };
}

const KEYBOARD_ONLY = {
  page: [
    'check',
    'click',
    'dblclick',
    'dragAndDrop',
    'fill',
    'focus',
    'hover',
    'press',
    'selectOption',
    'setChecked',
    'setInputFiles',
    'tap',
    'type',
    'uncheck',
  ],
  locator: [
    'check',
    'clear',
    'click',
    'dblclick',
    'dispatchEvent',
    'dragTo',
    'fill',
    'focus',
    'hover',
    'press',
    'pressSequentially',
    'selectOption',
    'setChecked',
    'setInputFiles',
    'tap',
    'uncheck',
  ],
  mouse: ['click', 'dblclick', 'down', 'move', 'up', 'wheel'],
  touchscreen: ['tap'],
};

/** Makes all that moves the focus or acts without a key fail, on every page of the test. Returns what undoes it. */
function forbidPointer(page: Page): () => void {
  const objects = { page, locator: page.locator('body'), mouse: page.mouse, touchscreen: page.touchscreen };
  const before = Object.entries(KEYBOARD_ONLY).flatMap(([name, methods]) => {
    const prototype = Object.getPrototypeOf(objects[name as keyof typeof objects]) as Record<string, unknown>;
    return methods.map((method) => {
      const own = prototype[method];
      prototype[method] = () => {
        throw new Error(`This journey uses the keyboard alone, so it may not call ${name}.${method}().`);
      };
      return () => void (prototype[method] = own);
    });
  });
  return () => {
    for (const undo of before) undo();
  };
}

interface Options {
  input: Input;
  lang: Lang;
}

export const test = base.extend<Options & { operator: Operator }>({
  input: ['pointer', { option: true }],
  lang: ['en-us', { option: true }],
  baseURL: async ({ portal, lang }, use) => use(`${portal.origin}/clientcenter/${lang}/`),
  operator: async ({ page, input, lang }, use) => {
    if (input === 'pointer') return use(withPointer(page, lang));
    const allowPointer = forbidPointer(page);
    await use(withKeyboard(page, lang));
    allowPointer();
  },
});

interface Way extends Options {
  viewport: { width: number; height: number };
  javaScriptEnabled: boolean;
}

/** The way in words, and as the end of a title. */
const named = (way: Way) => {
  const { viewport, javaScriptEnabled, input, lang } = way;
  const how = `at ${viewport.width} px${javaScriptEnabled ? '' : ' without scripts'}${input === 'keyboard' ? ' by keyboard' : ''} in ${lang}`;
  return { how, key: `${viewport.width}-${javaScriptEnabled ? 'on' : 'off'}`, way };
};

/**
 * The ways in which a journey runs: by keyboard alone at one width, without scripts at the other, and what is left
 * in the whole run.
 */
const waysBy = (keyboard: typeof DESK, other: typeof DESK) =>
  (
    [
      { viewport: keyboard, javaScriptEnabled: true, input: 'keyboard', lang: 'fr' },
      { viewport: other, javaScriptEnabled: false, input: 'pointer', lang: 'pt' },
      { viewport: other, javaScriptEnabled: true, input: 'pointer', lang: 'es' },
      { viewport: keyboard, javaScriptEnabled: false, input: 'pointer', lang: 'en-us' },
    ] as const
  )
    .slice(0, WHOLE ? 4 : 2)
    .map(named);

export const DESK_BY_KEYBOARD = waysBy(DESK, PHONE);
export const PHONE_BY_KEYBOARD = waysBy(PHONE, DESK);
