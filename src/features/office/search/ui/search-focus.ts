/*
 * Loads what a search field and the keys of the firm's side need when they are first used, so that a page begins without
 * it. No key acts while something is typed or with a modifier (WCAG 2.1.4: they can be turned off).
 */

export {}; // a module, whose names are its own

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

document.addEventListener('focusin', ({ target }) => {
  const form = target instanceof HTMLInputElement ? target.closest<HTMLFormElement>('[data-search]') : null;
  if (form) void import('./suggestions.ts').then(({ suggestIn }) => suggestIn(form));
});

for (const field of document.querySelectorAll<HTMLInputElement>('[data-choose-clients]'))
  void import('./client-chips.ts').then(({ showChips }) => showChips(field));

const header = document.querySelector<HTMLElement>('[data-shortcuts]');
if (header)
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented || !/^[a-z/?]$/.test(key)) return;
    if (isTyping(target) || document.querySelector('dialog[open]')) return;
    if (key === '/') event.preventDefault(); // Firefox would search in the page
    void import('./shortcuts.ts').then(({ press }) => press(key));
  });
