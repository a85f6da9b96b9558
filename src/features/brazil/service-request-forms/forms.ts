import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { KINDS, type RequestKind } from './kinds.ts';

export type RequestType = keyof typeof KINDS;

export const REQUEST_TYPES = Object.keys(KINDS) as [RequestType, ...RequestType[]];

/** What is particular about a kind. */
export const kindOf = (type: RequestType): RequestKind => KINDS[type];

/** The question about whom a request is, where it asks one. */
export const EMPLOYEE_PATH = 'request.employee';

/** Whether requests of a kind can be sent in two steps. */
export const hasMinimum = (type: RequestType): boolean => kindOf(type).minimum !== undefined;

/** The part of a form that is sent first; of a kind that is sent at once, the whole form. */
export const minimumOf = <Form extends Pick<TemplateInput, 'sections'>>(
  type: RequestType,
  form: Form,
): Form => {
  const { minimum } = kindOf(type);
  return { ...form, sections: form.sections.filter(({ key }) => minimum === undefined || key === minimum) };
};
