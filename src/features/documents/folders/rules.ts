/** Returns the last extension, lower-case with its dot, or '' if there is none. */
export function extensionOf(name: string): string {
  return name.slice(dotOf(name)).toLowerCase();
}

/**
 * Tells whether every computer can store this name and everybody reads it as it is. A Mac sends decomposed
 * accents: check, and store, the NFC form.
 */
export function nameIsAcceptable(name: string): boolean {
  const composed = name.normalize();
  return (
    composed !== '' &&
    bytesOf(composed) <= MAX_NAME_BYTES &&
    !UNACCEPTABLE.test(composed) &&
    !RESERVED.test(composed)
  );
}

/**
 * Returns the name under which a file with this one can be stored, as close to it as possible: files come from phones,
 * scanners and Macs, whose names other computers cannot have. An acceptable name stays as it is, in its NFC form.
 * `Holerite 11:2026.pdf` becomes `Holerite 11-2026.pdf`.
 */
export function repairedName(name: string): string {
  const composed = name.normalize();
  if (nameIsAcceptable(composed)) return composed;
  const plain = withoutFolders(composed)
    .replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(/[/\\:|*]/g, '-')
    .replaceAll('"', "'")
    .replaceAll('<', '(')
    .replaceAll('>', ')')
    .replaceAll(NOWHERE, '')
    .replaceAll(/^[.\s]+(?=[.\s])|[.\s]+$/g, '');
  const extension = /^\.\w+$/.test(plain) ? plain : plain.slice(dotOf(plain));
  const stem = plain.slice(0, plain.length - extension.length).replaceAll(/^[.\s]+|\s+$/g, '') || 'file';
  const safe = RESERVED.test(stem) ? `_${stem}` : stem;
  const repaired = fitting(safe, extension).replace(/\s+(?=\.[^.]*$)/, '');
  return nameIsAcceptable(repaired) ? repaired : 'file';
}

/** Old browsers send the folders of the person's computer, too. */
const withoutFolders = (name: string): string =>
  /^(?:[a-z]:[\\/]|[\\/]|\.{1,2}[\\/])/i.test(name) ? (/[^\\/]*$/.exec(name)?.[0] ?? '') : name;

/**
 * Returns the name for the second attempt after a conflict: ' (1)' before the extension, or a single digit
 * there plus one (spec 1, section 4).
 */
export function numberedName(name: string): string {
  return numbered(name, /\((\d)\)$/)(1);
}

/**
 * Returns `name` itself, or with the first free number. '(2025)' is a year, not a number: it stays and is
 * followed by the number.
 */
export function freeName(name: string, taken: (candidate: string) => boolean): string {
  const next = numbered(name, /\(([1-9]\d{0,2})\)$/);
  let candidate = name;
  for (let step = 1; taken(candidate); step += 1) candidate = next(step);
  return candidate;
}

const MAX_NAME_BYTES = 255;

// Characters that nobody sees, and the question mark, which says nothing in a name.
const NOWHERE =
  /[\p{Cc}\p{Cs}?\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/gu;

// Control characters, lone surrogates, line separators, path and shell characters, bidirectional and
// invisible characters; dots and spaces at either end. Joiners (U+200C, U+200D) are allowed: Persian and
// emoji need them.
const UNACCEPTABLE =
  /[\p{Cc}\p{Cs}/\\:*?"<>|\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|^[.\s]|[.\s]$/u;

// Windows opens a device for these, whatever the extension.
const RESERVED = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

function dotOf(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? dot : name.length;
}

function bytesOf(name: string): number {
  return new TextEncoder().encode(name.normalize()).length;
}

function numbered(name: string, counter: RegExp): (step: number) => string {
  const stem = name.slice(0, dotOf(name));
  const [found, digits] = counter.exec(stem) ?? [];
  const base = found ? stem.slice(0, -found.length) : stem;
  return (step) =>
    fitting(base, `${found ? '' : ' '}(${Number(digits ?? 0) + step})${name.slice(stem.length)}`);
}

function fitting(base: string, ending: string): string {
  const letters = [...new Intl.Segmenter().segment(base)].map(({ segment }) => segment);
  while (letters.length > 0 && bytesOf(letters.join('') + ending) > MAX_NAME_BYTES) letters.pop();
  return letters.join('') + ending;
}
