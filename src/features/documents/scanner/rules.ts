import { readLine } from '#platform/inputs/text.ts';
import type { Actor } from '#features/base/people/people.ts';
import { isExecutable } from '#features/documents/documents/rules.ts';
import { repairedName } from '#features/documents/folders/rules.ts';

/** The rules for scans, in the browser and on the server (docs/decisions/0028-scans.md). */

/** Tells whether the firm lets this person scan. */
export const mayScan = ({ access }: Pick<Actor, 'access'>): boolean =>
  !access.controls.has('HideScanFromDevice');

/** Maximum pages of a scan. Without scripts the photos are sent unprocessed, so fewer are allowed. */
export const MAX_PAGES = 50;
export const MAX_PHOTOS = 20;
export const MAX_PHOTO_BYTES = 25_000_000;
export const MAX_SCAN_BYTES = 100_000_000;

/** Pixels of the long edge: enough to read and print a sheet of paper. */
export const LONG_EDGE = 2000;

/**
 * Finds the first quality, in per cent, at which a page has at most PAGE_BYTES; the last one is used in any
 * case.
 */
const QUALITIES = [75, 60, 50] as const;
const PAGE_BYTES = 300_000;

/** Qualities to try, best first. */
export async function lightest<Encoded>(
  encode: (quality: number) => Promise<Encoded>,
  bytesOf: (encoded: Encoded) => number,
): Promise<Encoded> {
  const [best, ...others] = QUALITIES;
  let page = await encode(best);
  for (const quality of others) {
    if (bytesOf(page) <= PAGE_BYTES) break;
    page = await encode(quality);
  }
  return page;
}

/** Adds the extension to a typed name, and repairs it. */
export function scanNameOf(typed: string): string {
  const name = readLine(typed);
  const whole = /\.pdf$/i.test(name) ? name : `${name}.pdf`;
  return /^\.pdf$/i.test(whole) ? whole : repairedName(whole);
}

export type ScanNameProblem = 'nameMissing' | 'nameBad';

/** Returns why a scan cannot have this name; undefined if it can. */
export function scanNameProblem(typed: string): ScanNameProblem | undefined {
  const name = scanNameOf(typed);
  if (/^\.pdf$/i.test(name)) return 'nameMissing';
  return !isExecutable(name) ? undefined : 'nameBad';
}

/**
 * Converts a photo to grey and increases its contrast: paper becomes white, ink black. Changes `pixels`,
 * RGBA.
 */
export function toHighContrastGrey(pixels: Uint8ClampedArray): void {
  for (let i = 0; i < pixels.length; i += 4) {
    const grey = 0.299 * (pixels[i] ?? 0) + 0.587 * (pixels[i + 1] ?? 0) + 0.114 * (pixels[i + 2] ?? 0);
    pixels.fill(1.6 * grey - 70, i, i + 3); // about 205 becomes white, 45 black
  }
}
