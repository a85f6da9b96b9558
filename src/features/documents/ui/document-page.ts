import htmx from 'htmx.org';
import { wordsFrom, type Words } from '#platform/words.ts';
import type { SelectionWord } from './selection-words.ts';

/*
 * The documents page with scripts: the count of the chosen rows, 'select all', and a fresh list after an upload. htmx swaps the list
 * when it is sorted or turned over.
 */

const list = document.getElementById('document-list');
const status = document.querySelector<HTMLElement>('[data-selection]');
const t = wordsFrom(JSON.parse(status?.dataset['selection'] ?? '{"texts":{}}') as Words<SelectionWord>);

const boxes = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>('#document-list input[name=id]')];

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

document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement)) return;
  if (event.target.matches('[data-select-all]')) for (const box of boxes()) box.checked = event.target.checked;
  if (!event.target.matches('[data-select-all], input[name=id]')) return;
  showSelection();
  // Whoever chooses documents is about to send them: the button is ready by the time it is reached.
  document.querySelector('[data-wakes-with-selection] astro-island')?.dispatchEvent(new Event('pointerover'));
});
/** The chosen documents are deleted in a dialog, which comes when it is asked for; where it does not come, on the page that it stands for. */
const deletes = document.querySelector<HTMLButtonElement>('[data-deletes]');
deletes?.addEventListener('click', (event) => {
  event.preventDefault();
  const address = `${deletes.formAction}?${boxes().map((box) => (box.checked ? `id=${box.value}&` : '')).join('')}`;
  import('./deleting.ts').then((part) => part.confirmDeletion(address)).catch(() => location.assign(address));
});
document.addEventListener('htmx:after:swap', showSelection);
document.addEventListener('portal:documents-changed', () => {
  const url = location.pathname.replace('/documents', '/partials/documents') + location.search;
  if (list) void htmx.ajax('GET', url, { target: list, swap: 'innerHTML' });
});
addEventListener('pageshow', showSelection);
showSelection();
