import type { PDFPage } from '@libpdf/core';

/** The numbers of a transformation as in PDF's operator `cm`. */
export type Transformation = readonly [number, number, number, number, number, number];

/**
 * Returns the size of a page as it is shown, in points, and the transformation of points of that view (origin bottom
 * left) to those of the page: what is shown is the crop box, turned by the page's rotation.
 */
export function shownBox(page: PDFPage): { width: number; height: number; toPage: Transformation } {
  const { left, bottom, width, height } = visibleBox(page);
  const [right, top] = [left + width, bottom + height];
  switch (page.rotation) {
    case 90:
      return { width: height, height: width, toPage: [0, 1, -1, 0, right, bottom] };
    case 180:
      return { width, height, toPage: [-1, 0, 0, -1, right, top] };
    case 270:
      return { width: height, height: width, toPage: [0, -1, 1, 0, left, top] };
    default:
      return { width, height, toPage: [1, 0, 0, 1, left, bottom] };
  }
}

/** The part of the crop box within the media box; boxes may name any two opposite corners. */
function visibleBox(page: PDFPage): { left: number; bottom: number; width: number; height: number } {
  const [media, crop] = [edgesOf(page.getMediaBox()), edgesOf(page.getCropBox())];
  const left = Math.max(media.left, crop.left);
  const bottom = Math.max(media.bottom, crop.bottom);
  const width = Math.min(media.right, crop.right) - left;
  const height = Math.min(media.top, crop.top) - bottom;
  if (width > 0 && height > 0) return { left, bottom, width, height };
  return {
    left: media.left,
    bottom: media.bottom,
    width: media.right - media.left,
    height: media.top - media.bottom,
  };
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The library returns the four numbers of the file: those that it calls size are the second corner. */
const edgesOf = ({ x, y, width: x2, height: y2 }: Box) => ({
  left: Math.min(x, x2),
  right: Math.max(x, x2),
  bottom: Math.min(y, y2),
  top: Math.max(y, y2),
});
