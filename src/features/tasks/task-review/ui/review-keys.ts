/*
 * Keys of a review, for the item that has the focus: A accepts it, R opens its reason, J and K go to the next and the
 * previous one. They act only while the focus is in an item and not in a field (WCAG 2.1.4).
 */

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-review-item]')];

function onKey(event: KeyboardEvent): void {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (!(target instanceof HTMLElement) || target.matches('input, textarea, select')) return;
  const item = target.closest<HTMLElement>('[data-review-item]');
  if (!item) return;
  const act = ACTIONS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act(item);
}

const move = (item: HTMLElement, by: 1 | -1): void => {
  const all = items();
  all[all.indexOf(item) + by]?.focus();
};

const ACTIONS: Readonly<Record<string, (item: HTMLElement) => void>> = {
  a: (item) => item.querySelector<HTMLElement>('[data-review-accept]')?.click(),
  r: (item) => {
    const details = item.querySelector('details');
    if (!details) return;
    details.open = true;
    details.querySelector('input')?.focus();
  },
  j: (item) => move(item, 1),
  k: (item) => move(item, -1),
};

document.addEventListener('keydown', onKey);
// after a decision, the page opens at its item
if (location.hash.startsWith('#item-')) document.getElementById(location.hash.slice(1))?.focus();
