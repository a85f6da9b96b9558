import sharp, { type Sharp } from 'sharp';
import type { Drawing } from './worker.server.ts';

/*
 * Everything that is shown as an image is drawn anew as WebP: what else was in a file is gone
 * (threat-model.md T51). Pages of text are stored nearly without loss, which is smaller for them and sharper;
 * what has too many colours for that, or is so wide that it would take long, is stored as a photograph.
 */

/** An image has at most so many pixels, as it unfolds. */
const MAX_PIXELS = 50_000_000;
const SECONDS = 5;
const SHARP = { nearLossless: true, quality: 40 } as const;
const SOFT = { quality: 60, effort: 2 } as const;
const MAX_SHARP = 1000;
/** More bytes for a pixel than this mean a photograph. */
const PHOTOGRAPH = 0.1;
/** A scan may have so many pages. */
const MAX_PAGES = 500;

export interface ImageFacts {
  width: number;
  height: number;
  count: number;
}

const read = (bytes: Buffer, page = 1): Sharp =>
  sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false, page: page - 1 }).timeout({
    seconds: SECONDS,
  });

/**
 * An image's size as it is looked at, and how many pages it has; undefined for one that cannot be read or is
 * too large.
 */
export async function imageFacts(bytes: Buffer): Promise<ImageFacts | undefined> {
  try {
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
    return undefined; // a broken file, or one of a kind that only has the name of an image
  }
}

/**
 * A page of an image, upright, without what else its file holds, at most `width` wide; undefined for what
 * cannot be read.
 */
export async function smallImage(bytes: Buffer, page: number, width: number): Promise<Buffer | undefined> {
  try {
    return await read(bytes, page)
      .rotate()
      .resize({ width, height: width * 4, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .webp(SOFT)
      .toBuffer();
  } catch {
    return undefined; // as above
  }
}

/** A page that was drawn, as WebP. */
export async function packDrawing({ pixels, width, height }: Drawing): Promise<Buffer> {
  const raw = (): Sharp => sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha();
  const sharpest = width > MAX_SHARP ? undefined : await raw().webp(SHARP).toBuffer();
  return sharpest && sharpest.length <= width * height * PHOTOGRAPH ? sharpest : raw().webp(SOFT).toBuffer();
}
