import type { Box } from '../viewer.ts';

/*
 * Letters that were not drawn: of fonts that are neither in the file nor in the portal, or that are damaged. A page that
 * lacks them looks like an empty one.
 */

/** The least difference between the lightest and the darkest value of a color where something is drawn. */
const CONTRAST = 16;
/** How many letters must lack, and which share of the letters looked at, before the page says so. */
const MIN_LETTERS = 3;
const MIN_SHARE = 0.1;

interface Picture {
  pixels: Uint8Array;
  width: number;
  height: number;
}

/** Tells whether a picture of a page shows nothing where many of its letters are; `scale` is its pixels per point. */
export function lacksLetters(picture: Picture, letters: readonly Box[], scale: number): boolean {
  const onPage = letters.filter(
    ({ x, y }) => x >= 0 && y >= 0 && x * scale < picture.width && y * scale < picture.height,
  );
  const blank = onPage.filter((letter) => isBlank(picture, letter, scale)).length;
  return blank >= MIN_LETTERS && blank >= onPage.length * MIN_SHARE;
}

function isBlank({ pixels, width, height }: Picture, box: Box, scale: number): boolean {
  const [left, top] = [Math.floor(box.x * scale), Math.floor(box.y * scale)];
  const right = Math.min(width, Math.ceil((box.x + box.width) * scale) + 1);
  const bottom = Math.min(height, Math.ceil((box.y + box.height) * scale) + 1);
  const first = (Math.max(0, top) * width + Math.max(0, left)) * 4;
  for (let y = Math.max(0, top); y < bottom; y += 1)
    for (let x = Math.max(0, left); x < right; x += 1)
      for (let channel = 0; channel < 3; channel += 1) {
        const value = pixels[(y * width + x) * 4 + channel] ?? 0;
        if (Math.abs(value - (pixels[first + channel] ?? 0)) >= CONTRAST) return false;
      }
  return true;
}
