/* The list under a field that suggests what is typed (the combobox pattern of the ARIA Authoring Practices). */

export interface Listbox {
  /** Shows content with options; closes the list without it. What is found is said to screen readers by `status`. */
  show: (content?: Element | null, status?: string) => void;
  isOpen: () => boolean;
}

/** Where the options of a list are, and how many there are so far in the page, for the ids of others. */
let lists = 0;

/** Puts an empty list into `parent`, and makes a field the combobox that opens it. */
export function listboxFor(field: HTMLInputElement, parent: Element): Listbox {
  const panel = Object.assign(document.createElement('div'), { className: 'search-list', hidden: true });
  panel.id = `search-list-${lists++}`;
  panel.tabIndex = -1; // browsers stop at what can be scrolled: Tab leads on, and closes the list
  panel.setAttribute('role', 'listbox');
  panel.setAttribute(
    'aria-label',
    field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent.trim() ?? '',
  );
  const status = Object.assign(document.createElement('div'), {
    className: 'visually-hidden',
    role: 'status',
  });
  parent.append(panel, status);
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-controls', panel.id);
  field.setAttribute('aria-expanded', 'false');
  // the field keeps the focus while one presses an option
  panel.addEventListener('mousedown', (event) => event.preventDefault());

  const options = (): HTMLElement[] => [...panel.querySelectorAll<HTMLElement>('[role=option]')];
  const chosen = (): HTMLElement | undefined =>
    options().find((option) => option.getAttribute('aria-selected') === 'true');
  const select = (option: HTMLElement | undefined): void => {
    for (const each of options()) each.setAttribute('aria-selected', String(each === option));
    if (option) field.setAttribute('aria-activedescendant', option.id);
    else field.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  };
  const move = (by: 1 | -1): void => {
    const all = options();
    const now = chosen();
    const next = now ? all.indexOf(now) + by : by === 1 ? 0 : all.length - 1;
    select(all[(next + all.length) % all.length]);
  };
  const show = (content?: Element | null, text = ''): void => {
    panel.replaceChildren(...(content ? [content] : []));
    for (const [at, option] of options().entries()) option.id = `${panel.id}-${at}`;
    panel.hidden = !content || content.childElementCount === 0;
    const hasOptions = options().length > 0;
    panel.setAttribute('role', hasOptions ? 'listbox' : 'presentation');
    field.setAttribute('aria-expanded', String(hasOptions));
    status.textContent = text;
    select(undefined);
  };

  field.addEventListener('keydown', (event) => {
    if (event.isComposing || panel.hidden) return;
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1);
    else if (key === 'Enter' && chosen()) chosen()?.click();
    else if (key === 'Escape') show();
    else return;
    event.preventDefault();
  });
  parent.addEventListener('focusout', (event) => {
    const next = (event as FocusEvent).relatedTarget;
    if (!(next instanceof Node && parent.contains(next))) show();
  });
  return { show, isOpen: () => !panel.hidden };
}
