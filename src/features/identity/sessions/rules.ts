/** One block of the terms: a heading of two sizes, a paragraph, or the items of a list. */
export type TermsBlock =
  { kind: 'heading' | 'subheading' | 'paragraph'; text: string } | { kind: 'list'; items: string[] };

/**
 * Parses plain text into blocks: a line that begins with # or ## is a heading, with - or * an item of a list;
 * an empty line ends a paragraph.
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

/** Formats a cell of a CSV file: quoted, and never a formula for a spreadsheet. */
export const csvCell = (value: string): string =>
  `"${/^[=+\-@\t\r＝＋－＠]/.test(value) ? "'" : ''}${value.replaceAll('"', '""')}"`;
