/* Shows the names of chosen files in their field (FileInput.astro). */

/** What each field says until something is chosen. */
const invitations = new WeakMap<Element, readonly Node[]>();

/** Shows the names of the chosen files instead of what to do. */
function showNames(input: HTMLInputElement): void {
  const text = input.parentElement?.querySelector('.file-choose');
  if (!text) return;
  const invitation = invitations.get(text) ?? [...text.childNodes];
  invitations.set(text, invitation);
  const names = [...(input.files ?? [])].map(({ name }) => name).join(', ');
  text.replaceChildren(...(names === '' ? invitation : [names]));
}

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.type === 'file') showNames(target);
});
