import { nameIsAcceptable } from '#features/documents/folders/rules.ts';

/*
 * A template is an indented list, one folder per line: with more space before it than the line above, it is in that
 * folder. A hyphen before the name is ignored. `{year}` stands for the year to which it is applied.
 */

export type TemplateKind = 'any' | 'business' | 'individual';
export const TEMPLATE_KINDS = ['any', 'business', 'individual'] as const satisfies readonly TemplateKind[];

export interface FolderTemplate {
  id: string;
  name: string;
  clientKind: TemplateKind;
  folders: string;
}

const MAX_LINES = 200;
const MAX_LEVELS = 10;

/** A line of a template that cannot be read: a folder without one around it, or a name that is not acceptable. */
export interface LineProblem {
  line: number;
}

/** Returns the paths of all folders of a template for a year, parents first, or the first line that is wrong. */
export function pathsOf(folders: string, year: number): string[][] | LineProblem {
  const paths: string[][] = [];
  const open: { indent: number; path: string[] }[] = [];
  const lines = folders.split('\n');
  for (const [index, line] of lines.entries()) {
    const name = line
      .replace(/^[\s-]+/, '')
      .trim()
      .replaceAll('{year}', String(year))
      .normalize('NFC');
    if (name === '') continue;
    const indent = indentOf(line);
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const path = [...(open.at(-1)?.path ?? []), name];
    if (!nameIsAcceptable(name) || path.length > MAX_LEVELS || paths.length === MAX_LINES)
      return { line: index + 1 };
    open.push({ indent, path });
    paths.push(path);
  }
  return paths;
}

/** The width of the space before a name: a tab counts as two. */
const indentOf = (line: string): number => (/^\s*/.exec(line)?.[0] ?? '').replaceAll('\t', '  ').length;
