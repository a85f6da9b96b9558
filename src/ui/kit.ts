/*
 * What the platform does not do by itself, for every page, in a kilobyte: dialogs opened by links, menus that close, errors that take
 * the focus, moments in the reader's own time zone. Without it every page still works.
 */

/** A link with `data-dialog` opens that dialog instead of going to its page. */
function openDialog(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const opener = event.target.closest<HTMLElement>('[data-dialog]');
  const dialog = opener && document.getElementById(opener.dataset['dialog'] ?? '');
  if (dialog instanceof HTMLDialogElement) {
    event.preventDefault();
    dialog.showModal();
  }
  if (event.target.closest('[data-close-dialog]')) event.target.closest('dialog')?.close();
  if (event.target.closest('[data-close-alert]')) event.target.closest('.alert')?.remove();
}

/** A menu closes when the focus or a click goes elsewhere, and with Escape, which returns the focus. */
function closeMenus(event: Event): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
    if (!isEscape && (event instanceof KeyboardEvent || (event.target instanceof Node && menu.contains(event.target)))) continue;
    menu.open = false;
    if (isEscape) menu.querySelector('summary')?.focus();
  }
}

function localMoments(): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long', timeStyle: 'short' });
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) time.textContent = format.format(new Date(time.dateTime));
}

document.addEventListener('click', openDialog);
document.addEventListener('click', closeMenus);
document.addEventListener('focusin', closeMenus);
document.addEventListener('keydown', closeMenus);
for (const button of document.querySelectorAll<HTMLElement>('[data-close-alert]')) button.hidden = false;
localMoments();
document.querySelector<HTMLElement>('[data-autofocus]')?.focus();
