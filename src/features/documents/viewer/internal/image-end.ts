/*
 * Whether a JPEG or a PNG has its end: an upload that broke off does not, and is shown as far as it goes. The bytes
 * after the end do not matter, since phones add some.
 */

const END_OF_IMAGE = 0xd9;

/** Tells whether an image ends early; false for other types and for what is no image. */
export function endsEarly(bytes: Buffer): boolean {
  if (bytes.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff))) return !hasJpegEnd(bytes);
  if (bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return !hasPngEnd(bytes);
  return false;
}

/** Follows the segments of a JPEG, which name their length, and the data of its scans, in which FF is followed by 0. */
function hasJpegEnd(bytes: Buffer): boolean {
  let at = 2;
  while (at + 1 < bytes.length) {
    at = bytes.indexOf(0xff, at);
    if (at === -1) return false;
    const marker = bytes[at + 1] ?? 0;
    if (marker === END_OF_IMAGE) return true;
    const isAlone = marker === 0xff || marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd7);
    if (isAlone) at += marker === 0xff ? 1 : 2;
    else if (at + 4 > bytes.length) return false;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return false;
}

/** Follows the chunks of a PNG, which name their length. */
function hasPngEnd(bytes: Buffer): boolean {
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true;
  return false;
}
