import type Htmx from 'htmx.org';
import { showAlert } from '#ui/alerts.ts';
import { offlineText } from '#ui/offline.ts';
import { $selection } from '#ui/table/state.ts';

/*
 * The documents page with scripts: a list that is sorted and paged in place, and refreshed after an upload.
 * htmx replaces the list; if it cannot be loaded, an alert says so. htmx scans the whole page when it starts,
 * so it is loaded with the first interaction with the list.
 */

const list = document.getElementById('document-list');

/** htmx, once it has scanned the page. */
let swapping: Promise<typeof Htmx> | undefined;
let isSwapping = false;

function startSwapping(): NonNullable<typeof swapping> {
  swapping ??= Promise.all([import('htmx.org').then(prepare), import('./document-swaps.ts')]).then(
    ([htmx]) => {
      isSwapping = true;
      return htmx;
    },
  );
  swapping.catch(() => (swapping = undefined)); // no network: requested again
  return swapping;
}

/** Sets htmx up before it scans the page, which it does in a task of its own. */
async function prepare({ default: htmx }: { default: typeof Htmx }): Promise<typeof Htmx> {
  Object.assign(htmx.config, {
    // the shown list stays if a fresh one cannot be loaded; the types allow only numbers
    noSwap: [204, 304, '4xx', '5xx'],
    // the list names its target once; htmx's own `:inherited` is not a valid attribute name
    implicitInheritance: true,
  });
  await new Promise((resolve) => document.addEventListener('htmx:after:process', resolve, { once: true }));
  return htmx;
}

for (const touch of ['pointerover', 'pointerdown', 'focusin'])
  list?.addEventListener(touch, () => void startSwapping().catch(() => undefined), {
    once: true,
    passive: true,
  });

/**
 * The first click may come before htmx, or before what keeps the focus (document-swaps.ts): it is stopped before either handles
 * it, and repeated once both are loaded. If they cannot be loaded it follows the link.
 */
list?.addEventListener(
  'click',
  (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-hx-get]') : null;
    if (isSwapping || !link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    startSwapping().then(
      () => link.click(),
      () => (navigator.onLine ? location.assign(link.href) : sayOffline()),
    );
  },
  true,
);

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[popovertarget=row-menu]') : null;
  if (button)
    import('./row-menu.ts').then(({ fillMenu }) => fillMenu(button.closest('tr'))).catch(sayOffline);
});
/** Adds the name of the document to the labels in each row; sent with the page, it would make a long list heavier. */
function labelRows(): void {
  for (const row of list?.querySelectorAll('tbody tr') ?? []) {
    const name = row.querySelector<HTMLElement>('th bdi');
    const text = name?.title || (name?.textContent ?? '');
    for (const control of row.querySelectorAll('.get, .row-menu'))
      if (!control.ariaLabel?.endsWith(text)) control.ariaLabel += ` ${text}`;
  }
}
labelRows();
document.addEventListener('htmx:after:swap', labelRows);

document.addEventListener('dragenter', () => void import('./dropping.ts').catch(() => undefined), {
  once: true,
});

/** Back to a list that htmx showed before this page was reloaded. */
const shown = location.pathname + location.search;
addEventListener('popstate', () => {
  if (!isSwapping && location.pathname + location.search !== shown) location.reload();
});

// People who select documents are about to send them: the button is ready by the time it is reached.
$selection.listen(({ length }) => {
  if (length > 0)
    document
      .querySelector('[data-wakes-with-selection] astro-island')
      ?.dispatchEvent(new Event('pointerover'));
});

const sayOffline = (): void => showAlert({ type: 'danger', msg: offlineText() });

/**
 * Loads the action of a button for the selected documents on demand; if that fails, the button submits its
 * form as without scripts.
 */
export function tool(name: string, load: () => Promise<(button: HTMLButtonElement) => unknown>): void {
  const button = document.querySelector<HTMLButtonElement>(`[data-tool=${name}]`);
  button?.addEventListener('click', (event) => {
    event.preventDefault();
    // without a connection it stays on the page (kit.ts)
    const submit = (): void => button.form?.requestSubmit(button);
    button.ariaBusy = 'true';
    void load()
      .then(
        (use) =>
          Promise.resolve(use(button)).catch((error: unknown) =>
            error instanceof TypeError ? sayOffline() : submit(),
          ), // the request failed
        submit,
      )
      .finally(() => (button.ariaBusy = null));
  });
}

document.addEventListener('portal:documents-changed', () => {
  const url = `${location.pathname.replace('/documents', '/partials/documents')}?folders&${location.search.slice(1)}`;
  const refresh = (htmx: typeof Htmx) =>
    htmx.ajax('GET', url, { target: '#document-list', swap: 'innerHTML' });
  if (list)
    startSwapping()
      .then(refresh)
      .catch(() => import('./document-swaps.ts').then(({ sayFailed }) => sayFailed(), sayOffline));
});
