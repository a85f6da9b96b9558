import type { ShareForm } from '../rules.ts';

/*
 * The values typed into the share dialog when the session ended. They stay in this tab for the same person
 * and the same page. Never the access code: no secret is stored in the browser.
 */

const KEY = 'ccShareDraft'; // kept until its owner signs in again (signed-out.ts)

interface Draft {
  who: string;
  page: string;
  form: ShareForm;
  ids: string[];
}

const whoIsHere = (): string => document.querySelector<HTMLElement>('[data-who]')?.dataset['who'] ?? '';

function storedDraft(): Draft | undefined {
  const draft = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Draft | null;
  if (draft?.who === whoIsHere() && draft.page === location.pathname) return draft;
  if (draft) sessionStorage.removeItem(KEY);
  return undefined;
}

export function keepDraft(form: ShareForm, ids: string[]): void {
  const draft: Draft = { who: whoIsHere(), page: location.pathname, form: { ...form, code: '' }, ids };
  sessionStorage.setItem(KEY, JSON.stringify(draft));
}

/** Reads the typed values, once. */
export function takeDraft(): ShareForm | undefined {
  const draft = storedDraft();
  if (draft) sessionStorage.removeItem(KEY);
  return draft?.form;
}

/** Selects the documents of a draft again and opens the dialog, which restores the typed values. */
export function restoreDraft(): void {
  const ids = storedDraft()?.ids;
  if (!ids) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>('#document-list input[name=id]')].filter(
    (box) => ids.includes(box.value),
  );
  for (const box of boxes) box.checked = true;
  boxes[0]?.dispatchEvent(new Event('change', { bubbles: true }));
  document.querySelector<HTMLElement>('[data-share]')?.click();
}
