import type { PlacedField } from './signing.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part of a page around places of a signer, in the units of its image. */
export interface PlaceView extends Box {
  page: number;
  /** The places in it, the first of which is in the middle. */
  places: readonly (Box & { text: string })[];
}

/** The smallest part of a page in which one recognizes where it is, as parts of its width. */
const LEAST = { width: 0.72, height: 0.46 };

/** Around a place, as multiples of it. */
const AROUND = { width: 1.5, height: 2.5 };

const isWithin = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Of a length, the part of a size around a middle that stays within. */
const within = (middle: number, size: number, length: number): number =>
  Math.round(Math.max(0, Math.min(middle - size / 2, length - size)));

/**
 * The parts of pages to show for the places of a signer, in their order; places close to each other share one. `sizeOf`
 * gives the size of the image of a page, in pixels; the places are in hundred-thousandths of it.
 */
export function placeViews(
  fields: readonly (Pick<PlacedField, 'page' | keyof Box> & { text: string })[],
  sizeOf: (page: number) => { width: number; height: number },
): PlaceView[] {
  const views: (PlaceView & { places: (Box & { text: string })[] })[] = [];
  for (const { page, text, ...field } of fields) {
    const image = sizeOf(page);
    const place = {
      x: (field.x / 100_000) * image.width,
      y: (field.y / 100_000) * image.height,
      width: (field.width / 100_000) * image.width,
      height: (field.height / 100_000) * image.height,
      text,
    };
    const known = views.find((view) => view.page === page && isWithin(place, view));
    if (known) {
      known.places.push(place);
      continue;
    }
    const width = Math.min(image.width, Math.max(place.width * AROUND.width, image.width * LEAST.width));
    const height = Math.min(image.height, Math.max(place.height * AROUND.height, image.width * LEAST.height));
    views.push({
      page,
      x: within(place.x + place.width / 2, width, image.width),
      y: within(place.y + place.height / 2, height, image.height),
      width: Math.round(width),
      height: Math.round(height),
      places: [place],
    });
  }
  return views;
}
