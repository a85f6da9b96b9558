import type { FileProblem } from '#platform/tabular/tabular.ts';

const TEXTS = {
  NOT_A_TABLE: 'file_NOT_A_TABLE',
  NO_SUCH_SHEET: 'file_NO_SUCH_SHEET',
  NONE: 'file_NONE',
  EMPTY: 'file_EMPTY',
  DAMAGED: 'file_DAMAGED',
  TOO_LARGE: 'file_TOO_LARGE',
  TOO_MANY_ROWS: 'file_TOO_MANY_ROWS',
  TOO_MANY_COLUMNS: 'file_TOO_MANY_COLUMNS',
  QUOTES: 'file_QUOTES',
} as const satisfies Record<FileProblem | 'NONE', string>;

/** The message for a file that was refused, by the details of the refusal; without any it was one too many. */
export function fileProblemText(details: Readonly<Record<string, unknown>>) {
  const problem = Object.keys(TEXTS).find((code): code is keyof typeof TEXTS => code === details['file']);
  const key = problem === undefined ? ('file_TOO_MANY' as const) : TEXTS[problem];
  return { key, vars: { line: Number(details['line'] ?? 0) } };
}

/** The key of such a message, which came back with a flash message. */
export const fileProblemKey = (key: string): (typeof TEXTS)[keyof typeof TEXTS] | 'file_TOO_MANY' =>
  Object.values(TEXTS).find((known) => known === key) ?? 'file_TOO_MANY';
