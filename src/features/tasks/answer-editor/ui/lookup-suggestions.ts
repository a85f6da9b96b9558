import type { LookupEntries } from '../answer-editor.ts';

/*
 * Suggests entries of a list while a person types, as the browser's own suggestions. What is typed is looked up when it
 * is saved, so that this only helps.
 */

const PAUSE = 200;

/** Suggests entries in a field that has the address of a list; once for each field. */
export function suggestEntries(field: HTMLInputElement): void {
  const { lookup } = field.dataset;
  if (lookup === undefined || field.hasAttribute('list')) return;
  const list = document.createElement('datalist');
  list.id = `${field.id}-entries`;
  document.body.append(list);
  field.setAttribute('list', list.id);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = '';
  const update = async (): Promise<void> => {
    const words = field.value;
    if (words === asked || words.trim() === '') return;
    asked = words;
    const response = await fetch(`${lookup}&q=${encodeURIComponent(words)}`).catch(() => undefined); // without suggestions
    const answer = (await response?.json().catch(() => undefined)) as { data?: LookupEntries } | undefined;
    if (asked !== words) return; // another answer is on its way
    list.replaceChildren(
      ...(answer?.data?.entries ?? []).map(({ text, note = '' }) => new Option(note, text)),
    );
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), PAUSE);
  });
  if (field.value !== field.defaultValue) void update(); // typed before this script had loaded
}
