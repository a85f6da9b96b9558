/*
 * Whether a content stream leaves the graphics state as it found it. Many do not, and what is drawn after them would be
 * moved, clipped or, in some readers, not drawn at all.
 */

export interface Balance {
  /** States that it restores without having saved them. */
  extraRestores: number;
  /** States that it saves and does not restore. */
  openSaves: number;
  /** A text object is not ended. */
  isTextOpen: boolean;
}

const [SPACE, PERCENT, OPEN, CLOSE, LESS, GREATER, BACKSLASH] = [0x20, 0x25, 0x28, 0x29, 0x3c, 0x3e, 0x5c];
const DELIMITERS = new Set([...'()<>[]{}/%'].map((each) => each.charCodeAt(0)));
const isSpace = (byte: number | undefined): boolean => byte === undefined || byte <= SPACE;

/** Counts the operators that save and restore the graphics state in content, not those in strings and images. */
export function balanceOf(content: Uint8Array): Balance {
  let [depth, lowest, isTextOpen] = [0, 0, false];
  for (const operator of operatorsIn(content)) {
    if (operator === 'q') depth += 1;
    else if (operator === 'Q') {
      depth -= 1;
      lowest = Math.min(lowest, depth);
    } else if (operator === 'BT') isTextOpen = true;
    else if (operator === 'ET') isTextOpen = false;
  }
  return { extraRestores: -lowest, openSaves: depth - lowest, isTextOpen };
}

function* operatorsIn(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at];
    if (byte === PERCENT) at = lineEnd(bytes, at);
    else if (byte === OPEN) at = stringEnd(bytes, at);
    else if (byte === LESS && bytes[at + 1] !== LESS) at = indexAfter(bytes, at, GREATER);
    else if (isSpace(byte) || DELIMITERS.has(byte ?? 0)) at += byte === 0x2f ? nameLength(bytes, at) : 1;
    else {
      const length = wordLength(bytes, at);
      const word = length <= 3 ? String.fromCharCode(...bytes.subarray(at, at + length)) : '';
      at += length;
      if (word === 'ID') at = imageEnd(bytes, at);
      if (word !== '') yield word;
    }
  }
}

function wordLength(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && !isSpace(bytes[at]) && !DELIMITERS.has(bytes[at] ?? 0)) at += 1;
  return at - from;
}

/** The length of a name with its slash, which may be all there is. */
const nameLength = (bytes: Uint8Array, from: number): number =>
  isSpace(bytes[from + 1]) || DELIMITERS.has(bytes[from + 1] ?? 0) ? 1 : 1 + wordLength(bytes, from + 1);

function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
  return at;
}

function stringEnd(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === OPEN) depth += 1;
    else if (bytes[at] === CLOSE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return bytes.length;
}

function indexAfter(bytes: Uint8Array, from: number, byte: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at + 1;
}

/** Where the data of an inline image ends, before its closing operator. */
function imageEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x45, from); at !== -1; at = bytes.indexOf(0x45, at + 1))
    if (bytes[at + 1] === 0x49 && isSpace(bytes[at - 1]) && isSpace(bytes[at + 2])) return at;
  return bytes.length;
}
