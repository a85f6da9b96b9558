import type { Sharp } from 'sharp';
import { loadSharp } from '#platform/image-queue.server.ts';
import type { Drawing } from './worker.server.ts';

/*
 * Every image is re-encoded as WebP, which removes any other content of the file (threat-model.md T51). Pages
 * of text are stored nearly lossless, which is smaller for them and sharper; images with too many colours for
 * that, or too wide to be fast, are stored as photographs. More effort would cost a third more time for pages of
 * text, which would hardly be smaller.
 */

/** Maximum number of pixels of an image, decoded. */
const MAX_PIXELS = 50_000_000;
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
}

/**
 * Reads the size of an image in its visual orientation, and its number of pages; undefined if it cannot be
 * decoded or is too large.
 */
export async function imageFacts(bytes: Buffer): Promise<ImageFacts | undefined> {
  try {
    const sharp = await loadSharp();
    const {
      autoOrient,
      width,
      height,
      pages = 1,
      format,
    } = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
    if (width * height > MAX_PIXELS) return undefined;
    return {
      width: autoOrient.width,
      height: autoOrient.height,
      count: format === 'tiff' ? Math.min(pages, MAX_PAGES) : 1,
    };
  } catch {
    return undefined; // a broken file, or one that only has the extension of an image
  }
}

/**
 * Renders a page of an image, upright, without metadata, at most `width` wide; undefined if it cannot be
 * decoded.
 */
export async function smallImage(bytes: Buffer, page: number, width: number): Promise<Buffer | undefined> {
  try {
    const sharp = await loadSharp();
    const limits = { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false } as const;
    return await sharp(bytes, { ...limits, page: page - 1 })
      .timeout({ seconds: SECONDS })
      .rotate()
      .resize({ width, height: width * 4, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .webp(SOFT)
      .toBuffer();
  } catch {
    return undefined; // as above
  }
}

/** A rendered page, as WebP. */
export async function packDrawing({ pixels, width, height }: Drawing): Promise<Buffer> {
  const sharp = await loadSharp();
  const raw = (): Sharp => sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha();
  const sharpest = width > MAX_SHARP ? undefined : await raw().webp(SHARP).toBuffer();
  return sharpest && sharpest.length <= width * height * PHOTOGRAPH ? sharpest : raw().webp(SOFT).toBuffer();
}
