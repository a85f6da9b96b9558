/*
 * The access code is shown, and can be typed, only while its box is checked (spec 1, section 5). Without scripts
 * the server reports the error.
 */
const box = document.querySelector<HTMLInputElement>('input[name=requireCode]');
const code = document.querySelector<HTMLInputElement>('input[name=code]');

function follow(): void {
  if (!box || !code) return;
  code.disabled = !box.checked;
  code.required = box.checked;
  const field = code.closest<HTMLElement>('.field');
  if (field) field.hidden = !box.checked;
}

// A code with an error from the server stays visible.
if (code && box && !box.checked && code.value !== '') box.addEventListener('change', follow);
else {
  follow();
  box?.addEventListener('change', follow);
}
