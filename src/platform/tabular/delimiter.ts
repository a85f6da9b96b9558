export const DELIMITERS = [';', ',', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Detects the delimiter: the most frequent one in the first lines outside quotes, by default the comma. */
export function delimiterOf(text: string): Delimiter {
  const plain = text
    .slice(0, 20_000)
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(/\r?\n/)
    .slice(0, 20)
    .join('\n');
  const [header = ''] = plain.trimStart().split('\n', 1);
  // a bar is common in texts, too: only one in the header separates
  const possible = DELIMITERS.filter((delimiter) => delimiter !== '|' || header.includes('|'));
  const counts = possible.map((delimiter) => ({ delimiter, times: plain.split(delimiter).length - 1 }));
  return counts.toSorted((a, b) => b.times - a.times).find(({ times }) => times > 0)?.delimiter ?? ',';
}
