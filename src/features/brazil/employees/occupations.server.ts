import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '#platform/runtime/root.server.ts';

/*
 * The occupations of Brazil by their codes (occupations.txt: CBO 2002 of the Ministry of Labor, in the edition of 2023 with
 * 2,713 occupations, by way of the project cbo of GravetoGeek). Titles are in Portuguese, as in the law.
 */

let known: ReadonlyMap<string, string> | undefined;

/** The occupations by their codes of six digits, read when one is first asked for. */
function occupations(): ReadonlyMap<string, string> {
  known ??= new Map(
    fs
      .readFileSync(path.join(ROOT, 'src/features/brazil/employees/occupations.txt'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, 6), line.slice(7)]),
  );
  return known;
}

/** The title of an occupation; empty for a code that none has. */
const occupationTitle = (code: string): string => occupations().get(code) ?? '';

/** A code as it is printed: `8483-05`. */
const printedCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** An occupation as people read it: `8483-05 Padeiro`; the code alone if nothing has it. */
export const occupationText = (code: string): string =>
  `${printedCode(code)} ${occupationTitle(code)}`.trim();

let entries: readonly { key: string; text: string }[] | undefined;

/** The occupations as entries of a list, by code. */
export const occupationEntries = (): readonly { key: string; text: string }[] =>
  (entries ??= [...occupations()].map(([key, title]) => ({ key, text: `${title} (${printedCode(key)})` })));
