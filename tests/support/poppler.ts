import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { popplerProgram } from '../../scripts/services.mjs';

/* Pages as a second engine shows them: poppler, which draws forms and annotations, too. */

const run = promisify(execFile);
/** Dots per inch of the pictures: small print is four pixels high. */
const RESOLUTION = 54;

export interface PopplerPage {
  width: number;
  height: number;
  /** Red, green and blue for each pixel. */
  pixels: Uint8Array;
  text: string;
}

/** The pages of a PDF as poppler shows them, the first ones if `last` is given; huge paper needs a lower resolution. */
export async function popplerPages(
  bytes: Uint8Array,
  last = 100,
  resolution = RESOLUTION,
): Promise<PopplerPage[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'portal-poppler-'));
  const file = path.join(folder, 'file.pdf');
  try {
    writeFileSync(file, bytes);
    const pages = ['-f', '1', '-l', String(last)];
    const limits = { maxBuffer: 400_000_000, timeout: 30_000 };
    const [drawn, read] = await Promise.all([
      run(await popplerProgram('pdftoppm'), ['-cropbox', '-r', String(resolution), ...pages, file], {
        ...limits,
        encoding: 'buffer',
      }),
      run(await popplerProgram('pdftotext'), ['-layout', ...pages, file, '-'], limits),
    ]);
    const texts = read.stdout.split('\f');
    return picturesIn(drawn.stdout).map((picture, at) => ({ ...picture, text: texts[at] ?? '' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads pictures in the format PPM, one after the other. */
function picturesIn(bytes: Buffer): Omit<PopplerPage, 'text'>[] {
  const pictures: Omit<PopplerPage, 'text'>[] = [];
  for (let at = 0; at < bytes.length;) {
    const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(at, at + 60).toString('latin1'));
    if (!head) throw new Error('poppler drew something else than a picture');
    const [width, height] = [Number(head[1]), Number(head[2])];
    const start = at + head[0].length;
    at = start + width * height * 3;
    pictures.push({ width, height, pixels: bytes.subarray(start, at) });
  }
  return pictures;
}

/** An area as shares of the page, from its upper left corner. */
export interface PageArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The number of pixels that two pages show differently, outside of some areas; all if the sizes differ. */
export function popplerDifference(a: PopplerPage, b: PopplerPage, masks: readonly PageArea[] = []): number {
  if (a.width !== b.width || a.height !== b.height) return Math.max(a.width * a.height, b.width * b.height);
  let count = 0;
  for (let y = 0; y < a.height; y += 1)
    for (let x = 0; x < a.width; x += 1)
      if (differsAt(a, b, (y * a.width + x) * 3) && !masks.some((mask) => isIn(mask, x, y, a))) count += 1;
  return count;
}

const differsAt = (a: PopplerPage, b: PopplerPage, at: number): boolean =>
  [0, 1, 2].some((channel) => Math.abs((a.pixels[at + channel] ?? 0) - (b.pixels[at + channel] ?? 0)) > 48);

const isIn = (mask: PageArea, x: number, y: number, { width, height }: PopplerPage): boolean =>
  x >= mask.x * width - 2 &&
  x <= (mask.x + mask.width) * width + 2 &&
  y >= mask.y * height - 2 &&
  y <= (mask.y + mask.height) * height + 2;

/** The share of the pixels of an area that differ from white. */
export function popplerInk(page: PopplerPage, area: PageArea = { x: 0, y: 0, width: 1, height: 1 }): number {
  let [ink, all] = [0, 0];
  for (let y = Math.floor(area.y * page.height); y < (area.y + area.height) * page.height; y += 1)
    for (let x = Math.floor(area.x * page.width); x < (area.x + area.width) * page.width; x += 1) {
      const at = (y * page.width + x) * 3;
      all += 1;
      if ([0, 1, 2].some((channel) => (page.pixels[at + channel] ?? 255) < 200)) ink += 1;
    }
  return all === 0 ? 0 : ink / all;
}
