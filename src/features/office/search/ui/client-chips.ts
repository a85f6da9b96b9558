import { suggestFor } from './suggestions.ts';

/*
 * Chooses clients by name in a field that sends their numbers: each is a chip with a button that removes it. What is typed
 * or pasted as numbers becomes chips, too. The field keeps its value, so that the form sends what it sends without scripts.
 */

const SEPARATOR = /[\s,;]+/;

/** Enhances a field with `data-choose-clients`, the name of the buttons that remove. */
export function showChips(stored: HTMLInputElement | HTMLTextAreaElement): void {
  const field = Object.assign(document.createElement('input'), {
    className: 'input',
    type: 'search',
    id: stored.id,
    autocomplete: 'off',
    maxLength: 200,
  });
  const describedBy = stored.getAttribute('aria-describedby');
  if (describedBy !== null) field.setAttribute('aria-describedby', describedBy);
  const chips = Object.assign(document.createElement('ul'), { className: 'client-chips' });
  const box = Object.assign(document.createElement('div'), { className: 'combobox' });
  const names = new Map<string, string>();
  const chosen = (): string[] => stored.value.split(SEPARATOR).filter(Boolean);
  box.dataset['search'] = `${searchUrl()}${searchUrl().includes('?') ? '&' : '?'}choose=client`;
  box.append(field);
  stored.removeAttribute('id');
  stored.removeAttribute('aria-describedby');
  stored.hidden = true;
  stored.after(box, chips);

  const store = (tokens: readonly string[]): void => {
    stored.value = [...new Set(tokens)].join(' ');
    stored.dispatchEvent(new Event('input', { bubbles: true }));
    show();
  };
  const show = (): void => {
    chips.replaceChildren(...chosen().map(chipOf));
    chips.hidden = chosen().length === 0;
  };
  const remove = (token: string): void => {
    store(chosen().filter((other) => other !== token));
    field.focus();
  };
  const chipOf = (token: string): HTMLLIElement => {
    const name = names.get(token) ?? token;
    const chip = document.createElement('li');
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: '×' });
    button.setAttribute('aria-label', (stored.dataset['chooseClients'] ?? '').replace('#', name));
    button.addEventListener('click', () => remove(token));
    chip.append(Object.assign(document.createElement('bdi'), { textContent: name }), button);
    return chip;
  };
  /** What was typed is a list of numbers if the Enter key is pressed, or the form sent, without choosing. */
  const takeTyped = (): void => {
    const typed = field.value.split(SEPARATOR).filter(Boolean);
    if (typed.length > 0) store([...chosen(), ...typed]);
    field.value = '';
    close();
  };

  const close = suggestFor(field, box, (option) => {
    const { id, note } = option.dataset;
    if (id === undefined) return false;
    const token = note !== undefined && note !== '' && !SEPARATOR.test(note) ? note : id;
    names.set(token, option.querySelector('bdi')?.textContent ?? token);
    field.value = '';
    store([...chosen(), token]);
    return true;
  });
  field.addEventListener('keydown', (event) => {
    const last = chosen().at(-1);
    if (event.key === 'Backspace' && field.value === '' && last !== undefined) remove(last);
    if (event.key !== 'Enter' || event.defaultPrevented || field.value.trim() === '') return;
    event.preventDefault();
    takeTyped();
  });
  field.addEventListener('paste', (event) => {
    const pasted = event.clipboardData?.getData('text').trim() ?? '';
    if (!/[,;\n\t]/.test(pasted)) return;
    event.preventDefault();
    store([...chosen(), ...pasted.split(SEPARATOR)]);
  });
  stored.form?.addEventListener('submit', takeTyped, { capture: true });
  show();
}

const searchUrl = (): string => document.querySelector<HTMLElement>('[data-styles]')?.dataset['search'] ?? '';
