import {
  ops,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  PdfStream,
  type PDF,
  type PdfObject,
  type PdfRef,
} from '@libpdf/core';

const HIDDEN = 0x02;
const NO_VIEW = 0x20;
/** They show nothing of their own on the page. */
const UNSHOWN = new Set(['Popup', 'Link']);
/** The values of fields are drawn by themselves. */
const DRAWN_BY_KIND = new Set(['Widget', 'Highlight', 'Underline', 'StrikeOut', 'Squiggly']);

/**
 * Draws what the library leaves behind: annotations of kinds that it does not know, and fields that the form does not
 * list. Readers draw them by their appearance (ISO 32000-2, 12.5.5).
 */
export function flattenAnnotations(pdf: PDF): void {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  for (const page of pdf.getPages()) {
    const annotations = page.dict.getArray('Annots', resolve);
    for (let at = 0; at < (annotations?.length ?? 0); at += 1) {
      const annotation = annotations?.at(at, resolve);
      if (!(annotation instanceof PdfDict) || isUnshown(annotation, resolve)) continue;
      const appearance = appearanceOf(annotation, resolve);
      const matrix = appearance && placement(annotation, appearance, resolve);
      if (!appearance || !matrix) continue;
      appearance.set('Subtype', PdfName.of('Form'));
      const name = `Kept${at}`;
      objectsOf(page.dict, resolve).set(name, registry.getRef(appearance) ?? registry.register(appearance));
      page.drawOperators([ops.pushGraphicsState(), ops.popGraphicsState()]);
      page.drawOperators([
        ops.pushGraphicsState(),
        ops.concatMatrix(...matrix),
        ops.paintXObject(name),
        ops.popGraphicsState(),
      ]);
    }
  }
}

/**
 * The pages, from 0, with an annotation that has no appearance: programs draw these by its kind, each in its own way or not
 * at all. Those that the library draws are not among them.
 */
export function pagesWithUndrawn(pdf: PDF): Set<number> {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const isUndrawn = (annotation: PdfDict): boolean =>
    !isUnshown(annotation, resolve) &&
    !DRAWN_BY_KIND.has(annotation.getName('Subtype', resolve)?.value ?? '') &&
    !annotation.getDict('AP', resolve)?.has('N');
  return new Set(
    pdf.getPages().flatMap(({ dict }, page) => {
      const annotations = dict.getArray('Annots', resolve);
      const items = Array.from({ length: annotations?.length ?? 0 }, (_, at) => annotations?.at(at, resolve));
      return items.some((item) => item instanceof PdfDict && isUndrawn(item)) ? [page] : [];
    }),
  );
}

function objectsOf(page: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): PdfDict {
  const resources = page.getDict('Resources', resolve) ?? new PdfDict();
  const objects = resources.getDict('XObject', resolve) ?? new PdfDict();
  resources.set('XObject', objects);
  page.set('Resources', resources);
  return objects;
}

function isUnshown(annotation: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): boolean {
  const flags = annotation.getNumber('F', resolve)?.value ?? 0;
  return (
    (flags & (HIDDEN | NO_VIEW)) !== 0 || UNSHOWN.has(annotation.getName('Subtype', resolve)?.value ?? '')
  );
}

function appearanceOf(
  annotation: PdfDict,
  resolve: (ref: PdfRef) => PdfObject | null,
): PdfStream | undefined {
  const normal = annotation.getDict('AP', resolve)?.get('N', resolve);
  if (normal instanceof PdfStream) return normal;
  if (!(normal instanceof PdfDict)) return undefined;
  const state = normal.get(annotation.getName('AS', resolve)?.value ?? 'Off', resolve);
  return state instanceof PdfStream ? state : undefined;
}

/** The matrix that fits the box of an appearance into the rectangle of its annotation. */
function placement(
  annotation: PdfDict,
  appearance: PdfDict,
  resolve: (ref: PdfRef) => PdfObject | null,
): [number, number, number, number, number, number] | undefined {
  const [rect, box] = [numbersOf(annotation, 'Rect', resolve), numbersOf(appearance, 'BBox', resolve)];
  if (rect?.length !== 4 || box?.length !== 4) return undefined;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(appearance, 'Matrix', resolve) ?? [];
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = box;
  const corners = [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ].map(([x = 0, y = 0]) => ({ x: a * x + c * y + e, y: b * x + d * y + f }));
  const [left, right] = [Math.min(...corners.map(({ x }) => x)), Math.max(...corners.map(({ x }) => x))];
  const [bottom, top] = [Math.min(...corners.map(({ y }) => y)), Math.max(...corners.map(({ y }) => y))];
  if (left === right || bottom === top) return undefined;
  const [rx1 = 0, ry1 = 0, rx2 = 0, ry2 = 0] = rect;
  const [scaleX, scaleY] = [Math.abs(rx2 - rx1) / (right - left), Math.abs(ry2 - ry1) / (top - bottom)];
  return [scaleX, 0, 0, scaleY, Math.min(rx1, rx2) - left * scaleX, Math.min(ry1, ry2) - bottom * scaleY];
}

function numbersOf(
  dict: PdfDict,
  name: string,
  resolve: (ref: PdfRef) => PdfObject | null,
): number[] | undefined {
  const array = dict.getArray(name, resolve);
  if (!(array instanceof PdfArray)) return undefined;
  return [...array].map((_, at) => {
    const item = array.at(at, resolve);
    return item instanceof PdfNumber ? item.value : 0;
  });
}
