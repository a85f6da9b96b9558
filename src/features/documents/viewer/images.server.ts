import type { Metadata, Sharp } from 'sharp';
import { loadSharp } from '#platform/storage/image-queue.server.ts';
import { endsEarly } from './internal/image-end.ts';
import type { Drawing, Refused } from './worker.server.ts';

/*
 * Every image is re-encoded as WebP, which removes any other content of the file (threat-model.md T51). Pages
 * of text are stored nearly lossless, which is smaller for them and sharper; images with too many colours for
 * that, or too wide to be fast, are stored as photographs. More effort would cost a third more time for pages of
 * text, which would hardly be smaller.
 */

/**
 * Maximum numbers of pixels of an image, by what decoding costs: a JPEG is decoded at an eighth of its size, a scan in
 * black and white row by row at a byte per pixel (A3 at 600 dpi has 70 million). A progressive JPEG is held as a whole.
 */
const MAX_PIXELS = {
  jpeg: 150_000_000,
  progressive: 100_000_000,
  blackAndWhite: 150_000_000,
  other: 50_000_000,
};
const SECONDS = 5;
const SHARP = { nearLossless: true, quality: 40, effort: 2 } as const;
const SOFT = { quality: 60, effort: 2 } as const;
const MAX_SHARP = 1000;
/** An image with more bytes per pixel than this is a photograph. */
const PHOTOGRAPH = 0.1;
/** Maximum number of pages of a scan. */
const MAX_PAGES = 500;

export interface ImageFacts {
  width: number;
  height: number;
  count: number;
  /** Whether the end of the file is missing. */
  isIncomplete: boolean;
}

/**
 * Reads the size of an image in its visual orientation, and its number of pages; `broken` if it cannot be decoded,
 * `tooLarge` if that would cost too much.
 */
export async function imageFacts(bytes: Buffer): Promise<ImageFacts | Refused> {
  try {
    const sharp = await loadSharp();
    const metadata = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
    if (isTooLarge(metadata)) return { refused: 'tooLarge' };
    const { autoOrient, pages = 1, format } = metadata;
    return {
      width: autoOrient.width,
      height: autoOrient.height,
      count: format === 'tiff' ? Math.min(pages, MAX_PAGES) : 1,
      isIncomplete: endsEarly(bytes),
    };
  } catch {
    return { refused: 'broken' }; // or one that only has the extension of an image
  }
}

function isTooLarge({ width, height, format, isProgressive, bitsPerSample, channels }: Metadata): boolean {
  const isBlackAndWhite = format === 'tiff' && bitsPerSample === 1 && channels === 1;
  const jpeg = isProgressive ? MAX_PIXELS.progressive : MAX_PIXELS.jpeg;
  const max = format === 'jpeg' ? jpeg : isBlackAndWhite ? MAX_PIXELS.blackAndWhite : MAX_PIXELS.other;
  return width * height > max;
}

/**
 * Renders a page of an image, upright, without metadata, at most `width` wide; of an image that ends early, what there
 * is. Refused as by {@link imageFacts}, and `tooHeavy` if it takes too long.
 */
export async function smallImage(bytes: Buffer, page: number, width: number): Promise<Buffer | Refused> {
  const facts = await imageFacts(bytes);
  if ('refused' in facts) return facts;
  try {
    const sharp = await loadSharp();
    const failOn = facts.isIncomplete ? 'none' : 'error';
    return await sharp(bytes, { limitInputPixels: false, failOn, animated: false, page: page - 1 })
      .timeout({ seconds: SECONDS })
      .rotate()
      .resize({ width, height: width * 4, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .webp(SOFT)
      .toBuffer();
  } catch (error) {
    return { refused: error instanceof Error && /timeout/i.test(error.message) ? 'tooHeavy' : 'broken' };
  }
}

/** A rendered page, as WebP. */
export async function packDrawing({ pixels, width, height }: Drawing): Promise<Buffer> {
  const sharp = await loadSharp();
  const raw = (): Sharp => sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha();
  const sharpest = width > MAX_SHARP ? undefined : await raw().webp(SHARP).toBuffer();
  return sharpest && sharpest.length <= width * height * PHOTOGRAPH ? sharpest : raw().webp(SOFT).toBuffer();
}
