import type { FormAnswer } from '#platform/forms/forms.ts';

/*
 * Saves the draft of a form with `data-draft` a moment after the last change. A save carries the version that the page
 * shows: when another tab saved a newer one, this page says so and stops saving.
 */

const DELAY = 800;
const timers = new WeakMap<HTMLFormElement, number>();
const saving = new WeakSet<HTMLFormElement>();
/** Forms whose draft another tab has saved since. */
const stopped = new WeakSet<HTMLFormElement>();

function draftData(form: HTMLFormElement): FormData {
  const data = new FormData(form);
  for (const [name, value] of [...data]) if (value instanceof File) data.delete(name);
  for (const { name } of form.querySelectorAll<HTMLInputElement>('[type=password]')) data.delete(name);
  // not form.id, which is a field where one has the name "id"
  data.set('form', `${form.getAttribute('id')}:save-draft`);
  return data;
}

function showStatus(form: HTMLFormElement, text: string, isProblem = false): void {
  const status = form.querySelector('[data-draft-status]');
  if (!status) return;
  status.classList.toggle('field-error', isProblem);
  status.textContent = text;
}

async function save(form: HTMLFormElement): Promise<void> {
  if (stopped.has(form) || !form.isConnected) return;
  if (saving.has(form)) return schedule(form);
  saving.add(form);
  const response = await fetch(form.action, {
    method: 'POST',
    body: draftData(form),
    headers: { Accept: 'application/json' },
    redirect: 'manual',
  }).catch(() => undefined); // offline: saved with the next change
  saving.delete(form);
  if (!response?.headers.get('content-type')?.startsWith('application/json')) return;
  const answer = (await response.json()) as FormAnswer;
  if ('version' in answer) {
    const version = form.elements.namedItem('draft-version');
    if (version instanceof HTMLInputElement) version.value = String(answer.version);
    showStatus(form, form.dataset['draft'] ?? '');
  } else if (response.status === 409 && 'problems' in answer) {
    stopped.add(form);
    showStatus(form, answer.problems[0]?.text ?? '', true);
  }
}

function schedule(form: HTMLFormElement): void {
  clearTimeout(timers.get(form));
  timers.set(
    form,
    window.setTimeout(() => void save(form), DELAY),
  );
}

function onChange({ target }: Event): void {
  const form = target instanceof Element ? target.closest<HTMLFormElement>('form[data-draft]') : null;
  if (!form || stopped.has(form)) return;
  schedule(form);
}

/** What was typed and ticked before this script came. */
const isChanged = (form: HTMLFormElement): boolean =>
  [
    ...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input:not([type=hidden]), textarea'),
  ].some((field) =>
    field instanceof HTMLInputElement && /checkbox|radio/.test(field.type)
      ? field.checked !== field.defaultChecked // a box without a value has one that is not its default
      : field.value !== field.defaultValue,
  );

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-draft]'))
  if (isChanged(form)) schedule(form);
document.addEventListener('input', onChange);
document.addEventListener('change', onChange);
document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement) clearTimeout(timers.get(target));
});
