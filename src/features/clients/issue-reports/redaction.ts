/*
 * What is sent with a report of a problem says nothing personal: the page strikes it out before it shows the lines, and the
 * server does so again before it stores them.
 */

const STRUCK = '‹…›';

/** Addresses, tokens, hexadecimal and other long ids, numbers of four digits and more, and amounts of money. */
const PATTERNS = [
  /\S+@\S+/g,
  /\b[a-z]+_[0-9a-f]{8,}\b/gi,
  /\b[0-9a-f]{16,}\b/gi,
  /\b[\w-]{24,}\b/g,
  /(?:[$€£]|R\$)\s?\d[\d.,]*/g,
  /(?:\d[.\-/ ]?){3,}\d/g,
];

/** A place in a script of the build, which says nothing about anybody. */
const PLACE = /^\w+ \/_astro\/[\w.-]+\.js:\d+:\d+$/;

/** Strikes out what may be personal, and the given names: of the reader, their client and firm. */
export function redact(line: string, names: readonly string[] = []): string {
  if (PLACE.test(line)) return line;
  const named = names.filter((name) => name.trim().length > 2).toSorted((a, b) => b.length - a.length);
  const withoutNames = named.reduce((text, name) => text.replaceAll(name, STRUCK), line);
  return PATTERNS.reduce((text, pattern) => text.replace(pattern, STRUCK), withoutNames);
}
