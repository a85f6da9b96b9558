import type { Mask } from '../inputs/masks.ts';

/** A form as plain data, which pages render and islands get as props. */

export interface Choice {
  value: string;
  text: string;
  hint?: string;
  /** The language of the text, where it is not that of the page (BCP 47). */
  lang?: string;
}

interface BaseField {
  /** For a field that chooses clients: what the button that removes one is called, with `#` for the name. */
  removeChosen?: string;
  name: string;
  label: string;
  hint?: string | undefined;
  /** The text that marks an optional field. */
  optional?: string | undefined;
  /** The error message. */
  problem?: string | undefined;
  /** A part of an address that its country does not have. */
  isHidden?: true;
}

/** A field with its value. Passwords and files are never rendered with one. */
export type FieldView = BaseField &
  (
    | ({ kind: 'text'; value: string } & TextAttributes)
    | {
        kind: 'password';
        value: '';
        autocomplete: 'current-password' | 'new-password';
        maxlength?: number;
        show: string;
      }
    | { kind: 'textarea'; value: string; rows: number; maxlength?: number }
    | {
        kind: 'select' | 'choices';
        value: string;
        choices: readonly Choice[];
        autocomplete?: string;
        look?: 'cards';
      }
    | {
        kind: 'checkboxes';
        value: readonly string[];
        choices: readonly Choice[];
        look?: 'cards';
        skip?: Skip;
      }
    | { kind: 'checkbox'; value: boolean }
    | { kind: 'date'; value: string; min?: string; max?: string }
    | { kind: 'date-selects'; value: string; selects: readonly DateSelect[]; min: string; max: string }
    | { kind: 'hidden'; value: string; isTimeZone?: true }
    | {
        kind: 'address';
        value: '';
        parts: readonly FieldView[];
        /** The labels of the parts in all countries, by key. */
        labels: Record<string, string>;
        /** The button that shows the fields of the chosen country, for browsers without scripts. */
        update: string;
      }
    | {
        kind: 'file';
        value: '';
        accept?: string;
        multiple?: boolean;
        /** What to do, shown until something is chosen, and what follows where files can be dropped. */
        choose: string;
        drop: string;
      }
    /** Text between the fields. */
    | { kind: 'note'; value: '' }
    /** A place for what the page shows itself, such as the documents of a question. */
    | { kind: 'slot'; value: '' }
    | {
        kind: 'group';
        value: '';
        rows: readonly (readonly FieldView[])[];
        /** What each row is called; by default the label of the group with its number. */
        rowLabels?: readonly string[];
        /** The rows that cannot be removed; one by default. */
        min?: number;
        max: number;
        add: string;
        remove: string;
        skip?: Skip;
      }
  );

/** The link past a long list, since the Tab key stops at each of its controls. */
type Skip = string;

export interface TextAttributes {
  type?: 'color' | 'email' | 'search' | 'tel' | 'time' | 'url';
  inputmode?: 'decimal' | 'email' | 'numeric' | 'url';
  autocomplete?: string;
  maxlength?: number;
  /** Values that the browser suggests while typing. */
  suggestions?: readonly string[];
  /** The address that has suggestions for what is typed. */
  lookup?: string;
  mask?: Mask;
  /** The currency or unit, before the value. */
  unit?: string;
  /** The select of the same row, or form, whose value is the name of the mask. */
  maskBy?: string;
}

/** The day, month or year of a date. */
export interface DateSelect {
  part: 'day' | 'month' | 'year';
  label: string;
  value: string;
  choices: readonly Choice[];
}

/** An error message for a field, or for the whole form. */
export interface Problem {
  field?: string;
  text: string;
  /** A page that resolves it. It opens in a new tab, so that nothing entered is lost. */
  link?: { href: string; text: string };
}

export interface FormView {
  id: string;
  title: string;
  /** The heading of the error summary. */
  problemTitle: string;
  submit: string;
  /** Shown while the form is being submitted. */
  busy: string;
  /** Shown when the server failed. */
  failed: string;
  fields: readonly FieldView[];
  problems: readonly Problem[];
  /** The field of the only error of a short form, which is shown beside it and in no summary. */
  inlineOnly?: string | undefined;
  /** Only for forms with drafts. */
  draft?: DraftView | undefined;
  /** The name of the field that has the focus at first: of a row that was added, or now in the place of another. */
  focus?: string;
}

/** The draft of a form: the version that the page shows, and its texts. */
export interface DraftView {
  version: number;
  save: string;
  saved: string;
  /** The text that a draft was restored; `discard` is the button that removes it. */
  restored?: string;
  discard?: string;
}

/** The JSON answer of a form's page: where to go, the errors, or the version of the saved draft. */
export type FormAnswer =
  | { to: string }
  | ({ title: string; problems: readonly Problem[] } & Pick<FormView, 'inlineOnly'>)
  | { version: number };

/** The id of a field's control. */
export const fieldId = (formId: string, field: string): string => `${formId}-${field}`;

/** The name of a field in a row of a repeating group. */
export const rowField = (group: string, index: number, field: string): string =>
  `${group}[${index}].${field}`;
