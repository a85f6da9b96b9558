import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { popplerProgram } from '../../scripts/services.mjs';

/** A picture of a page: red, green and blue of each pixel. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** The first page of a PDF as poppler, another program than the viewer's, draws it in the size of a picture. */
export async function popplerPicture(
  bytes: Uint8Array,
  { width, height }: Pick<Picture, 'width' | 'height'>,
): Promise<Picture> {
  const pdftoppm = await popplerProgram('pdftoppm');
  const folder = mkdtempSync(path.join(tmpdir(), 'portal-poppler-'));
  try {
    writeFileSync(path.join(folder, 'file.pdf'), bytes);
    const size = ['-scale-to', String(Math.max(width, height))]; // the longer side, however the page is turned
    await promisify(execFile)(pdftoppm, ['-cropbox', ...size, '-png', '-singlefile', 'file.pdf', 'page'], {
      cwd: folder,
    });
    return await pictureOf(sharp(path.join(folder, 'page.png')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function pictureOf(image: Sharp): Promise<Picture> {
  const { data, info } = await image
    .flatten({ background: '#ffffff' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The share of the pixels of an area that are not nearly white. */
export function inkIn(
  { width, height, pixels }: Picture,
  area: Area = { x: 0, y: 0, width, height },
): number {
  let [ink, all] = [0, 0];
  for (let y = Math.floor(area.y); y < Math.min(height, area.y + area.height); y += 1)
    for (let x = Math.floor(area.x); x < Math.min(width, area.x + area.width); x += 1) {
      all += 1;
      if ([0, 1, 2].some((channel) => (pixels[(y * width + x) * 3 + channel] ?? 255) < 200)) ink += 1;
    }
  return all === 0 ? 0 : ink / all;
}

/** The share of cells of 8 × 8 pixels whose mean color differs clearly. */
export function differenceOf(a: Picture, b: Picture): number {
  if (Math.abs(a.width - b.width) > 1 || Math.abs(a.height - b.height) > 1) return 1;
  let [different, all] = [0, 0];
  for (let y = 0; y + 8 <= Math.min(a.height, b.height); y += 8)
    for (let x = 0; x + 8 <= Math.min(a.width, b.width); x += 8) {
      all += 1;
      if ([0, 1, 2].some((channel) => Math.abs(meanIn(a, x, y, channel) - meanIn(b, x, y, channel)) > 60))
        different += 1;
    }
  return different / all;
}

function meanIn({ width, pixels }: Picture, left: number, top: number, channel: number): number {
  let sum = 0;
  for (let y = top; y < top + 8; y += 1)
    for (let x = left; x < left + 8; x += 1) sum += pixels[(y * width + x) * 3 + channel] ?? 0;
  return sum / 64;
}
