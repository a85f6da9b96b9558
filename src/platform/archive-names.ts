/**
 * The names under which files go into an archive, in the order given: safe to extract on Windows, macOS and Linux, at most 200 bytes
 * of UTF-8 each, NFC, and different from each other even where case does not count (security.md T63). The second `a.pdf` becomes
 * `a (1).pdf`.
 */
export function archiveNames(names: readonly string[]): string[] {
  const copies = new Map<string, number>();
  return names.map((name) => firstFree(safeName(name), copies));
}

const MOST_BYTES = 200;

/** What Windows takes for a device, whatever follows the dot (Microsoft, Naming Files, Paths, and Namespaces). */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i;

function safeName(name: string): string {
  const visible = name.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '');
  const plain = trimmed(visible.replace(/[\\/:*?"<>|]/g, '_').normalize('NFC'));
  const short = fitted(plain) || 'file';
  return DEVICE.test(short) ? fitted(`_${short}`) : short; // last: cutting can leave nothing but the device
}

const trimmed = (name: string): string => name.replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '');

/** The name with `mark` before its extension; what is too long is cut from the part before the mark. */
function fitted(name: string, mark = ''): string {
  const extension = /(?<=.)\.[^\s.]{1,20}$/u.exec(name)?.[0] ?? '';
  const ending = mark + extension;
  return trimmed(cut(name.slice(0, name.length - extension.length), MOST_BYTES - utf8.encode(ending).length) + ending);
}

const utf8 = new TextEncoder();

/** As many whole code points of the text as fit in `bytes` of UTF-8. */
const cut = (text: string, bytes: number): string => text.slice(0, utf8.encodeInto(text, new Uint8Array(bytes)).read);

/** The name, or its first numbered copy that is free. `copies` holds every name taken and the last number tried for it. */
function firstFree(name: string, copies: Map<string, number>): string {
  let copy = copies.get(caseless(name)) ?? 0;
  let free = name;
  while (copies.has(caseless(free))) free = fitted(name, ` (${++copy})`);
  copies.set(caseless(free), 0);
  copies.set(caseless(name), copy);
  return free;
}

/** One key for all spellings that a file system may take for the same name: both ways, because ẞ only meets ß and SS that way. */
const caseless = (name: string): string => name.toLowerCase().toUpperCase().normalize('NFC');
