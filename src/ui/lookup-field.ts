import { listboxFor } from './listbox.ts';

/*
 * Suggests entries of a list of the server under a text field while one types. The server finds what was typed when the form
 * is sent, so that the field works without this.
 */

const PAUSE = 150;
const known = new WeakSet<HTMLInputElement>();

interface Entries {
  entries: readonly { text: string }[];
}

/** Suggests entries in a field with the address of a list (`data-lookup`), which is in a `.field`; once for each. */
export function lookUpIn(field: HTMLInputElement): void {
  const { lookup } = field.dataset;
  const parent = field.closest('.field');
  if (lookup === undefined || !parent || known.has(field)) return;
  known.add(field);
  parent.classList.add('select-search');
  const list = listboxFor(field, parent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: AbortController | undefined;

  const choose = (text: string): void => {
    field.value = text;
    list.show();
    field.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const suggest = async (): Promise<void> => {
    request?.abort();
    const { signal } = (request = new AbortController());
    if (field.value.trim() === '') return list.show();
    const url = new URL(lookup, location.href);
    url.searchParams.set('q', field.value);
    const answer = await fetch(url, { signal })
      .then((response) => (response.ok ? (response.json() as Promise<{ data: Entries }>) : undefined))
      .catch(() => undefined); // replaced by the next one, or no connection
    if (signal.aborted || field !== document.activeElement) return;
    const content = document.createElement('div');
    for (const { text } of answer?.data.entries ?? []) {
      const option = Object.assign(document.createElement('button'), {
        type: 'button',
        tabIndex: -1,
        textContent: text,
      });
      option.setAttribute('role', 'option');
      option.addEventListener('click', () => choose(text));
      content.append(option);
    }
    list.show(content);
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void suggest(), PAUSE);
  });
  if (field.value !== field.defaultValue) void suggest(); // typed before this script had loaded
}
