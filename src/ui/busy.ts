/**
 * Indicates that a form with a `data-busy` text is being submitted. The overlay appears after 300 ms
 * (Page.astro), so that fast submissions do not flicker.
 */
export function showBusy(form: HTMLFormElement): void {
  const text = form.dataset['busy'];
  if (!text || form.ariaBusy === 'true') return;
  form.setAttribute('aria-busy', 'true');
  const overlay = document.createElement('div');
  overlay.className = 'busy';
  overlay.textContent = text;
  overlay.ariaHidden = 'true'; // the status says it
  (form.closest('dialog') ?? document.body).append(overlay);
  const status = document.getElementById('status');
  if (status) status.textContent = text;
}

/** Ends the busy state of all forms. */
export function endBusy(): void {
  for (const overlay of document.querySelectorAll('div.busy')) overlay.remove();
  for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
}
