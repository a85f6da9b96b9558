/*
 * Forms that say why something does not apply: without a reason they cannot be submitted, and a dialog asks before they
 * are. Without scripts the server asks for the reason.
 */

for (const details of document.querySelectorAll<HTMLDetailsElement>('[data-not-applicable]')) {
  const form = details.querySelector('form');
  const reason = details.querySelector('textarea');
  const submit = form?.querySelector<HTMLButtonElement>('.actions .button:last-of-type');
  const cancel = details.querySelector<HTMLElement>('[data-cancel]');
  const dialog = details.querySelector('dialog');
  if (form && reason && submit && cancel && dialog) {
    const update = (): void => void (submit.disabled = reason.value.trim() === '');
    update();
    reason.addEventListener('input', update);
    cancel.hidden = false;
    cancel.addEventListener('click', () => {
      details.open = false;
      details.querySelector('summary')?.focus();
    });
    let isConfirmed = false;
    form.addEventListener(
      'submit',
      (event) => {
        if (isConfirmed) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        if (submit.disabled) return;
        dialog.showModal();
        dialog.querySelector('h2')?.focus();
      },
      { capture: true },
    );
    dialog.querySelector('[data-confirm]')?.addEventListener('click', () => {
      dialog.close();
      isConfirmed = true;
      form.requestSubmit();
      isConfirmed = false;
    });
  }
}
