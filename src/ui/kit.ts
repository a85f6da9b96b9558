import { endBusy, showBusy } from './busy.ts';
import { offlineText } from './offline.ts';

/*
 * What the platform does not do by itself, for every page, in a kilobyte: dialogs opened by links, menus that
 * close, errors that take the focus, moments in the reader's own time zone. Without it every page still
 * works.
 */

/**
 * What stands in a dialog as `data-form-of` is the form of that page, fetched when the dialog opens. Where it
 * cannot be had, the page itself is opened.
 */
async function fetchForm(place: HTMLElement): Promise<void> {
  const address = place.dataset['formOf'] ?? '';
  place.setAttribute('aria-busy', 'true');
  const answer = await fetch(address).catch(() => undefined);
  if (!answer) {
    place.closest('dialog')?.close();
    return showOffline(true);
  }
  const form =
    answer.ok &&
    !answer.redirected &&
    new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('main form');
  if (!form) return location.assign(address);
  place.replaceWith(form);
  // what was typed before a session's end is put back (session-end.ts)
  document.dispatchEvent(new Event('portal:form'));
  form.querySelector<HTMLElement>('input')?.focus();
}

/** Loads the script for forms when the focus first enters one. */
function enhanceForms({ target }: Event): void {
  if (!(target instanceof Element) || !target.closest('form[data-form]')) return;
  document.removeEventListener('focusin', enhanceForms);
  void import('./form/enhance.ts');
}

/**
 * The opener may be in a menu that closed meanwhile: then the focus goes to the menu, not to the top of the
 * page.
 */
function returnFocus(opener: HTMLElement): void {
  if (document.activeElement === document.body || !document.activeElement?.checkVisibility())
    opener.closest('details')?.querySelector('summary')?.focus();
}

/**
 * Opens a dialog with the focus on its heading, where it has one that takes it, as if by `autofocus`, which
 * the frame of an app refuses.
 */
function openModal(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.querySelector<HTMLElement>('h2[tabindex]')?.focus();
}

/** A link with `data-dialog` opens that dialog instead of going to its page. */
function openDialog(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const opener = event.target.closest<HTMLElement>('[data-dialog]');
  const dialog = opener && document.getElementById(opener.dataset['dialog'] ?? '');
  if (opener && dialog instanceof HTMLDialogElement) {
    event.preventDefault();
    openModal(dialog);
    dialog.addEventListener('close', () => returnFocus(opener), { once: true });
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
    if (
      !isEscape &&
      (event instanceof KeyboardEvent || (event.target instanceof Node && menu.contains(event.target)))
    )
      continue;
    menu.open = false;
    if (isEscape) menu.querySelector('summary')?.focus();
  }
}

/** Says that there is no connection, for as long as there is none. */
function showOffline(isOffline = !navigator.onLine): void {
  const place = document.querySelector<HTMLElement>('[data-offline] span');
  if (place) place.textContent = isOffline ? offlineText() : '';
}

/**
 * Without a connection a form stays as it is, with what was typed into it: sent, it would be lost to a page
 * of the browser's own.
 */
function keepOffline(event: SubmitEvent): void {
  const form = event.target;
  if (
    navigator.onLine ||
    event.defaultPrevented ||
    !(form instanceof HTMLFormElement) ||
    form.method === 'dialog'
  )
    return;
  event.preventDefault();
  event.stopImmediatePropagation();
  showOffline(true);
  if (!form.closest('dialog') || form.querySelector('[data-is-offline]')) return;
  const message = Object.assign(document.createElement('p'), {
    className: 'field-error',
    role: 'alert',
    textContent: offlineText(),
  });
  message.dataset['isOffline'] = '';
  form.prepend(message); // the page's own message lies under the dialog
}

function localMoments(): void {
  const moments = document.querySelectorAll<HTMLTimeElement>('time[data-local]');
  if (moments.length === 0) return; // to make a format takes a phone a tenth of a second
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  for (const time of moments) time.textContent = format.format(new Date(time.dateTime));
}

/** Tells the form in which zone its reader lives. */
function fillTimeZone(): void {
  const field = document.querySelector<HTMLInputElement>('input[data-time-zone]');
  if (field) field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A password field and the button that shows what was typed into it. */
function setPasswordShown(button: Element, isShown: boolean): void {
  const field = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (field instanceof HTMLInputElement) field.type = isShown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isShown));
}

function togglePassword({ target }: Event): void {
  const button = target instanceof Element ? target.closest('[data-show-password]') : null;
  if (button) setPasswordShown(button, button.getAttribute('aria-pressed') !== 'true');
}

/** A browser offers to remember what it is sent only from a password field. */
function hidePasswords(): void {
  for (const button of document.querySelectorAll('[data-show-password]')) setPasswordShown(button, false);
}

document.addEventListener('click', togglePassword);
document.addEventListener('submit', hidePasswords);
for (const button of document.querySelectorAll<HTMLElement>('[data-show-password]')) button.hidden = false;
document.addEventListener('click', openDialog);
document.addEventListener('click', closeMenus);
document.addEventListener('focusin', closeMenus);
document.addEventListener('focusin', enhanceForms);
document.addEventListener('keydown', closeMenus);
document.addEventListener('submit', keepOffline); // before what says that a form is being sent
document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement) showBusy(target);
});
for (const type of ['online', 'offline']) addEventListener(type, () => showOffline());
showOffline();
addEventListener('pageshow', endBusy);
for (const button of document.querySelectorAll<HTMLElement>('[data-close-alert]')) button.hidden = false;
localMoments();
fillTimeZone();
for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[data-modal]')) {
  dialog.close(); // it is open in the page for those without scripts
  openModal(dialog);
}
document.querySelector<HTMLElement>('[data-autofocus]')?.focus();
