import { MAX_RECENT, MIN_TEXT } from '../rules.ts';

/*
 * Lists results under a search field while one types (the combobox pattern of the ARIA Authoring Practices). The server
 * renders them. Without a connection, or for what is not listed, the form leads to the page of results.
 */

const PAUSE = 150;
const known = new WeakSet<HTMLFormElement>();

/** Enhances the search form once. */
export function suggestIn(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[type=search]');
  if (!field || known.has(form)) return;
  known.add(form);
  loadStyles(form.dataset['styles'] ?? '');
  const list = listFor(form, field);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: AbortController | undefined;

  const find = async (): Promise<void> => {
    request?.abort();
    request = new AbortController();
    const query = queryFor(form, field);
    if (!query) return list.show(undefined);
    const url = new URL(form.dataset['search'] ?? '', location.href);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { signal } = request;
    const answer = await fetch(url, { signal }).then(
      (response) => (response.ok || response.status === 429 ? response.text() : undefined),
      () => undefined, // replaced by the next search, or no connection
    );
    if (!signal.aborted && field === document.activeElement) list.show(answer);
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void find(), PAUSE);
  });
  field.addEventListener('focus', () => void find());
  field.addEventListener('keydown', (event) => onKey(event, list));
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) list.show(undefined);
  });
  void find();
}

/** What to ask for: the text, or before it the clients that were opened last; undefined for nothing. */
function queryFor(form: HTMLFormElement, field: HTMLInputElement): Record<string, string> | undefined {
  const text = field.value.trim();
  if ([...text].length >= MIN_TEXT) return { q: text };
  const recent = text === '' ? recentIn(form) : [];
  return recent.length === 0 ? undefined : { recent: recent.join(',') };
}

const recentIn = (form: HTMLFormElement): string[] =>
  (localStorage[form.dataset['recent'] ?? ''] as string | undefined)?.split(',').slice(0, MAX_RECENT) ?? [];

function loadStyles(href: string): void {
  if (document.querySelector(`link[href="${href}"]`)) return;
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
}

interface List {
  /** Shows the results of an answer; closes the list without one, or if it is empty. */
  show: (markup: string | undefined) => void;
  move: (by: 1 | -1) => void;
  chosen: () => HTMLAnchorElement | undefined;
  isOpen: () => boolean;
}

function listFor(form: HTMLFormElement, field: HTMLInputElement): List {
  const panel = Object.assign(document.createElement('div'), { className: 'search-list', hidden: true });
  panel.id = `search-list-${document.querySelectorAll('.search-list').length}`;
  panel.setAttribute('role', 'listbox');
  panel.setAttribute('aria-label', field.getAttribute('aria-label') ?? '');
  const status = Object.assign(document.createElement('div'), {
    className: 'visually-hidden',
    role: 'status',
  });
  form.append(panel, status);
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-controls', panel.id);
  field.setAttribute('aria-expanded', 'false');
  // the field keeps the focus while one presses a result, which is a link
  panel.addEventListener('mousedown', (event) => event.preventDefault());
  const options = (): HTMLAnchorElement[] => [...panel.querySelectorAll<HTMLAnchorElement>('[role=option]')];
  const select = (option: HTMLAnchorElement | undefined): void => {
    for (const each of options()) each.setAttribute('aria-selected', String(each === option));
    if (option) field.setAttribute('aria-activedescendant', option.id);
    else field.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  };
  const chosen = (): HTMLAnchorElement | undefined =>
    options().find((option) => option.getAttribute('aria-selected') === 'true');
  return {
    chosen,
    isOpen: () => !panel.hidden,
    show: (markup = '') => {
      const results = new DOMParser()
        .parseFromString(markup, 'text/html')
        .querySelector<HTMLElement>('.results');
      panel.replaceChildren(...(results ? [results] : []));
      for (const [at, option] of options().entries()) option.id = `${panel.id}-${at}`;
      panel.hidden = !results || results.childElementCount === 0;
      const hasOptions = options().length > 0;
      panel.setAttribute('role', hasOptions ? 'listbox' : 'presentation');
      field.setAttribute('aria-expanded', String(hasOptions));
      status.textContent = results?.dataset['count'] || (results?.textContent?.trim() ?? '');
      select(undefined);
    },
    move: (by) => {
      const all = options();
      const now = chosen();
      const next = now ? all.indexOf(now) + by : by === 1 ? 0 : all.length - 1;
      select(all[(next + all.length) % all.length]);
    },
  };
}

function onKey(event: KeyboardEvent, list: List): void {
  if (event.isComposing || !list.isOpen()) return;
  const { key } = event;
  if (key === 'ArrowDown' || key === 'ArrowUp') list.move(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Enter' && list.chosen()) list.chosen()?.click();
  else if (key === 'Escape') list.show(undefined);
  else return;
  event.preventDefault();
}
