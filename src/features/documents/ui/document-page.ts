import type Htmx from 'htmx.org';
import { showAlert } from '#ui/alerts.ts';
import { offlineText } from '#ui/offline.ts';
import { createTranslator, type Messages } from '#platform/messages.ts';
import type { SelectionWord } from './selection-messages.ts';

/*
 * The documents page with scripts: the count of the chosen rows, 'select all', a range with the shift key
 * held, and a fresh list after an upload. htmx swaps the list when it is sorted or turned over; when it
 * cannot be had, an alert says so. It looks at every element of the page when it comes, so it comes with the
 * first touch of the list.
 */

const list = document.getElementById('document-list');
const status = document.querySelector<HTMLElement>('[data-selection]');
const t = createTranslator(
  JSON.parse(status?.dataset['selection'] ?? '{"texts":{}}') as Messages<SelectionWord>,
);

/** htmx, when it has looked at the page, which it does in a task of its own. */
let swapping: Promise<typeof Htmx> | undefined;
let isSwapping = false;

function startSwapping(): NonNullable<typeof swapping> {
  swapping ??= import('htmx.org').then(async ({ default: htmx }) => {
    Object.assign(htmx.config, {
      // what is shown stays when a fresh list cannot be had; the types know numbers alone
      noSwap: [204, 304, '4xx', '5xx'],
      // the list names its target once; htmx's own `:inherited` is no valid attribute name
      implicitInheritance: true,
    });
    await new Promise((resolve) => document.addEventListener('htmx:after:process', resolve, { once: true }));
    isSwapping = true;
    return htmx;
  });
  swapping.catch(() => (swapping = undefined)); // the network is away: asked for again
  return swapping;
}

for (const touch of ['pointerover', 'pointerdown', 'focusin'])
  list?.addEventListener(touch, () => void startSwapping().catch(() => undefined), {
    once: true,
    passive: true,
  });

/**
 * The first click may come before htmx: it is done again then; where htmx cannot be had it is that of a link.
 */
list?.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-hx-get]') : null;
  if (
    isSwapping ||
    !link ||
    event.button !== 0 ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  event.preventDefault();
  startSwapping().then(
    () => link.click(),
    () => (navigator.onLine ? location.assign(link.href) : sayOffline()),
  );
});

/** Back, to a list that htmx showed before this page was loaded anew. */
const shown = location.pathname + location.search;
addEventListener('popstate', () => {
  if (!isSwapping && location.pathname + location.search !== shown) location.reload();
});

const boxes = (): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>('#document-list input[name=id]'),
];

function showSelection(): void {
  const all = boxes();
  const count = all.filter((box) => box.checked).length;
  const selectAll = document.querySelector<HTMLInputElement>('[data-select-all]');
  if (selectAll) {
    selectAll.checked = count > 0 && count === all.length;
    selectAll.indeterminate = count > 0 && count < all.length;
  }
  if (status) status.textContent = count === 0 ? t('selectionNone') : t('selection', { count });
}

let last = boxes().findLast((box) => box.checked); // one that was chosen before this came

/** With the shift key held, a click or the space bar chooses all rows from the last one that was touched. */
document.addEventListener('click', (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || box.name !== 'id') return;
  const all = boxes();
  const [one, other] = [all.indexOf(last ?? box), all.indexOf(box)].toSorted((a, b) => a - b) as [
    number,
    number,
  ];
  if (event.shiftKey && one >= 0) for (const between of all.slice(one, other)) between.checked = box.checked;
  last = box;
});
document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement)) return;
  if (event.target.matches('[data-select-all]'))
    for (const box of boxes()) box.checked = event.target.checked;
  if (!event.target.matches('[data-select-all], input[name=id]')) return;
  showSelection();
  // Whoever chooses documents is about to send them: the button is ready by the time it is reached.
  document.querySelector('[data-wakes-with-selection] astro-island')?.dispatchEvent(new Event('pointerover'));
});

const sayOffline = (): void => showAlert({ type: 'danger', msg: offlineText() });

/**
 * What a button for the chosen documents does comes when it is asked for; where it does not come, the button
 * sends its form as it does without scripts.
 */
export function tool(name: string, load: () => Promise<(button: HTMLButtonElement) => unknown>): void {
  const button = document.querySelector<HTMLButtonElement>(`[data-tool=${name}]`);
  button?.addEventListener('click', (event) => {
    event.preventDefault();
    // without a connection it stays here (kit.ts)
    const submit = (): void => button.form?.requestSubmit(button);
    load().then(
      (use) =>
        Promise.resolve(use(button)).catch((error: unknown) =>
          error instanceof TypeError ? sayOffline() : submit(),
        ), // fetch failed
      submit,
    );
  });
}

/** What was pressed to get another list: the focus goes on from there. */
let pressed: 'sort' | 'page' | undefined;
list?.addEventListener('click', ({ target }) => {
  const link = target instanceof Element && target.closest('[data-hx-get]');
  if (link) pressed = link.closest('thead') ? 'sort' : 'page';
});

/**
 * The element that had the focus may be gone with the old list, or with the tools of a selection: then it
 * goes to the column that was sorted by, or to the list.
 */
function keepFocus(): void {
  const title = document.getElementById('list-title');
  if (pressed === 'page') {
    title?.scrollIntoView();
    title?.focus({ preventScroll: true });
  } else if (pressed === 'sort') document.querySelector<HTMLElement>('#document-list [aria-sort] a')?.focus();
  else if (document.activeElement === document.body || !document.activeElement?.checkVisibility())
    title?.focus({ preventScroll: true });
  const live = document.getElementById('status');
  if (live && pressed) live.textContent = list?.querySelector('.pager [role=status]')?.textContent ?? '';
  pressed = undefined;
}

const sayFailed = (): void =>
  navigator.onLine ? showAlert({ type: 'danger', msg: status?.dataset['failed'] ?? '' }) : sayOffline();
document.addEventListener('htmx:after:swap', showSelection);
document.addEventListener('htmx:after:swap', keepFocus);
document.addEventListener('portal:documents-changed', () => {
  const url = `${location.pathname.replace('/documents', '/partials/documents')}?folders&${location.search.slice(1)}`;
  const refresh = (htmx: typeof Htmx) =>
    htmx.ajax('GET', url, { target: '#document-list', swap: 'innerHTML' });
  if (list) startSwapping().then(refresh).catch(sayFailed);
});
for (const failure of ['htmx:error', 'htmx:response:error']) document.addEventListener(failure, sayFailed);
addEventListener('pageshow', showSelection);
showSelection();
