import type { Letter, PageView } from './pdfium-pages.server.ts';

/*
 * Whether two versions of a page show the same: pictures, and the letters in them. It knows no causes, so it finds
 * those too that nobody has thought of.
 */

/** An area of a page in pixels of its picture. */
export interface PixelBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Channels that differ by less are the same color. */
const SAME_COLOR = 48;
/** Pixels that may differ: edges that are drawn a fraction of a pixel elsewhere. */
const FEW_PIXELS = 24;
const FEW_SHARE = 0.0002;

const isIn = ({ left, top, right, bottom }: PixelBox, x: number, y: number): boolean =>
  x >= left && x < right && y >= top && y < bottom;

/** The number of pixels that differ outside of some areas; all if the sizes differ. */
export function differingPixels(a: PageView, b: PageView, masks: readonly PixelBox[] = []): number {
  if (a.width !== b.width || a.height !== b.height) return Math.max(a.width * a.height, b.width * b.height);
  let count = 0;
  for (let y = 0; y < a.height; y += 1)
    for (let x = 0; x < a.width; x += 1)
      if (differsAt(a, b, (y * a.width + x) * 4, SAME_COLOR) && !masks.some((mask) => isIn(mask, x, y)))
        count += 1;
  return count;
}

const differsAt = (a: PageView, b: PageView, at: number, by: number): boolean =>
  Math.abs((a.pixels[at] ?? 0) - (b.pixels[at] ?? 0)) >= by ||
  Math.abs((a.pixels[at + 1] ?? 0) - (b.pixels[at + 1] ?? 0)) >= by ||
  Math.abs((a.pixels[at + 2] ?? 0) - (b.pixels[at + 2] ?? 0)) >= by;

/** Whether a number of differing pixels can be seen. */
export const isVisible = (pixels: number, { width, height }: PageView): boolean =>
  pixels > Math.max(FEW_PIXELS, width * height * FEW_SHARE);

/** By how much ink differs from what is below it. Thin lines, drawn small, are faint. */
export const CONTRAST = { text: 32, drawing: 8 };

/** Whether there is ink in an area that was not there before. */
export function hasNewInk(
  { before, after }: { before: PageView; after: PageView },
  box: PixelBox,
  contrast: number,
): boolean {
  if (before.width !== after.width || before.height !== after.height) return false;
  for (let y = Math.max(0, Math.floor(box.top)); y < Math.min(before.height, box.bottom); y += 1)
    for (let x = Math.max(0, Math.floor(box.left)); x < Math.min(before.width, box.right); x += 1)
      if (differsAt(before, after, (y * before.width + x) * 4, contrast)) return true;
  return false;
}

/** The number of letters of one page that another one lacks, outside of some areas, wherever they are. */
export function missingLetters(from: PageView, to: PageView, masks: readonly PixelBox[] = []): number {
  const left = counted(to.letters, masks);
  let missing = 0;
  for (const [letter, count] of counted(from.letters, masks))
    missing += Math.max(0, count - (left.get(letter) ?? 0));
  return missing;
}

function counted(letters: readonly Letter[], masks: readonly PixelBox[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text, x, y } of letters)
    if (!masks.some((mask) => isIn(mask, x, y))) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
