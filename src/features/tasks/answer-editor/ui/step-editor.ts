import type { ReactNode } from 'react';
import type { EditorSection } from '#features/tasks/questionnaires/editor.ts';
import type { SharedProblemWord, problemWords } from '#features/tasks/questionnaires/problem-messages.ts';
import type { FieldView, Problem } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Messages } from '#platform/text/messages.ts';
import type { EditorWord, FileWord, OwnerWord } from './editor-messages.ts';

export interface StepEditorProps {
  /** What asks, such as a task, by its id. */
  ownerId: string;
  /** The addresses that answers are saved at, and that files of the section are posted to. */
  calls: { answers: string; section: string };
  formId: string;
  lang: Lang;
  locale: string;
  action: string;
  /** The address of the page, for buttons that are its actions. */
  page: string;
  section: EditorSection;
  /** The path of the comment, and its field, where there is one. */
  comment?: { path: string; field: FieldView };
  /** The hidden fields of the form. */
  hidden: Readonly<Record<string, string>>;
  versions: Readonly<Record<string, number>>;
  submit: string;
  problemTitle: string;
  problems: readonly Problem[];
  isDisabled: boolean;
  /** Whether staff are viewing as the contact. */
  isViewing: boolean;
  /** What they are told when they type. */
  viewingText: string;
  /** The slots with the documents of questions, by their paths. */
  fileSlots: Readonly<Record<string, string>>;
  words: Messages<EditorWord>;
  ownerWords: Messages<OwnerWord>;
  problemWords: Messages<(typeof problemWords)[number]>;
  sharedWords: Messages<SharedProblemWord>;
  fileWords: Messages<FileWord>;
  [slot: `files${number}`]: ReactNode;
}
