const DELIMITERS = [';', ',', '\t'] as const;

/** The delimiter that stands most often in the first lines outside quotes; the comma where none does. */
export function delimiterOf(text: string): (typeof DELIMITERS)[number] {
  const plain = text.slice(0, 20_000).replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r?\n/).slice(0, 20).join('\n');
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, times: plain.split(delimiter).length - 1 }));
  return counts.toSorted((a, b) => b.times - a.times).find(({ times }) => times > 0)?.delimiter ?? ',';
}

/**
 * The first `most` rows of delimited text as RFC 4180 writes it: a quoted field may hold the delimiter, line ends and doubled quotes.
 * A quote in the middle of a field is a quote, and one that never ends is closed by the end of the text.
 */
export function readTable(text: string, { delimiter, most }: { delimiter: string; most: number }): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  const field = new RegExp(`"([^"]*(?:""[^"]*)*)(?:"|$)([^${delimiter}\\r\\n]*)|([^${delimiter}\\r\\n]*)`, 'y');
  let row: string[] = [];
  let at = 0;
  while (at < text.length || row.length > 0) {
    field.lastIndex = at;
    const [all = '', quoted, tail = '', bare = ''] = field.exec(text) ?? [];
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"') + tail);
    at += all.length;
    if (text[at] === delimiter) {
      at += 1;
      continue;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    if (rows.length === most) return { rows, isCut: at < text.length };
  }
  return { rows, isCut: false };
}
