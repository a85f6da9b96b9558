import type { Answers, PlainValue, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { isGroup, visibleSections, type VisibleQuestion } from '#features/tasks/questionnaires/rules.ts';
import { codeOf } from '#features/brazil/service-request-forms/codes.ts';

/* What was answered, for the rules: only what applies and is valid. */

export interface Given {
  at: (path: string) => PlainValue | undefined;
  /** The rows of a group, each with its path. */
  rows: (path: string) => { path: string; at: (key: string) => PlainValue | undefined }[];
}

/** The valid answers to the questions that apply. */
export function givenIn(form: Template, answers: Answers): Given {
  const items = visibleSections(form, answers).flatMap((section) => section.items);
  const single = new Map(items.flatMap((item) => (isGroup(item) ? [] : [[item.path, item] as const])));
  return {
    at: (path) => valueOf(single.get(path)),
    rows: (path) =>
      (items.filter(isGroup).find((group) => group.path === path)?.rows ?? []).map(({ id, questions }) => ({
        path: `${path}.${id}`,
        at: (key) => valueOf(questions.find(({ question }) => question.key === key)),
      })),
  };
}

const valueOf = (visible: VisibleQuestion | undefined): PlainValue | undefined =>
  visible?.reading.state === 'value' ? visible.reading.value : undefined;

/* The values as rules take them: undefined for what was not answered. */

export const textOf = (value: PlainValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const numberOf = (value: PlainValue | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;
export const centsOf = (value: PlainValue | undefined): number | undefined =>
  typeof value === 'object' && 'minor' in value ? value.minor : undefined;
export const minutesOf = (value: PlainValue | undefined): number | undefined =>
  typeof value === 'object' && 'minutes' in value ? value.minutes : undefined;
export const keyOfEntry = (value: PlainValue | undefined): string | undefined =>
  typeof value === 'object' && 'key' in value ? value.key : undefined;
export const textOfEntry = (value: PlainValue | undefined): string | undefined =>
  typeof value === 'object' && 'key' in value ? value.text : undefined;
/** The code of a choice; undefined if none was made. */
export const chosenCode = (value: PlainValue | undefined): string | undefined =>
  typeof value === 'string' ? codeOf(value) : undefined;
