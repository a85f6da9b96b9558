import type { FieldView } from '#platform/forms/forms.ts';

/** The field of a grid's filter form that is beside the menu *View*, which has the others. */
export const searchField = (fields: readonly FieldView[]): FieldView | undefined =>
  fields.find((field) => field.kind === 'text' && field.type === 'search');

/** The id of the form of a grid's search, which its other filters name as theirs. */
export const searchFormId = (filterId: string): string => `${filterId}-form`;
