import { listboxFor } from '#ui/listbox.ts';
import { MAX_RECENT, MIN_TEXT } from '../rules.ts';

/*
 * Lists results under a search field while one types. The server renders them. Without a connection, or for what is not
 * listed, the form leads to the page of results.
 */

const PAUSE = 150;
const known = new WeakSet<HTMLInputElement>();

/** Enhances a search form once: its results are links, or what `data-choose` makes of them. */
export function suggestIn(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[type=search]');
  if (!field) return;
  suggestFor(field, form.querySelector<HTMLElement>('.combobox') ?? form, (option) => choose(form, option));
}

/**
 * Lists results under a field, in `parent`. `onChoose` is told of what is chosen, and returns whether it took care of it;
 * else its link is followed. Returns a function that closes the list and cancels a pending search.
 */
export function suggestFor(
  field: HTMLInputElement,
  parent: HTMLElement,
  onChoose: (option: HTMLElement) => boolean,
): () => void {
  if (known.has(field)) return () => undefined;
  known.add(field);
  const { search, recent } = {
    ...frame()?.dataset,
    ...parent.closest<HTMLElement>('[data-search]')?.dataset,
  };
  loadStyles();
  const list = listboxFor(field, parent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: AbortController | undefined;

  const find = async (): Promise<void> => {
    request?.abort();
    request = new AbortController();
    const query = queryFor(field.value, recent);
    if (!query) return list.show();
    const url = new URL(search ?? '', location.href);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const { signal } = request;
    const answer = await fetch(url, { signal }).then(
      (response) => (response.ok || response.status === 429 ? response.text() : undefined),
      () => undefined, // replaced by the next search, or no connection
    );
    if (signal.aborted || field !== document.activeElement) return;
    const results = new DOMParser()
      .parseFromString(answer ?? '', 'text/html')
      .querySelector<HTMLElement>('.results');
    list.show(results, results?.dataset['count'] || results?.textContent?.trim());
  };

  const close = (): void => {
    clearTimeout(timer);
    request?.abort();
    list.show();
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void find(), PAUSE);
  });
  field.addEventListener('focus', () => void find());
  parent.addEventListener('click', (event) => {
    const option =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[role=option]') : null;
    if (!option || !onChoose(option)) return;
    event.preventDefault();
    close();
  });
  if (field === document.activeElement) void find();
  return close;
}

/** What to ask for: the text, or before it the clients that were opened last; undefined for nothing. */
function queryFor(typed: string, recent: string | undefined): Record<string, string> | undefined {
  const text = typed.trim();
  if ([...text].length >= MIN_TEXT) return { q: text };
  const ids = text === '' ? recentIn(recent ?? '') : [];
  return ids.length === 0 ? undefined : { recent: ids.join(',') };
}

const recentIn = (key: string): string[] =>
  (localStorage[key] as string | undefined)?.split(',').slice(0, MAX_RECENT) ?? [];

/** The search of the header, which knows what the fields of a page do not. */
const frame = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-styles]');

function loadStyles(): void {
  const href = frame()?.dataset['styles'];
  if (href === undefined || document.querySelector(`link[href="${href}"]`)) return;
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
}

/**
 * Chooses a client in a form that looks for one: its link names the client instead of the example, or the form of the
 * results is sent with its id.
 */
function choose(form: HTMLFormElement, option: HTMLElement): boolean {
  const { id } = option.dataset;
  const { choose: link, chooseIn: formId, chooseAs: name } = form.dataset;
  if (id === undefined) return false;
  if (link !== undefined) {
    location.assign(link.replace(form.dataset['example'] ?? '', encodeURIComponent(id)));
    return true;
  }
  const target =
    formId === undefined ? null : document.querySelector<HTMLFormElement>(`#${CSS.escape(formId)}`);
  if (!target) return false;
  const button = Object.assign(document.createElement('button'), {
    name: name ?? '',
    value: id,
    hidden: true,
  });
  target.append(button);
  target.requestSubmit(button);
  return true;
}
