import htmx from 'htmx.org';
import { showAlert } from '#ui/alerts.ts';
import { wordsFrom, type Words } from '#platform/words.ts';
import type { SelectionWord } from './selection-words.ts';

/*
 * The documents page with scripts: the count of the chosen rows, 'select all', a range with the shift key held, and a fresh list after
 * an upload. htmx swaps the list when it is sorted or turned over; when it cannot be had, an alert says so.
 */

Object.assign(htmx.config, { noSwap: [204, 304, '4xx', '5xx'] }); // what is shown stays when a fresh list cannot be had; the types know numbers alone

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

let last = boxes().findLast((box) => box.checked); // one that was chosen before this came

/** With the shift key held, a click or the space bar chooses all rows from the last one that was touched. */
document.addEventListener('click', (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || box.name !== 'id') return;
  const all = boxes();
  const [one, other] = [all.indexOf(last ?? box), all.indexOf(box)].toSorted((a, b) => a - b) as [number, number];
  if (event.shiftKey && one >= 0) for (const between of all.slice(one, other)) between.checked = box.checked;
  last = box;
});
document.addEventListener('change', (event) => {
  if (!(event.target instanceof HTMLInputElement)) return;
  if (event.target.matches('[data-select-all]')) for (const box of boxes()) box.checked = event.target.checked;
  if (!event.target.matches('[data-select-all], input[name=id]')) return;
  showSelection();
  // Whoever chooses documents is about to send them: the button is ready by the time it is reached.
  document.querySelector('[data-wakes-with-selection] astro-island')?.dispatchEvent(new Event('pointerover'));
});

/** What a button for the chosen documents does comes when it is asked for; where it does not come, the button sends its form as it does without scripts. */
export function tool(name: string, load: () => Promise<(button: HTMLButtonElement) => unknown>): void {
  const button = document.querySelector<HTMLButtonElement>(`[data-tool=${name}]`);
  button?.addEventListener('click', (event) => {
    event.preventDefault();
    load().then((use) => use(button)).catch(() => button.form?.requestSubmit(button));
  });
}

document.addEventListener('htmx:after:swap', showSelection);
document.addEventListener('portal:documents-changed', () => {
  const url = location.pathname.replace('/documents', '/partials/documents') + location.search;
  if (list) void htmx.ajax('GET', url, { target: list, swap: 'innerHTML' });
});
for (const failure of ['htmx:error', 'htmx:response:error']) document.addEventListener(failure, () => showAlert({ type: 'danger', msg: status?.dataset['failed'] ?? '' }));
addEventListener('pageshow', showSelection);
showSelection();
