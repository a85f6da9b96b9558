/**
 * Decodes text: UTF-16 and UTF-8 by their byte order marks or, for UTF-16, by its zero bytes; valid UTF-8,
 * else Windows-1252, or Mac OS Roman where accents would be punctuation within words. The last character may be truncated.
 */
export function decodeText(bytes: Uint8Array): string {
  const utf16 = utf16Of(bytes);
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder(isMacRoman(bytes) ? 'macintosh' : 'windows-1252').decode(bytes); // every byte is valid
  }
}

/**
 * In Mac OS Roman accented letters are the bytes 80 to 9F, which are punctuation in Windows-1252, whose letters begin at
 * C0. Only bytes after a letter and before one count: `C\x97digo`. 92 is the apostrophe of Windows.
 */
function isMacRoman(bytes: Uint8Array): boolean {
  const isLetter = (byte = 0): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;
  let [mac, windows] = [0, 0];
  for (const [index, byte] of bytes.entries()) {
    if (byte < 0x80 || !isLetter(bytes[index - 1]) || !isLetter(bytes[index + 1])) continue;
    if (byte >= 0xc0) windows += 1;
    else if (byte <= 0x9f && byte !== 0x92) mac += 1;
  }
  return mac > windows;
}

/** How many first bytes are examined for zeros. */
const EXAMINED = 1000;

/** Western text in UTF-16 has a zero in nearly every second byte, and nowhere else. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const examined = bytes.subarray(0, EXAMINED);
  const zeros = [0, 0];
  for (const [index, byte] of examined.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > examined.length / 3 && even === 0) return 'utf-16le';
  if (even > examined.length / 3 && odd === 0) return 'utf-16be';
  return undefined;
}
