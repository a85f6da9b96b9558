import { listboxFor } from './listbox.ts';

/*
 * A list of many choices that is searched by typing, in the place of a `select`, which stays the control that the form sends.
 * Without scripts the `select` is what people use.
 */

const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Replaces a `select` by a field that finds its options by their words. `none` is said when nothing is found. */
export function searchIn(select: HTMLSelectElement, none: string): void {
  const field = Object.assign(document.createElement('input'), {
    className: 'input',
    type: 'text',
    id: select.id,
    autocomplete: 'off',
    spellcheck: false,
    maxLength: 200,
  });
  const box = Object.assign(document.createElement('div'), { className: 'select-search' });
  const describedBy = select.getAttribute('aria-describedby');
  if (describedBy !== null) field.setAttribute('aria-describedby', describedBy);
  select.removeAttribute('id');
  select.hidden = true;
  select.after(box);
  box.append(field);
  field.setAttribute('aria-label', field.labels?.[0]?.textContent.trim() ?? '');
  const list = listboxFor(field, box);
  const choices = [...select.options].map((option) => ({
    option,
    text: option.text,
    words: fold(option.text),
  }));

  const showChosen = (): void => {
    field.value = select.selectedOptions[0]?.text ?? '';
  };
  const choose = (option: HTMLOptionElement): void => {
    list.show();
    if (!option.selected) {
      option.selected = true;
      for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }));
    }
    showChosen();
  };
  const find = (typed: string) => {
    const words = fold(typed).split(' ').filter(Boolean);
    return choices.filter((choice) => words.every((word) => ` ${choice.words}`.includes(` ${word}`)));
  };
  const suggest = (typed: string): void => {
    const content = document.createElement('div');
    for (const { option, text } of find(typed)) {
      const item = Object.assign(document.createElement('button'), {
        type: 'button',
        tabIndex: -1,
        textContent: text,
      });
      item.setAttribute('role', 'option');
      item.addEventListener('click', (event) => {
        event.stopPropagation(); // the option is gone then, and a menu would take it for a click beside it (kit.ts)
        choose(option);
      });
      content.append(item);
    }
    list.show(content, content.childElementCount === 0 ? none : '');
  };

  field.addEventListener('focus', () => field.select());
  field.addEventListener('click', () => suggest(''));
  field.addEventListener('input', () => suggest(field.value));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' && !list.isOpen()) suggest('');
    if (event.key !== 'Enter' || event.defaultPrevented || !list.isOpen()) return;
    event.preventDefault();
    const [first] = find(field.value);
    if (first) choose(first.option);
  });
  // closes the list, and not the menu that it is in
  const keepMenu = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !list.isOpen()) return;
    event.stopPropagation();
    event.preventDefault();
    list.show();
  };
  field.addEventListener('keydown', keepMenu, { capture: true });
  field.addEventListener('blur', showChosen);
  select.form?.addEventListener('reset', () => setTimeout(showChosen));
  showChosen();
}
