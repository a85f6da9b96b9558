import { dataOf } from '#ui/table/selection.ts';

/*
 * The one menu of all rows (DocumentMenu.astro): the button of a row opens it, and this, loaded then, fills in the
 * document. What has a dialog is done as with a selection: the row is selected alone, and the tool pressed.
 */

const menu = document.getElementById('row-menu');
let row: HTMLTableRowElement | null = null;

/** Fills in the document of a row. */
export function fillMenu(of: HTMLTableRowElement | null): void {
  row = of;
  if (!menu || !row) return;
  const box = row.querySelector<HTMLInputElement>('.cell-pick input');
  const name = row.querySelector<HTMLElement>('th bdi');
  const heading = menu.querySelector('bdi');
  if (heading) heading.textContent = name?.title || (name?.textContent ?? '');
  const known: Readonly<Record<string, string | undefined>> = {
    open: row.querySelector<HTMLAnchorElement>('th a:not(.meta)')?.href,
    download: row.querySelector<HTMLAnchorElement>('a[href^="/api/"]')?.href,
  };
  const refused = dataOf(box)['refused']?.split(' ') ?? [];
  for (const entry of menu.querySelectorAll<HTMLElement>('[data-act]')) {
    const act = entry.dataset['act'] ?? '';
    const address = known[act] ?? entry.dataset['address']?.replace('{id}', box?.value ?? '');
    if (entry instanceof HTMLAnchorElement && address !== undefined) entry.href = address;
    const item = entry.closest('li');
    if (item)
      item.hidden = refused.includes(act) || (entry instanceof HTMLAnchorElement && address === undefined);
  }
}

/** Selects the row of the menu alone. */
function selectRow(): void {
  for (const box of document.querySelectorAll<HTMLInputElement>('#document-list .cell-pick input'))
    box.checked = row?.contains(box) ?? false;
  row?.querySelector('.cell-pick input')?.dispatchEvent(new Event('change', { bubbles: true }));
}

menu?.addEventListener('click', ({ target }) => {
  const entry = target instanceof Element ? target.closest<HTMLElement>('[data-act]') : null;
  const tool = entry?.dataset['presses'];
  if (tool === undefined) return;
  menu.hidePopover();
  selectRow();
  document.querySelector<HTMLElement>(tool)?.click();
});
