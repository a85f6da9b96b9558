import { redact } from '../redaction.ts';

/** Where `page-errors.ts` keeps the errors of the pages of this tab. */
const KEY = 'page-errors';

/** Lists what went wrong on the pages before, as further details that can be left out. */
export function listErrors(): void {
  const first = document.querySelector<HTMLInputElement>('input[type="checkbox"][name="details"]');
  const row = first?.closest('label');
  if (!first || !row) return;
  for (const line of errorsBefore().toReversed()) {
    const copy = row.cloneNode(true) as HTMLLabelElement;
    const box = copy.querySelector('input');
    const text = [...copy.childNodes].find((node) => node !== box && (node.textContent ?? '').trim() !== '');
    if (!box || !text) return;
    const shown = redact(line);
    box.removeAttribute('id');
    box.value = shown;
    box.checked = true;
    text.textContent = shown;
    row.after(copy);
  }
}

function errorsBefore(): string[] {
  try {
    const lines: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string').slice(-20) : [];
  } catch {
    return []; // storage is turned off
  }
}
