import type Htmx from 'htmx.org';
import { showAlert } from '#ui/alerts.ts';
import { offlineText } from '#ui/offline.ts';
import { readSelection } from '#ui/table/selection.ts';
import { $selection } from '#ui/table/state.ts';

/*
 * The documents page with scripts: a list that is sorted and paged in place, and a fresh one after an upload. htmx swaps the list when it is sorted or turned over; when it
 * cannot be had, an alert says so. It looks at every element of the page when it comes, so it comes with the
 * first touch of the list.
 */

const list = document.getElementById('document-list');

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

// Whoever selects documents is about to send them: the button is ready by the time it is reached.
$selection.listen(({ length }) => {
  if (length > 0)
    document
      .querySelector('[data-wakes-with-selection] astro-island')
      ?.dispatchEvent(new Event('pointerover'));
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

const failedText = (): string =>
  document.querySelector<HTMLElement>('[data-selection]')?.dataset['failed'] ?? '';
const sayFailed = (): void =>
  navigator.onLine ? showAlert({ type: 'danger', msg: failedText() }) : sayOffline();
document.addEventListener('htmx:after:swap', readSelection);
document.addEventListener('htmx:after:swap', keepFocus);
document.addEventListener('portal:documents-changed', () => {
  const url = `${location.pathname.replace('/documents', '/partials/documents')}?folders&${location.search.slice(1)}`;
  const refresh = (htmx: typeof Htmx) =>
    htmx.ajax('GET', url, { target: '#document-list', swap: 'innerHTML' });
  if (list) startSwapping().then(refresh).catch(sayFailed);
});
for (const failure of ['htmx:error', 'htmx:response:error']) document.addEventListener(failure, sayFailed);
