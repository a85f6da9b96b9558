/** One block of terms as they are shown: a heading of two sizes, a paragraph, or the items of a list. */
export type TermsBlock =
  { kind: 'heading' | 'subheading' | 'paragraph'; text: string } | { kind: 'list'; items: string[] };

/**
 * The blocks of a plain text: a line that begins with # or ## is a heading, with - or * an item of a list; an
 * empty line ends a paragraph.
 */
export function termsBlocks(text: string): TermsBlock[] {
  const blocks: TermsBlock[] = [];
  let open = false;
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [, marks = '', rest = ''] = /^(##?|[-*])\s+(.*)$/.exec(line) ?? [];
    const last = open ? blocks.at(-1) : undefined;
    open = line !== '' && !marks.startsWith('#');
    if (marks.startsWith('#')) blocks.push({ kind: marks === '#' ? 'heading' : 'subheading', text: rest });
    else if (marks !== '' && last?.kind === 'list') last.items.push(rest);
    else if (marks !== '') blocks.push({ kind: 'list', items: [rest] });
    else if (line !== '' && last?.kind === 'list') last.items.push(`${last.items.pop() ?? ''} ${line}`);
    else if (line !== '' && last?.kind === 'paragraph') last.text += `\n${line}`;
    else if (line !== '') blocks.push({ kind: 'paragraph', text: line });
  }
  return blocks;
}

/** A cell of a CSV file: quoted, and never a formula of the program that opens it. */
export const csvCell = (value: string): string =>
  `"${/^[=+\-@\t\r＝＋－＠]/.test(value) ? "'" : ''}${value.replaceAll('"', '""')}"`;
