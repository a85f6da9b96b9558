import { PortalError } from '#platform/runtime/errors.server.ts';
import { loadSharp } from '#platform/storage/image-queue.server.ts';
import { MAX_IMAGE_BYTES } from './theme.ts';

/*
 * Uploaded images of a firm are always re-encoded: any other content of the file, such as a location or a
 * script, is removed (threat-model.md T69). Only the three types below reach the decoder.
 */

const STARTS: readonly (readonly [at: number, bytes: string])[][] = [
  [[0, '\x89PNG\r\n\x1a\n']],
  [[0, '\xff\xd8\xff']],
  [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
];
const MAX_PIXELS = 16_000_000;
const SIZES = { logo: { width: 960, height: 160 }, banner: { width: 2240, height: 240 } } as const;

/**
 * Re-encodes an image as a PNG (which mail programs can show too), no larger than needed. TYPE_NOT_ALLOWED
 * unless it is a PNG, JPEG or WebP; TOO_LARGE beyond 5 MB or 16 megapixels.
 */
export async function acceptImage(kind: keyof typeof SIZES, bytes: Buffer): Promise<Buffer> {
  if (bytes.length > MAX_IMAGE_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_IMAGE_BYTES });
  const head = bytes.subarray(0, 16).toString('latin1');
  if (!STARTS.some((start) => start.every(([at, expected]) => head.startsWith(expected, at))))
    throw new PortalError('TYPE_NOT_ALLOWED');
  try {
    const sharp = await loadSharp();
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    if (width * height > MAX_PIXELS) throw new PortalError('TOO_LARGE', { most: MAX_PIXELS });
    return await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false })
      .rotate()
      .resize({ ...SIZES[kind], fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 9, palette: false })
      .toBuffer();
  } catch (error) {
    if (error instanceof PortalError) throw error;
    // the decoder could not read it: a broken file, not worth an investigation
    throw new PortalError('TYPE_NOT_ALLOWED');
  }
}
