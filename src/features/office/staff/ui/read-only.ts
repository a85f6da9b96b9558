import { showAlert } from '#ui/alerts.ts';
import { isAllowedWhileViewing, VIEWING_NOTE } from '../rules.ts';

/*
 * While staff view as a contact they see all controls of the contact, and those that write explain that they
 * are disabled (threat-model.md T14): forms that post, buttons that post on their own, and the contents of
 * elements marked `data-writes`. The server refuses these requests in any case, and has marked the controls
 * of the page that it sent (read-only-markup.server.ts); this marks the controls that scripts add.
 */

const bar = document.querySelector<HTMLElement>('[data-read-only]');
const reason = bar?.dataset['readOnly'] ?? '';

const isAllowed = (form: HTMLFormElement | null): boolean =>
  form !== null && isAllowedWhileViewing(new URL(form.getAttribute('action') ?? '', location.href).pathname);

const isPost = (button: HTMLButtonElement | HTMLInputElement): boolean =>
  (button.getAttribute('formmethod') ?? button.form?.getAttribute('method') ?? 'get').toLowerCase() ===
  'post';

/** The control at or around an element that would change something. */
function writerAt(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof Element)) return undefined;
  const control = target.closest<HTMLElement>('button, input[type=file], input[type=submit], label');
  if (!control) return undefined;
  if (control.closest('[data-writes]')) return control;
  const isButton = control instanceof HTMLButtonElement || control instanceof HTMLInputElement;
  return isButton && control.type === 'submit' && isPost(control) && !isAllowed(control.form)
    ? control
    : undefined;
}

function mark(): void {
  for (const control of document.querySelectorAll(
    'button:not([aria-disabled]), input[type=file]:not([aria-disabled])',
  )) {
    if (writerAt(control) !== control) continue;
    control.setAttribute('aria-disabled', 'true');
    const described = control.getAttribute('aria-describedby');
    control.setAttribute(
      'aria-describedby',
      described === null ? VIEWING_NOTE : `${described} ${VIEWING_NOTE}`,
    );
  }
}

function refuse(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
  showAlert({ type: 'info', msg: reason });
}

if (bar) {
  window.addEventListener('click', (event) => writerAt(event.target) && refuse(event), true);
  window.addEventListener(
    'submit',
    (event) => {
      const form = event.target;
      if (!(form instanceof HTMLFormElement) || isAllowed(form)) return;
      const isWrite =
        form.closest('[data-writes]') !== null || form.getAttribute('method')?.toLowerCase() === 'post';
      if (isWrite || writerAt(event.submitter)) refuse(event);
    },
    true,
  );
  // Files dropped anywhere, and files chosen or pasted where the contact may upload.
  window.addEventListener('drop', refuse, true);
  for (const kind of ['paste', 'change'] as const) {
    window.addEventListener(
      kind,
      (event) => event.target instanceof Element && event.target.closest('[data-writes]') && refuse(event),
      true,
    );
  }
  mark();
  new MutationObserver(mark).observe(document.body, { subtree: true, childList: true });
}
