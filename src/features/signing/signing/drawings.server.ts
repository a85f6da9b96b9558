import { PortalError } from '#platform/runtime/errors.server.ts';
import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { loadSharp, withImageSlot } from '#platform/storage/image-queue.server.ts';
import { MAX_DRAWING } from './signing.ts';

const DATA_URL = 'data:image/png;base64,';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_WIDTH = 2000;
const MAX_HEIGHT = 1000;

/**
 * Checks a drawn signature, a PNG as a data URL, and draws it again, which removes whatever else the file contains.
 * Returns the PNG in base64; empty for no drawing. INVALID for another kind of file, for one that is damaged or too
 * large, and for an image without a line: it would be an invisible signature.
 */
export async function checkedDrawing(drawing: string, user: QueueUser): Promise<string> {
  if (drawing === '') return '';
  const refused = new PortalError('INVALID', { field: 'drawing' });
  if (!drawing.startsWith(DATA_URL) || drawing.length > MAX_DRAWING) throw refused;
  const bytes = Buffer.from(drawing.slice(DATA_URL.length), 'base64');
  if (!bytes.subarray(0, PNG.length).equals(PNG)) throw refused; // nothing else reaches a decoder
  const redrawn = await withImageSlot(user, () => redraw(bytes));
  if (!redrawn) throw refused;
  return redrawn.toString('base64');
}

async function redraw(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    const sharp = await loadSharp();
    const image = sharp(bytes, { limitInputPixels: MAX_WIDTH * MAX_HEIGHT, failOn: 'warning' });
    const { format, width, height } = await image.metadata();
    if (format !== 'png' || width > MAX_WIDTH || height > MAX_HEIGHT) return undefined;
    const { channels } = await image.stats();
    if (channels.every(({ min, max }) => min === max)) return undefined;
    return await image
      .resize({ width: 1200, height: 400, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer();
  } catch {
    return undefined; // not an image, or a damaged one
  }
}
