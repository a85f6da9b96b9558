import type { Pdfium } from '#platform/storage/pdfium.server.ts';
import type { Box, TextRun } from '../viewer.ts';
import { textLines, type Quarters } from './text-lines.ts';

/* The text of pages (fpdf_text.h). PDFium's points have their origin at the lower left, ours at the upper left. */

/** A page that is open in PDFium, as it is shown. */
export interface OpenPage {
  pointer: number;
  /** In points. */
  width: number;
  height: number;
}

/** Letters and digits, which are not shown as nothing. */
const SHOWN = /[\p{L}\p{N}]/u;

/** Where a point of the file is on the page as shown. */
type Place = (x: number, y: number) => [number, number];

const MAX_CHARACTERS = 30_000;
const MAX_RUNS = 3000;
/** Fractions of a point as which PDFium's integers are read. */
const FINE = 20;
/** A length in points by which the directions of a page are measured. */
const FAR = 1000;
/** Characters of a page by which the direction of its text is found. */
const SAMPLES = 200;
/** How letters of text are drawn that is only there to be read by programs (FPDFTextObj_GetTextRenderMode). */
const INVISIBLE = 3;
const NEARLY_WHITE = 230;
/** How far in radians the direction of an upright line may be from a quarter. */
const SLANT = 0.05;

/** Reads the text of pages. */
export function pdfText(pdfium: Pdfium) {
  const scratch = pdfium.wasmExports.malloc(64);
  const view = (): DataView => new DataView(pdfium.HEAPU8.buffer);

  function placeOn({ pointer, width, height }: OpenPage): Place {
    const [wide, high] = [Math.round(width * FINE), Math.round(height * FINE)];
    const at = (x: number, y: number): [number, number] => {
      pdfium._FPDF_PageToDevice(pointer, 0, 0, wide, high, 0, x, y, scratch, scratch + 4);
      return [view().getInt32(scratch, true) / FINE, view().getInt32(scratch + 4, true) / FINE];
    };
    const [origin, right, up] = [at(0, 0), at(FAR, 0), at(0, FAR)];
    const along = (axis: 0 | 1, x: number, y: number): number =>
      origin[axis] + ((right[axis] - origin[axis]) * x + (up[axis] - origin[axis]) * y) / FAR;
    return (x, y) => [along(0, x, y), along(1, x, y)];
  }

  /** The position of a rectangle of the file in visual orientation. */
  function boxOf(place: Place, [left, top, right, bottom]: readonly number[]): Box {
    const [x1, y1] = place(left ?? 0, top ?? 0);
    const [x2, y2] = place(right ?? 0, bottom ?? 0);
    return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
  }

  const floatsAt = (at: number): number[] =>
    [0, 4, 8, 12].map((offset) => view().getFloat32(at + offset, true));

  function characterBox(place: Place, text: number, index: number): Box | undefined {
    if (!pdfium._FPDFText_GetLooseCharBox(text, index, scratch)) return undefined;
    return boxOf(place, floatsAt(scratch));
  }

  /** By how many quarters a line is turned clockwise in the file, and whether it leans. */
  function directionOf(text: number, index: number): { quarters: number; isSlanted: boolean } {
    const turns = pdfium._FPDFText_GetCharAngle(text, index) / (Math.PI / 2);
    const quarters = Math.round(Math.max(0, turns)) % 4;
    return { quarters, isSlanted: turns > 0 && Math.abs(turns - Math.round(turns)) > SLANT };
  }

  /** The quarters by which most of the text is turned in the file. */
  function mainDirection(text: number, count: number): number {
    const counts = [0, 0, 0, 0];
    const step = Math.max(1, Math.floor(count / SAMPLES));
    for (let at = 0; at < count; at += step) {
      if (pdfium._FPDFText_GetUnicode(text, at) <= 0x20) continue;
      const { quarters, isSlanted } = directionOf(text, at);
      if (!isSlanted) counts[quarters] = (counts[quarters] ?? 0) + 1;
    }
    return counts.indexOf(Math.max(...counts));
  }

  /**
   * Opens the text of a page for `use`. PDFium orders lines from the top of the page to its bottom, so the page is
   * turned until most of its text is upright.
   */
  function withText<T>(
    page: OpenPage,
    use: (opened: { text: number; count: number; place: Place; rotation: number }) => T,
  ): T | undefined {
    const place = placeOn(page);
    const rotation = pdfium._FPDFPage_GetRotation(page.pointer);
    let text = pdfium._FPDFText_LoadPage(page.pointer);
    if (text === 0) return undefined;
    let count = countOf(text);
    const upright = (4 - mainDirection(text, count)) % 4;
    if (upright !== rotation) {
      pdfium._FPDFText_ClosePage(text);
      pdfium._FPDFPage_SetRotation(page.pointer, upright);
      text = pdfium._FPDFText_LoadPage(page.pointer);
      count = countOf(text);
    }
    try {
      return use({ text, count, place, rotation });
    } finally {
      pdfium._FPDFText_ClosePage(text);
      if (upright !== rotation) pdfium._FPDFPage_SetRotation(page.pointer, rotation);
    }
  }

  const countOf = (text: number): number =>
    text === 0 ? 0 : Math.min(MAX_CHARACTERS, Math.max(0, pdfium._FPDFText_CountChars(text)));

  /** Tells whether a letter is meant to be seen: not the invisible text over a scan, and not white on white. */
  function isVisible(text: number, index: number): boolean {
    const object = pdfium._FPDFText_GetTextObject(text, index);
    if (object !== 0 && pdfium._FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) return false;
    if (!pdfium._FPDFText_GetFillColor(text, index, scratch, scratch + 4, scratch + 8, scratch + 12))
      return true;
    const [red = 0, green = 0, blue = 0, alpha = 0] = [0, 4, 8, 12].map((at) =>
      view().getUint32(scratch + at, true),
    );
    return alpha > 0 && Math.min(red, green, blue) < NEARLY_WHITE;
  }

  /** The lines of characters from `start` on. */
  function linesOf(
    { text, place, rotation }: { text: number; place: Place; rotation: number },
    start: number,
    end: number,
  ) {
    const lines = textLines();
    let high = '';
    for (let at = start; at < end && lines.count < MAX_RUNS; at += 1) {
      const code = pdfium._FPDFText_GetUnicode(text, at);
      if (code === 0x0a || code === 0x0d) lines.endLine();
      // spaces inserted by pdfium have no position
      if (code <= 0x20 || code === 0xa0) lines.addSpace();
      if (code <= 0x20 || code === 0xa0 || code === 0xfffe || code === 0xffff) continue;
      const isHigh = code >= 0xd800 && code <= 0xdbff;
      const written = code > 0x10ffff ? '\ufffd' : high + String.fromCodePoint(code);
      high = isHigh ? String.fromCharCode(code) : '';
      const box = isHigh ? undefined : characterBox(place, text, at);
      if (!box) continue;
      const { quarters, isSlanted } = directionOf(text, at);
      lines.add({
        text: written.toWellFormed(),
        quarters: ((quarters + rotation) % 4) as Quarters,
        isSlanted,
        ...box,
      });
    }
    return lines.runs();
  }

  return {
    /** The runs of a page. */
    runsOf: (page: OpenPage): TextRun[] => withText(page, (opened) => linesOf(opened, 0, opened.count)) ?? [],

    /** The characters of a page in their order, without their positions. */
    charactersOf: (page: OpenPage): string =>
      withText(page, ({ text, count }) =>
        String.fromCodePoint(
          ...Array.from({ length: count }, (_, at) => pdfium._FPDFText_GetUnicode(text, at)).map((code) =>
            code > 0x10ffff ? 0xfffd : code,
          ),
        ).toWellFormed(),
      ) ?? '',

    /** Where letters are that are meant to be seen, at most `max` of them, evenly from all of the page. */
    lettersOn: (page: OpenPage, max: number): Box[] =>
      withText(page, ({ text, count, place }) => {
        const step = Math.max(1, Math.ceil(count / max));
        const boxes: Box[] = [];
        for (let at = 0; at < count; at += step) {
          const code = pdfium._FPDFText_GetUnicode(text, at);
          if (code <= 0x20 || !SHOWN.test(String.fromCodePoint(Math.min(code, 0x10ffff)))) continue;
          const box = isVisible(text, at) ? characterBox(place, text, at) : undefined;
          if (box) boxes.push(box);
        }
        return boxes;
      }) ?? [],

    /** Where words, which are in PDFium's memory, are on a page, regardless of case: at most `max` matches. */
    hitsOn: (page: OpenPage, words: number, max: number): Box[][] =>
      withText(page, (opened) => {
        const hits: Box[][] = [];
        const search = pdfium._FPDFText_FindStart(opened.text, words, 0, 0);
        while (hits.length < max && pdfium._FPDFText_FindNext(search)) {
          const start = pdfium._FPDFText_GetSchResultIndex(search);
          const runs = linesOf(opened, start, start + pdfium._FPDFText_GetSchCount(search));
          hits.push(runs.map(({ x, y, width, height }) => ({ x, y, width, height })));
        }
        pdfium._FPDFText_FindClose(search);
        return hits;
      }) ?? [],

    /** Where rectangles of the file (left, top, right, bottom) are on the page as shown. */
    boxesOn(page: OpenPage, rectangles: readonly (readonly number[])[]): Box[] {
      const place = placeOn(page);
      return rectangles.map((rectangle) => boxOf(place, rectangle));
    },
  };
}
