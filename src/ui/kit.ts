import { endBusy, showBusy } from './busy.ts';

/*
 * Small enhancements for every page, in a kilobyte: dialogs opened by links, menus that close, focus on
 * errors, times in the reader's own zone. Every page works without it.
 */

/** The message that there is no connection. A copy of offline.ts: to import it would cost every page a request. */
const offline = document.querySelector<HTMLElement>('[data-offline]');
const offlineText = offline?.dataset['offline'] ?? '';

/** Reports an uncaught error of a script; one that cannot be reported ends here. */
const reportError = (error: unknown): void =>
  void import('./page-errors.ts').then(({ report }) => report(error)).catch(() => undefined);

addEventListener('error', ({ error }) => reportError(error));
addEventListener('unhandledrejection', ({ reason }) => reportError(reason));

let enhancing: Promise<unknown> | undefined;
let isEnhanced = false;

/** Loads the scripts for forms when the focus first enters one. */
function enhanceForms({ target }: Event): void {
  const form = target instanceof Element ? target.closest('form') : null;
  if (form?.matches('[data-draft]')) void import('./form/autosave.ts');
  if (form?.matches('[data-form], [data-masked]'))
    enhancing ??= import('./form/enhance.ts').finally(() => (isEnhanced = true));
}

/** Marks a field while an input method composes in it, which form/masked-inputs.ts must not interrupt. */
function noteComposition({ target, type }: CompositionEvent): void {
  if (target instanceof HTMLElement) target.toggleAttribute('data-composing', type === 'compositionstart');
}

/** A form that is submitted while its script is being loaded waits for it. */
function waitForScript(event: SubmitEvent): void {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-form]')) return;
  if (!enhancing || isEnhanced || event.defaultPrevented) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const submit = (): void => form.requestSubmit(submitter);
  enhancing.then(submit, submit);
}

/**
 * Returns the focus to the menu when the opener was in one that has closed, or it would go to the top of the
 * page.
 */
function returnFocus(opener: HTMLElement): void {
  if (document.activeElement === document.body || !document.activeElement?.checkVisibility())
    opener.closest('details')?.querySelector('summary')?.focus();
}

/**
 * Opens a dialog and focuses its heading if it is focusable, like `autofocus`, which browsers ignore in the
 * frame of an app.
 */
function openModal(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.querySelector<HTMLElement>('h2[tabindex]')?.focus();
}

/** Loads the form of another page into a dialog. */
async function fillDialog(dialog: HTMLDialogElement, place: HTMLElement): Promise<void> {
  place.setAttribute('aria-busy', 'true');
  const hasAnswer = await import('./dialog-form.ts').then(
    ({ fetchForm }) => fetchForm(place),
    () => false,
  );
  if (hasAnswer) return;
  dialog.close();
  showOffline(true);
}

/** Opens the dialog of a link with `data-dialog` instead of its page. */
function openDialog(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const opener = event.target.closest<HTMLElement>('[data-dialog]');
  const dialog = opener && document.getElementById(opener.dataset['dialog'] ?? '');
  if (opener && dialog instanceof HTMLDialogElement) {
    event.preventDefault();
    openModal(dialog);
    dialog.addEventListener('close', () => returnFocus(opener), { once: true });
    const place = dialog.querySelector<HTMLElement>('[data-form-of]');
    if (place) void fillDialog(dialog, place);
  }
  const closing = event.target.closest('[data-close-dialog]')?.closest('dialog');
  if (closing) {
    event.preventDefault(); // the link leads elsewhere when its form is a page
    closing.close();
  }
  if (event.target.closest('[data-close-alert]')) event.target.closest('.alert')?.remove();
}

/** Closes a menu when the focus or a click goes elsewhere, and on Escape, which returns the focus. */
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

/** Shows or hides the message that there is no connection. */
function showOffline(isOffline = !navigator.onLine): void {
  const place = offline?.querySelector('span');
  if (place) place.textContent = isOffline ? offlineText : '';
}

/**
 * Keeps a form with its input on the page while offline: submitting would replace it with the browser's error
 * page.
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
    textContent: offlineText,
  });
  message.dataset['isOffline'] = '';
  form.prepend(message); // the page's own message is behind the dialog
}

function localMoments(): void {
  const moments = document.querySelectorAll<HTMLTimeElement>('time[data-local]');
  if (moments.length === 0) return; // creating a date format takes a tenth of a second on a phone
  const { lang, dataset } = document.documentElement;
  const format = new Intl.DateTimeFormat(dataset['clock'] ?? lang, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  for (const time of moments) time.textContent = format.format(new Date(time.dateTime));
}

/** Fills in the reader's time zone. */
function fillTimeZone(): void {
  const field = document.querySelector<HTMLInputElement>('input[data-time-zone]');
  if (field) field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Shows or hides the text of a password field. */
function setPasswordShown(button: Element, isShown: boolean): void {
  const field = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (field instanceof HTMLInputElement) field.type = isShown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isShown));
}

function togglePassword({ target }: Event): void {
  const button = target instanceof Element ? target.closest('[data-show-password]') : null;
  if (button) setPasswordShown(button, button.getAttribute('aria-pressed') !== 'true');
}

/** Hides passwords before submitting: browsers offer to save only password fields. */
function hidePasswords(): void {
  for (const button of document.querySelectorAll('[data-show-password]')) setPasswordShown(button, false);
}

/** Keeps the language that somebody chooses, for the mobile apps to start with (spec 1, section 9). */
function keepLanguage({ target }: Event): void {
  const choice = target instanceof Element ? target.closest<HTMLElement>('[data-languages] [lang]') : null;
  if (choice) localStorage.setItem('ccLanguage', choice.lang);
}

document.addEventListener('click', keepLanguage);
document.addEventListener('click', togglePassword);
document.addEventListener('submit', hidePasswords);
document.addEventListener('click', openDialog);
document.addEventListener('click', closeMenus);
document.addEventListener('focusin', closeMenus);
document.addEventListener('focusin', enhanceForms);
document.addEventListener('compositionstart', noteComposition);
document.addEventListener('compositionend', noteComposition);
document.addEventListener('keydown', closeMenus);
document.addEventListener('submit', keepOffline); // before the handler that shows the busy state
document.addEventListener('submit', waitForScript);
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
  dialog.close(); // it is rendered open for people without scripts
  openModal(dialog);
}
document.querySelector<HTMLElement>('[data-autofocus]')?.focus();
