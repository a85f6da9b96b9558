import type { FormAnswer, Problem } from '#platform/forms/forms.ts';
import { fieldId } from '#platform/forms/forms.ts';
import { endBusy, showBusy } from '../busy.ts';
import { ICONS } from '../icons.ts';

/*
 * Submits forms with `data-form` without leaving the page: errors appear beside their fields and in a summary, unless
 * it is the only one in a short form, and everything entered stays, chosen files included. If the answer is not JSON,
 * the form is submitted natively, as without scripts.
 */

const sending = new WeakSet<HTMLFormElement>();
/** Forms that are being submitted natively this time. */
const native = new WeakSet<HTMLFormElement>();

function setDescribedBy(control: Element, id: string, isDescribed: boolean): void {
  const ids = new Set((control.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean));
  if (isDescribed) ids.add(id);
  else ids.delete(id);
  if (ids.size === 0) control.removeAttribute('aria-describedby');
  else control.setAttribute('aria-describedby', [...ids].join(' '));
}

function clearProblems(form: HTMLFormElement): void {
  form.querySelector('.error-summary')?.remove();
  for (const message of form.querySelectorAll('.field-error')) {
    for (const control of form.querySelectorAll(`[aria-describedby~="${CSS.escape(message.id)}"]`))
      setDescribedBy(control, message.id, false);
    message.remove();
  }
  for (const control of form.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
}

/** The icon of an error, as FieldNotes.astro renders it. */
function errorIcon(): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const use = svg.appendChild(document.createElementNS(svg.namespaceURI ?? '', 'use'));
  use.setAttribute('href', `${ICONS}#circle-alert`);
  return svg;
}

function showProblem(control: HTMLElement, text: string): HTMLElement {
  const message = Object.assign(document.createElement('p'), {
    className: 'field-error',
    id: `${control.id}-error`,
  });
  message.append(errorIcon(), text);
  const isGroup = control instanceof HTMLFieldSetElement;
  for (const input of isGroup ? control.querySelectorAll('input, select') : [control])
    input.setAttribute('aria-invalid', 'true');
  setDescribedBy(control, message.id, true);
  if (isGroup) control.querySelector(':scope > div')?.before(message);
  else (control.closest('label') ?? control).before(message);
  return message;
}

const linkTo = (href: string, textContent: string): HTMLAnchorElement =>
  Object.assign(document.createElement('a'), { href, textContent });

function summaryOf(form: HTMLFormElement, title: string, problems: readonly Problem[]): HTMLElement {
  const summary = Object.assign(document.createElement('div'), { className: 'error-summary', tabIndex: -1 });
  summary.role = 'alert';
  const list = document.createElement('ul');
  for (const { field, text, link } of problems) {
    const item = list.appendChild(document.createElement('li'));
    item.append(linkTo(`#${field === undefined ? form.id : fieldId(form.id, field)}`, text));
    if (link) item.append(' ', Object.assign(linkTo(link.href, link.text), { target: '_blank' }));
  }
  summary.append(Object.assign(document.createElement('h2'), { textContent: title }));
  if (problems.length > 0) summary.append(list);
  return summary;
}

function showProblems(
  form: HTMLFormElement,
  { title, problems, inlineOnly }: Extract<FormAnswer, { problems: unknown }>,
): void {
  clearProblems(form);
  for (const { field, text } of problems) {
    const control = field === undefined ? null : document.getElementById(fieldId(form.id, field));
    if (!control || !form.contains(control)) continue;
    const message = showProblem(control, text);
    if (field !== inlineOnly) continue;
    // also announced where the field has the focus already
    message.role = 'alert';
    control.focus();
    return;
  }
  const summary = summaryOf(form, title, problems);
  const heading = form.querySelector(':scope > :is(h1, h2)');
  if (heading) heading.after(summary);
  else form.prepend(summary);
  summary.focus();
}

async function post(form: HTMLFormElement, submitter: HTMLElement | null): Promise<FormAnswer | number> {
  const response = await fetch(form.action, {
    method: 'POST',
    body: new FormData(form, submitter),
    headers: { Accept: 'application/json' },
    redirect: 'manual',
  }).catch(() => undefined);
  const isJson = response?.headers.get('content-type')?.startsWith('application/json');
  return response && isJson ? ((await response.json()) as FormAnswer) : (response?.status ?? 599);
}

/** Loads a page, this one too: an address with another fragment alone would only scroll to it. */
function goTo(to: string): void {
  const { pathname, search, hash } = new URL(to, location.href);
  const isHere = hash !== '' && pathname === location.pathname && search === location.search;
  location.assign(to);
  if (isHere) location.reload();
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  sending.add(form);
  const answer = await post(form, submitter);
  sending.delete(form);
  if (typeof answer === 'object' && 'to' in answer) return goTo(answer.to);
  endBusy();
  if (typeof answer === 'object' && 'problems' in answer) return showProblems(form, answer);
  if (typeof answer === 'number' && answer >= 500)
    return showProblems(form, { title: form.dataset['failed'] ?? '', problems: [] });
  native.add(form);
  form.requestSubmit(submitter);
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-form]') || event.defaultPrevented) return;
  // named buttons start another action, whose answer is a page
  const isOther = event.submitter instanceof HTMLButtonElement && event.submitter.name !== '';
  if (native.delete(form) || isOther) return;
  event.preventDefault();
  if (sending.has(form)) return;
  showBusy(form);
  void send(form, event.submitter);
}

const MASKED = 'input:is([data-mask], [data-mask-by])';

/** Punctuates a masked field while the person types. */
async function mask({ target }: { target: EventTarget | null }): Promise<void> {
  if (!(target instanceof HTMLInputElement) || !target.matches(MASKED)) return;
  (await import('./masked-inputs.ts')).maskInput(target);
}

/** Offers only days that the chosen month has. */
async function limitDate({ target }: { target: EventTarget | null }): Promise<void> {
  const selects = target instanceof Element ? target.closest<HTMLElement>('[data-date-selects]') : null;
  if (selects) (await import('./date-selects.ts')).limitDate(selects);
}

const COUNTRY = '[data-address] [name$=".country"]';

/** Shows the fields of the chosen country. */
async function changeCountry({ target }: { target: EventTarget | null }): Promise<void> {
  if (!(target instanceof HTMLSelectElement) || !target.matches(COUNTRY)) return;
  (await import('./address-fields.ts')).changeCountry(target);
}

document.addEventListener('submit', onSubmit);
document.addEventListener('focusin', (event) => void mask(event));
document.addEventListener('change', (event) => void changeCountry(event));
document.addEventListener('change', (event) => void limitDate(event));

// what was typed and chosen before this script was there, and the field whose focus loaded it
for (const target of document.querySelectorAll<HTMLInputElement>(MASKED))
  if (target === document.activeElement || target.value !== target.defaultValue) void mask({ target });
const isChanged = (select: HTMLSelectElement): boolean =>
  select.value !== (select.querySelector<HTMLOptionElement>('option[selected]')?.value ?? '');
for (const target of document.querySelectorAll<HTMLSelectElement>(`${COUNTRY}, [data-date-selects] select`))
  if (isChanged(target)) {
    void changeCountry({ target });
    void limitDate({ target });
  }
