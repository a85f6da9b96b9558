import { createTranslator, type Messages } from '#platform/text/messages.ts';
import { $selection, type SelectedRow } from './state.ts';

/*
 * The selection of a table with scripts: "Select all" and none, ranges with the Shift key, and the number of
 * selected rows. The checkboxes are fields of the page's form, so a selection also works without scripts.
 */

const bar = document.querySelector<HTMLElement>('[data-selection]');
const t = createTranslator(
  JSON.parse(bar?.dataset['selection'] ?? '{"texts":{}}') as Messages<'selectionNone' | 'selection'>,
);

const ROW_BOX = ':is(.table tbody .cell-pick, [data-row] .pick) input'; // a grid has a selection of its own
const SELECT_ALL = '[data-select-all]';

const boxes = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>(ROW_BOX)];

/** The whole name of a row. A shortened one has it as its title. */
function nameOf(box: HTMLInputElement): string {
  const name = box.closest('tr, [data-row]')?.querySelector<HTMLElement>(':is(th, .line-name) bdi');
  return name?.title || (name?.textContent ?? '');
}

/** The data of a row: its own, and what it has in common with the others. */
export const dataOf = (box: HTMLElement | null | undefined): Readonly<DOMStringMap> => ({
  ...box?.closest('table')?.dataset,
  ...box?.dataset,
});

const rowOf = (box: HTMLInputElement): SelectedRow => ({
  id: box.value,
  name: nameOf(box),
  data: dataOf(box),
});

/** Reads the selection from the checkboxes, after they changed by other means than the person's. */
export function readSelection(): void {
  const all = boxes();
  const selected = all.filter((box) => box.checked);
  const selectAll = document.querySelector<HTMLInputElement>(SELECT_ALL);
  if (selectAll) {
    selectAll.checked = selected.length > 0 && selected.length === all.length;
    selectAll.indeterminate = selected.length > 0 && !selectAll.checked;
  }
  $selection.set(selected.map(rowOf));
}

let last = boxes().findLast((box) => box.checked); // selected before this script came

/** Selects all rows, or none: buttons of the selection bar. */
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-select]') : null;
  if (!button) return;
  for (const box of boxes()) box.checked = button.dataset['select'] === 'all';
  readSelection();
  if (button.dataset['select'] === 'none') (last ?? boxes()[0])?.focus({ preventScroll: true }); // the bar is gone
});

/** With the Shift key, a click or the space bar selects all rows from the last one that was touched. */
document.addEventListener('click', (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || !box.matches(ROW_BOX)) return;
  const all = boxes();
  const [start = -1, end = -1] = [all.indexOf(last ?? box), all.indexOf(box)].toSorted((a, b) => a - b);
  if (event.shiftKey && start >= 0)
    for (const between of all.slice(start, end)) between.checked = box.checked;
  last = box;
});

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.matches(SELECT_ALL)) for (const box of boxes()) box.checked = target.checked;
  if (target.matches(`${SELECT_ALL}, ${ROW_BOX}`)) readSelection();
});

$selection.listen(({ length: count }) => {
  if (bar) bar.textContent = count === 0 ? t('selectionNone') : t('selection', { count });
});
addEventListener('pageshow', readSelection);
readSelection();
