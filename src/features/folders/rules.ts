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
  const characters = [...base];
  while (characters.length > 0 && bytesOf(characters.join('') + ending) > MAX_NAME_BYTES) characters.pop();
  return characters.join('') + ending;
}
