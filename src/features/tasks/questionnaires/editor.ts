import type { FieldView } from '#platform/forms/forms.ts';
import type { Answers, Template } from './questionnaires.ts';

/* A section as its editor in the browser gets it. */

/** The fields of a question: its control, and what belongs to it, such as "I have none". */
interface EditorQuestion {
  kind: 'question';
  path: string;
  fields: readonly FieldView[];
}

interface EditorGroup {
  kind: 'group';
  path: string;
  label: string;
  hint?: string;
  /** What a row is called, with `{{number}}` for its number. */
  row: string;
  add: string;
  remove: string;
  min: number;
  max: number;
  /** The fields of the rows that there are, by the id of the row and the key of the question. */
  rows: Readonly<Record<string, Readonly<Record<string, readonly FieldView[]>>>>;
  /** Those of a new row, whose id is {@link BLANK_ROW}. */
  blank: Readonly<Record<string, readonly FieldView[]>>;
  /** The texts of the buttons that add the rows of last year, by the ids of the rows. */
  lastRows?: Readonly<Record<string, string>>;
  /** What is to be said about the group as a whole. */
  problem?: string;
  /** What is to be said about rows, by their ids. */
  rowNotes?: Readonly<Record<string, string>>;
  /** The rows that stay as they are. */
  acceptedRows?: readonly string[];
}

export type EditorItem = EditorQuestion | EditorGroup;

export interface EditorSection {
  key: string;
  /** The rules of the section without texts, after those of the questions that its conditions refer to. */
  template: Template;
  items: readonly EditorItem[];
  /** The answers that decide what is shown; sensitive ones are not among them. */
  answers: Answers;
  /** What the controls of questions contain with last year's answers, by the paths of those that may use them. */
  lastYear: Readonly<Record<string, ControlValues>>;
}

/** Controls with their values: none for a checkbox or radio button that is not checked. */
export type ControlValues = readonly (readonly [name: string, values: readonly string[]])[];

/** Stands for the id of a row in the fields of a new one. */
export const BLANK_ROW = '____________';

/** The fields of a new row. */
export const fieldsOfRow = (fields: readonly FieldView[], rowId: string): readonly FieldView[] =>
  JSON.parse(JSON.stringify(fields).replaceAll(BLANK_ROW, rowId)) as readonly FieldView[];
