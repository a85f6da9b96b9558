import { dayOf } from '../text/time-zones.ts';

/** The name of an archive of documents made at an instant, by the day in a firm's zone. */
export const archiveNameOn = (instant: number, timeZone: string): string =>
  `documents-${dayOf(instant, timeZone)}.zip`;

/**
 * File names for an archive, in the given order: safe to extract on Windows, macOS and Linux, at most 200
 * bytes of UTF-8 each, NFC, and unique even on case-insensitive file systems (threat-model.md T63). The
 * second `a.pdf` becomes `a (1).pdf`.
 */
export function archiveNames(names: readonly string[]): string[] {
  const copies = new Map<string, number>();
  return names.map((name) => firstFree(safeName(name), copies));
}

/** The same for one file, with a mark before its extension that no other one has, such as an id. */
export const markedName = (name: string, mark: string): string => fitted(safeName(name), ` (${mark})`);

const MAX_BYTES = 200;

/**
 * Names reserved for devices on Windows, with any extension (Microsoft, Naming Files, Paths, and Namespaces).
 */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i;

function safeName(name: string): string {
  const visible = name.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '');
  const plain = trimmed(visible.replace(/[\\/:*?"<>|]/g, '_').normalize('NFC'));
  const short = fitted(plain) || 'file';
  return DEVICE.test(short) ? fitted(`_${short}`) : short; // last: truncation may leave just a device name
}

const trimmed = (name: string): string => name.replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '');

/** The name with `mark` before its extension, truncated before the mark when it is too long. */
function fitted(name: string, mark = ''): string {
  const extension = /(?<=.)\.[^\s.]{1,20}$/u.exec(name)?.[0] ?? '';
  const ending = mark + extension;
  return trimmed(
    cut(name.slice(0, name.length - extension.length), MAX_BYTES - utf8.encode(ending).length) + ending,
  );
}

const utf8 = new TextEncoder();

/** Truncates the text to whole code points that fit in `bytes` of UTF-8. */
const cut = (text: string, bytes: number): string =>
  text.slice(0, utf8.encodeInto(text, new Uint8Array(bytes)).read);

/**
 * The name, or its first numbered variant that is free. `copies` maps each name in use to the last number
 * tried.
 */
function firstFree(name: string, copies: Map<string, number>): string {
  let copy = copies.get(caseless(name)) ?? 0;
  let free = name;
  while (copies.has(caseless(free))) free = fitted(name, ` (${++copy})`);
  copies.set(caseless(free), 0);
  copies.set(caseless(name), copy);
  return free;
}

/** Case-folds a name. Converts both ways, because ẞ matches ß and SS only that way. */
const caseless = (name: string): string => name.toLowerCase().toUpperCase().normalize('NFC');
