/*
 * The keys of the inbox while a row has the focus: J and K move, E marks as done, X selects (Enter opens, as the focus is
 * on its link). After a row was marked, the focus is on the one that took its place.
 */

const PLACE = 'inbox-place';

const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
const focusRow = (at: number): void =>
  rows[Math.max(0, Math.min(rows.length - 1, at))]?.querySelector<HTMLElement>('.line-name a')?.focus();

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const row = rows[here];
  if (!row || document.activeElement?.closest('[popover]')) return;
  const key = event.key.toLowerCase();
  if (key === 'j') focusRow(here + 1);
  else if (key === 'k') focusRow(here - 1);
  else if (key === 'x') row.querySelector<HTMLInputElement>('[name=id]')?.click();
  else if (key === 'e') row.querySelector<HTMLButtonElement>('[name=done]')?.click();
  else return;
  event.preventDefault();
}

/** Keeps which row is marked, for the page that follows. */
function keepPlace({ submitter }: SubmitEvent): void {
  const at = rows.findIndex((row) => submitter !== null && row.contains(submitter));
  if (at >= 0) sessionStorage.setItem(PLACE, String(at));
}

const place = sessionStorage.getItem(PLACE);
sessionStorage.removeItem(PLACE);
if (place !== null) focusRow(Number(place));
document.addEventListener('keydown', press);
document.getElementById('inbox')?.addEventListener('submit', keepPlace);

export {};
