import { decodeText } from '#platform/tabular/decode-text.server.ts';

interface Decoded {
  text: string;
  /** Whether the file declares another encoding than it has. */
  isWronglyDeclared: boolean;
}

const DECLARATION = /^[\s\uFEFF]*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;
/** What programs write for UTF-8 and its part ASCII. */
const UTF8 = new Set(['utf-8', 'unicode-1-1-utf-8', 'us-ascii', 'ascii']);

/**
 * Decodes XML by what it is, then by what it declares: many programs declare UTF-8 and write Windows-1252, and the other
 * way round. Blanks before the declaration and zero bytes after the end, which some devices write, are removed.
 */
export function decodeXml(bytes: Uint8Array): Decoded {
  const beginning = new TextDecoder('windows-1252').decode(bytes.subarray(0, 400)).replace(/^ï»¿/, '');
  const declared = DECLARATION.exec(beginning)?.[1]?.toLowerCase() ?? 'utf-8';
  const decoder = decoderFor(declared);
  const isUtf8 =
    UTF8.has(declared) || decoder?.encoding === 'utf-8' || decoder?.encoding.startsWith('utf-16');
  const valid = utf8Of(bytes);
  const hasLetters = valid !== undefined && /[^\0-\u007F]/.test(valid.replace(/^\uFEFF/, ''));
  if (isUtf8 || !decoder || hasLetters)
    return {
      text: trimmed(decodeText(bytes)),
      isWronglyDeclared: isUtf8 ? valid === undefined && !isUtf16(bytes) : hasLetters,
    };
  return {
    text: trimmed(isUtf16(bytes) ? decodeText(bytes) : decoder.decode(bytes)),
    isWronglyDeclared: false,
  };
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(UTF8.has(label) ? 'utf-8' : label);
  } catch {
    return undefined; // an unknown name: decoded by its bytes
  }
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // another encoding
  }
}

/** Tells whether the first characters are in UTF-16, with or without a mark. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;

const trimmed = (text: string): string => text.replace(/^[\s\uFEFF\0]+/, '').replace(/[\s\0\u001A]+$/, '');
