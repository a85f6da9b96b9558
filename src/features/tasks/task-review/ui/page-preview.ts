/* Shows the document of a review whose link is pressed, or whose item gets the focus, beside the answers. */

const LINK = '[data-review-item] a[href*="/documents/"][href*="/view"]';

const preview = document.querySelector<HTMLElement>('[data-page-preview]');
const image = preview?.querySelector('img');
const open = preview?.querySelector<HTMLAnchorElement>('.panel-head a');
const title = preview?.querySelector('h2 bdi');
const none = preview?.querySelector<HTMLElement>('[data-none]');

function show(link: HTMLAnchorElement): void {
  const id = /\/documents\/([^/]+)\/view/.exec(link.pathname)?.[1];
  if (!image || !open || !title || id === undefined || open.href === link.href) return;
  const name = link.textContent.trim();
  none?.replaceChildren();
  image.src = `/api/storage/v1/documents/${id}/pages/1?width=1000`;
  image.alt = (image.dataset['alt'] ?? '').replace('#', name);
  open.href = link.href;
  title.textContent = name;
}

/** Whether the window has room for it. */
const isShown = (): boolean => preview?.checkVisibility() === true;

function press(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
  const link = event.target.closest<HTMLAnchorElement>(LINK);
  if (!link || !isShown()) return;
  event.preventDefault();
  show(link);
}

function follow({ target }: FocusEvent): void {
  if (!(target instanceof HTMLElement) || !target.matches('[data-review-item]') || !isShown()) return;
  const link = target.querySelector<HTMLAnchorElement>(LINK);
  if (link) show(link);
}

/** Office files and damaged ones are not drawn. */
const sayNone = (): void => none?.replaceChildren(none.dataset['none'] ?? '');

document.addEventListener('click', press);
document.addEventListener('focusin', follow);
image?.addEventListener('error', sayNone);
if (image?.complete && image.naturalWidth === 0) sayNone();

export {};
