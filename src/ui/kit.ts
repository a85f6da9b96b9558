/*
 * What the platform does not do by itself, for every page, in a kilobyte: dialogs opened by links, menus that close, errors that take
 * the focus, moments in the reader's own time zone. Without it every page still works.
 */

/** What stands in a dialog as `data-form-of` is the form of that page, fetched when the dialog opens. Where it cannot be had, the page itself is opened. */
async function fetchForm(place: HTMLElement): Promise<void> {
  const address = place.dataset['formOf'] ?? '';
  place.setAttribute('aria-busy', 'true');
  const answer = await fetch(address).catch(() => undefined);
  const form = answer?.ok && !answer.redirected && new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main form');
  if (!form) return location.assign(address);
  place.replaceWith(form);
  form.querySelector<HTMLElement>('input')?.focus();
}

/** A link with `data-dialog` opens that dialog instead of going to its page. */
function openDialog(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const opener = event.target.closest<HTMLElement>('[data-dialog]');
  const dialog = opener && document.getElementById(opener.dataset['dialog'] ?? '');
  if (dialog instanceof HTMLDialogElement) {
    event.preventDefault();
    dialog.showModal();
    const place = dialog.querySelector<HTMLElement>('[data-form-of]');
    if (place) void fetchForm(place);
  }
  const closing = event.target.closest('[data-close-dialog]')?.closest('dialog');
  if (closing) {
    event.preventDefault(); // a link that leads away where its form is a page
    closing.close();
  }
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

/** A form with `data-busy` says so while it is sent; the overlay shows itself after 300 ms (portal.css), so that what is quick does not flicker. */
function showBusy({ target }: Event): void {
  const text = target instanceof HTMLFormElement && target.dataset['busy'];
  if (!text) return;
  target.setAttribute('aria-busy', 'true');
  const overlay = document.createElement('div');
  overlay.className = 'busy';
  overlay.textContent = text;
  (target.closest('dialog') ?? document.body).append(overlay);
  const status = document.getElementById('status');
  if (status) status.textContent = text;
}

/** A page that comes back from the browser's memory is not busy any more. */
function endBusy(): void {
  for (const overlay of document.querySelectorAll('div.busy')) overlay.remove();
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
}

function localMoments(): void {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long', timeStyle: 'short' });
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) time.textContent = format.format(new Date(time.dateTime));
}

document.addEventListener('click', openDialog);
document.addEventListener('click', closeMenus);
document.addEventListener('focusin', closeMenus);
document.addEventListener('keydown', closeMenus);
document.addEventListener('submit', showBusy);
addEventListener('pageshow', endBusy);
for (const button of document.querySelectorAll<HTMLElement>('[data-close-alert]')) button.hidden = false;
localMoments();
for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[data-modal]')) {
  dialog.close(); // it stands open in the page, for those without scripts
  dialog.showModal();
}
document.querySelector<HTMLElement>('[data-autofocus]')?.focus();
