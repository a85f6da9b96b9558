import { drawnPage, keepDrawn } from '#features/documents/viewer/drawn-pages.server.ts';
import { packDrawing } from '#features/documents/viewer/images.server.ts';
import type { ShownPage, TextRun, Width } from '#features/documents/viewer/viewer.ts';
import { undrawn } from '#features/documents/viewer/viewer.server.ts';
import { drawPage, readPdf, type Source } from '#features/documents/viewer/worker.server.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import type { SigningRow } from './internal/rows.server.ts';
import { WHOLE } from './rules.ts';
import type { PlacedField } from './signing.ts';

/** The width of the images whose digests are evidence. */
export const SHOWN_WIDTH = 1000 satisfies Width;

/** Who waits for a page. */
interface Reader {
  contactId: string;
}

const sourceOf = (signing: SigningRow, reader: Reader): Source => ({
  key: signing.prepared_sha256,
  bytes: () => readBlob(signing.prepared_blob),
  asker: { person: reader.contactId, firm: signing.company_id },
});

/** A page of the prepared document as an image. UNREADABLE with the reason, also if there is no such page; TOO_HEAVY, TOO_LARGE. */
export async function imageOfPage(
  signing: SigningRow,
  reader: Reader,
  { page, width }: { page: number; width: Width },
): Promise<Buffer> {
  const key = `${signing.prepared_sha256}-${width}-${page}`;
  const cached = drawnPage(key);
  if (cached) return cached;
  const drawing = await drawPage(sourceOf(signing, reader), { page, width });
  if ('refused' in drawing) throw undrawn(drawing.refused);
  return keepDrawn(key, await packDrawing(drawing));
}

/** A page with its text; undefined if it cannot be read. */
export async function pageWithText(
  signing: SigningRow,
  reader: Reader,
  page: number,
): Promise<ShownPage | undefined> {
  const read = await readPdf(sourceOf(signing, reader), { from: page });
  return 'refused' in read ? undefined : read.pages.find((each) => each.page === page);
}

/** The lines of a page, from top to bottom. */
export function linesOf({ runs }: Pick<ShownPage, 'runs'>): string[] {
  const lines: { bottom: number; text: string }[] = [];
  for (const { text, y, height } of runs) {
    const last = lines.at(-1);
    if (last && Math.abs(last.bottom - (y + height)) < height / 2) last.text += ` ${text}`;
    else lines.push({ bottom: y + height, text });
  }
  return lines.map(({ text }) => text.trim()).filter((text) => text !== '');
}

const MAX_LABEL = 60;

/** The text of the document next to each field, which names it for people who do not see the page. */
export async function textBeside(
  signing: SigningRow,
  reader: Reader,
  fields: readonly PlacedField[],
): Promise<string[]> {
  const pages = new Map<number, ShownPage | undefined>();
  for (const page of new Set(fields.map((field) => field.page)))
    pages.set(page, await pageWithText(signing, reader, page));
  return fields.map((field) => {
    const page = pages.get(field.page);
    return page ? nearestText(field, page) : '';
  });
}

function nearestText(field: PlacedField, page: ShownPage): string {
  const x = (field.x / WHOLE) * page.width;
  const y = ((field.y + field.height / 2) / WHOLE) * page.height;
  const distance = (run: TextRun): number => {
    const beside = Math.max(0, run.x - x, x - (run.x + run.width));
    return beside + 3 * Math.abs(run.y + run.height / 2 - y);
  };
  const [nearest] = page.runs
    .filter(({ text }) => /\p{L}/u.test(text))
    .toSorted((a, b) => distance(a) - distance(b));
  const text = nearest?.text.trim() ?? '';
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text;
}

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
 * gives the size of the image of a page, in pixels, of which the places are parts (WHOLE).
 */
export function placeViews(
  fields: readonly (Pick<PlacedField, 'page' | keyof Box> & { text: string })[],
  sizeOf: (page: number) => { width: number; height: number },
): PlaceView[] {
  const views: (PlaceView & { places: (Box & { text: string })[] })[] = [];
  for (const { page, text, ...field } of fields) {
    const image = sizeOf(page);
    const place = {
      x: (field.x / WHOLE) * image.width,
      y: (field.y / WHOLE) * image.height,
      width: (field.width / WHOLE) * image.width,
      height: (field.height / WHOLE) * image.height,
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
