import { isMasked, readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import type { ControlValues } from '#features/tasks/questionnaires/editor.ts';
import type { AnswerValue, PlainValue, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { nonePath, typedAnswer, type TypedQuestion } from '#features/tasks/questionnaires/typed-answers.ts';
import type { Lang } from '#platform/text/languages.ts';

/* The controls of the form of a step, and the questions that they belong to. */

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isControl = (element: Element): element is Control =>
  element.matches('input[name]:not([type=hidden], [type=file]), select[name], textarea[name]');
const isTick = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type);

/** The question that a control belongs to: its own, or the one that it is a part of, such as the year of a date. */
export function pathOfControl(template: Template, name: string): string | undefined {
  const path = name.replace(/^files:/, '').replace(/#(none|entry)$/, '');
  const whole = path.slice(0, path.lastIndexOf('.'));
  return [path, whole].find((each) => questionAt(template, each) !== undefined);
}

/** The controls with these names, and what they contain. */
export function controlsOf(form: HTMLFormElement, isWanted: (name: string) => boolean): ControlValues {
  const found = new Map<string, string[]>();
  for (const control of form.elements) {
    if (!isControl(control) || !isWanted(control.name)) continue;
    const values = found.get(control.name) ?? [];
    if (!isTick(control) || control.checked) values.push(control.value);
    found.set(control.name, values);
  }
  return [...found];
}

/** The controls that no longer contain what the page was sent with. */
export function changedControls(form: HTMLFormElement): ControlValues {
  const changed = new Set(
    [...form.elements]
      .filter(isControl)
      .filter(isChanged)
      .map(({ name }) => name),
  );
  return controlsOf(form, (name) => changed.has(name));
}

function isChanged(control: Control): boolean {
  if (isTick(control)) return control.checked !== control.defaultChecked;
  if (!(control instanceof HTMLSelectElement)) return control.value !== control.defaultValue;
  const first = [...control.options].findIndex(({ defaultSelected }) => defaultSelected);
  return control.selectedIndex !== Math.max(first, 0);
}

/** Puts back what controls contained, except in those in which somebody has typed since the page was sent. */
export function fillControls(form: HTMLFormElement, typed: ControlValues): void {
  const changed = new Set(changedControls(form).map(([name]) => name));
  writeControls(
    form,
    typed.filter(([name]) => !changed.has(name)),
  );
}

/** Replaces what controls contain. */
function writeControls(form: HTMLFormElement, contents: ControlValues): void {
  const values = new Map(contents);
  for (const control of form.elements) {
    const wanted = isControl(control) ? values.get(control.name) : undefined;
    if (!wanted || !isControl(control)) continue;
    if (isTick(control)) control.checked = wanted.includes(control.value);
    else control.value = wanted[0] ?? '';
  }
}

/** Replaces what the controls of a question contain. Those of an address depend on its country. */
export async function fillQuestion(
  form: HTMLFormElement,
  path: string,
  contents: ControlValues,
): Promise<void> {
  const name = `${path}.country`;
  const country = form.elements.namedItem(name);
  const [wanted] = new Map(contents).get(name) ?? [];
  if (country instanceof HTMLSelectElement && wanted !== undefined && country.value !== wanted) {
    country.value = wanted;
    const { changeCountry } = await import('#ui/form/address-fields.ts');
    changeCountry(country);
  }
  writeControls(form, contents);
}

/**
 * The answer that the form contains; undefined if there is nothing to save: a masked number that was not changed, or what
 * can be no answer.
 */
export function readControls(
  path: string,
  question: TypedQuestion,
  { form, lang, country }: { form: HTMLFormElement; lang: Lang; country: string },
): AnswerValue | null | undefined {
  const data = new FormData(form);
  const text = data.get(path);
  if (isMasked(question) && typeof text === 'string' && text.includes('•')) return undefined;
  const { value } = typedAnswer(path, question, { form: data, lang, country });
  return value === null && data.has(nonePath(path)) ? { none: true } : value;
}

/** The value that controls with these contents have; undefined if there is none. */
export function valueIn(
  contents: ControlValues,
  path: string,
  question: TypedQuestion,
  reader: { lang: Lang; country: string },
): PlainValue | undefined {
  const data = new FormData();
  for (const [name, values] of contents) for (const value of values) data.append(name, value);
  const reading = readAnswer(question, typedAnswer(path, question, { form: data, ...reader }).value);
  return reading.state === 'value' ? reading.value : undefined;
}
