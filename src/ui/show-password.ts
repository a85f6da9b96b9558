/* Shows and hides the text of password fields. Loaded by kit.ts when a button for it is pressed first. */

/** Shows or hides the text of the password field of a button. */
export const toggle = (button: Element): void =>
  setShown(button, button.getAttribute('aria-pressed') !== 'true');

function setShown(button: Element, isShown: boolean): void {
  const field = document.getElementById(button.getAttribute('aria-controls') ?? '');
  if (field instanceof HTMLInputElement) field.type = isShown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isShown));
}

/** Hides passwords before submitting: browsers offer to save only password fields. */
function hideAll(): void {
  for (const button of document.querySelectorAll('[data-show-password]')) setShown(button, false);
}

document.addEventListener('submit', hideAll);
