import { showAlert } from '#ui/alerts.ts';
import { offlineText } from '#ui/offline.ts';
import { readSelection } from '#ui/table/selection.ts';

/*
 * What happens around a list that htmx replaces: the focus goes on, the selection is read again, and an alert
 * says if no list came. It is loaded with htmx, at the first interaction with the list (document-page.ts).
 */

const list = document.getElementById('document-list');

/** The element that requested another list, from which the focus continues. */
let pressed: 'sort' | 'menu' | 'page' | undefined;

/**
 * Restores the focus if its element is gone with the old list or the selection toolbar: to the sorted column,
 * or to the list.
 */
function keepFocus(): void {
  const title = document.getElementById('list-title');
  if (pressed === 'page') {
    title?.scrollIntoView();
    title?.focus({ preventScroll: true });
  } else if (pressed === 'menu') closeMenu();
  else if (pressed === 'sort') document.querySelector<HTMLElement>('#document-list [aria-sort] a')?.focus();
  else if (document.activeElement === document.body || !document.activeElement?.checkVisibility())
    title?.focus({ preventScroll: true });
  const live = document.getElementById('status');
  if (live && pressed) live.textContent = list?.querySelector('.pager [role=status]')?.textContent ?? '';
  pressed = undefined;
}

/** The order is chosen in the menu of the page, which has done its part then. */
function closeMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>('.page-menu');
  if (menu) menu.open = false;
  menu?.querySelector('summary')?.focus();
}

const failedText = (): string =>
  document.querySelector<HTMLElement>('[data-selection]')?.dataset['failed'] ?? '';

/** Says that no list came. */
export const sayFailed = (): void =>
  showAlert({ type: 'danger', msg: navigator.onLine ? failedText() : offlineText() });

list?.addEventListener('click', ({ target }) => {
  const link = target instanceof Element && target.closest('[data-hx-get]');
  if (link) pressed = link.closest('thead') ? 'sort' : link.closest('#sort-menu') ? 'menu' : 'page';
});
document.addEventListener('htmx:after:swap', readSelection);
document.addEventListener('htmx:after:swap', keepFocus);
for (const failure of ['htmx:error', 'htmx:response:error']) document.addEventListener(failure, sayFailed);
