const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes as base32 (RFC 4648) without padding: eight letters for each five bytes. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += LETTERS[(held >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + LETTERS[(held << (5 - bits)) & 31] : text;
}

/** Splits text into groups of four, as people copy it. */
export const inGroups = (text: string): string => text.replace(/(.{4})(?=.)/g, '$1 ');
