import { endBusy, showBusy } from './busy.ts';

/*
 * Small enhancements for every page, in a kilobyte: dialogs opened by links, menus that close, focus on
 * errors, times in the reader's own zone. Every page works without it.
 */

/** The message that there is no connection. A copy of offline.ts: to import it would cost every page a request. */
const offline = document.querySelector<HTMLElement>('[data-offline]');
const offlineText = offline?.dataset['offline'] ?? '';

// The first uncaught error loads the script that reports it, and those after it.
for (const type of ['error', 'unhandledrejection'])
  addEventListener(type, (event) => void import('./page-errors.ts').then((script) => script.report(event)), {
    once: true,
  });

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
  const isKey = event instanceof KeyboardEvent;
  if (isKey && event.key !== 'Escape') return;
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (!isKey && event.target instanceof Node && menu.contains(event.target)) continue;
    menu.open = false;
    if (isKey) menu.querySelector('summary')?.focus();
  }
}

/** Shows or hides the message that there is no connection. */
function showOffline(isOffline = !navigator.onLine): void {
  offline?.querySelector('span')?.replaceChildren(isOffline ? offlineText : '');
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
  const formats: Record<string, Intl.DateTimeFormat> = {};
  for (const time of moments) {
    const dateStyle = time.dataset['local'] === 'cell' ? 'medium' : 'long';
    const format = (formats[dateStyle] ??= new Intl.DateTimeFormat(dataset['clock'] ?? lang, {
      dateStyle,
      timeStyle: 'short',
    }));
    time.textContent = format.format(new Date(time.dateTime));
  }
}

/**
 * Shows or hides a password, for which a script is loaded with the first press, and keeps a chosen language for
 * the mobile apps to start with (spec 1, section 9).
 */
function press({ target }: Event): void {
  if (!(target instanceof Element)) return;
  const button = target.closest('[data-show-password]');
  if (button) void import('./show-password.ts').then((script) => script.toggle(button));
  const language = target.closest<HTMLElement>('[data-languages] [lang]');
  if (language) localStorage['ccLanguage'] = language.lang;
}

const on = document.addEventListener.bind(document);
on('click', press);
on('click', openDialog);
on('click', closeMenus);
on('focusin', closeMenus);
on('focusin', enhanceForms);
on('compositionstart', noteComposition);
on('compositionend', noteComposition);
on('keydown', closeMenus);
on('submit', keepOffline); // before the handler that shows the busy state
on('submit', waitForScript);
on('submit', ({ target }) => {
  if (target instanceof HTMLFormElement) showBusy(target);
});
for (const type of ['online', 'offline']) addEventListener(type, () => showOffline());
showOffline();
addEventListener('pageshow', endBusy);
for (const button of document.querySelectorAll<HTMLElement>('[data-close-alert]')) button.hidden = false;
localMoments();
for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[data-modal]')) {
  dialog.close(); // it is rendered open for people without scripts
  openModal(dialog);
}
document.querySelector<HTMLElement>('[data-autofocus]')?.focus();
