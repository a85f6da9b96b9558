/*
 * The keys of the firm's side: `/` searches, `n` opens New, `g` and a letter go to an area, `?` lists them all.
 * search-focus.ts says when they act.
 */

const GO_WITHIN = 1000;
let goUntil = 0;

/** Does what a key stands for. */
export function press(key: string): void {
  const isSecond = Date.now() < goUntil;
  goUntil = key === 'g' ? Date.now() + GO_WITHIN : 0;
  const area =
    isSecond && /^\w$/.test(key) ? document.querySelector<HTMLElement>(`[data-go="${key}"]`) : null;
  if (area) area.click();
  else if (key === '/') search();
  else if (key === 'n') openNew();
  else if (key === '?') document.querySelector<HTMLElement>('[data-dialog=shortcuts-dialog]')?.click();
}

/** Focuses the search field, or opens its page where the header has only a link to it. */
function search(): void {
  const field = document.querySelector<HTMLInputElement>('[data-shortcuts] input[type=search]');
  if (field?.checkVisibility()) {
    field.focus();
    field.select();
  } else document.querySelector<HTMLElement>('[data-search-link]')?.click();
}

function openNew(): void {
  const menu = document.querySelector<HTMLDetailsElement>('#new');
  if (!menu) return;
  menu.open = true;
  menu.querySelector('a')?.focus();
}
