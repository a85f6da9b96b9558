import { readFileSync } from 'node:fs';
import { ops, type EmbeddedFont, type PDF, type PDFPage } from '@libpdf/core';
import { loadSharp } from '#platform/storage/image-queue.server.ts';
import { drawableText, fontFilesFor, fontPath, FONTS, type FontName } from './fonts.server.ts';
import { shownBox } from '#features/documents/document-preparation/page-box.server.ts';

/*
 * Text on pages. A letter that a font lacks would vanish without an error, and scripts that join or turn their
 * letters would come out wrong, so only scripts that are written letter by letter from left to right are drawn
 * with a font; everything else becomes an image of the text (docs/decisions/0063).
 */

/** The height of capital letters of these fonts, and of what is below the line, per point of size. */
const CAPITALS = 0.73;
const BELOW = 0.24;
const LINE = 1.4;

/** Pixels per point in images of text. */
const SHARPNESS = 4;

const WRITTEN_BY_FONT = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]*$/u;
const NEEDS_SHAPING = /[\p{M}\p{Cf}\p{Extended_Pictographic}]/u;
/** Characters that change the direction of the text around them, with which a name could look like another. */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A line of text without what would change how it is read, and with nothing that cannot be drawn. */
const cleaned = (text: string): Promise<string> =>
  drawableText(
    text
      .normalize('NFC')
      .replaceAll(DIRECTION, '')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim(),
  );

/** A place on a page as it is shown, in points from its bottom left corner. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Draws in the coordinates of the page as it is shown, whatever its rotation and its boxes. */
export async function drawAsShown(page: PDFPage, draw: () => Promise<void>): Promise<void> {
  // the library restores the state after what a page had before: this page then had something
  page.drawOperators([ops.pushGraphicsState(), ops.popGraphicsState()]);
  page.drawOperators([ops.pushGraphicsState(), ops.concatMatrix(...shownBox(page).toPage)]);
  await draw();
  page.drawOperators([ops.popGraphicsState()]);
}

/** A line of a paragraph. */
export interface Line {
  height: number;
  /** The text, where an image of it is drawn. */
  imageOf?: string;
  draw: (page: PDFPage, x: number, top: number) => void;
}

/** The fonts of one document, embedded when they are used first, and only with the letters used. */
export function textOn(pdf: PDF) {
  const embedded = new Map<FontName, EmbeddedFont>();
  const fontOf = (name: FontName): EmbeddedFont => {
    const font = embedded.get(name) ?? pdf.embedFont(readFileSync(fontPath(name)));
    embedded.set(name, font);
    return font;
  };
  const isWritable = (text: string, name: FontName): boolean =>
    WRITTEN_BY_FONT.test(text) && !NEEDS_SHAPING.test(text) && fontOf(name).canEncode(text);

  /** Draws one line as large as fits into an area, in the middle of its height; never a shortened one. */
  async function fit(page: PDFPage, raw: string, area: Area, name: FontName): Promise<void> {
    const text = await cleaned(raw);
    if (text === '') return;
    if (!isWritable(text, name)) return drawContained(page, await imageOf(text, name), area);
    const font = fontOf(name);
    const size = Math.min(area.height / (CAPITALS + 2 * BELOW), font.sizeAtWidth(text, area.width));
    page.drawText(text, { font, size, x: area.x, y: area.y + (area.height - CAPITALS * size) / 2 });
  }

  /** Draws the image of a signature or text into an area, as large as fits, at its left. */
  function drawContained(page: PDFPage, png: Uint8Array, area: Area): void {
    const image = pdf.embedImage(png);
    const scale = Math.min(area.width / image.width, area.height / image.height);
    const [width, height] = [image.width * scale, image.height * scale];
    page.drawImage(image, { x: area.x, y: area.y + (area.height - height) / 2, width, height });
  }

  /**
   * Breaks a paragraph into lines of at most `width` points, each with a way to draw it from its top. Long words, such
   * as digests, are broken.
   */
  async function lines(
    raw: string,
    name: FontName,
    { size, width }: { size: number; width: number },
  ): Promise<Line[]> {
    const text = await cleaned(raw);
    if (isWritable(text, name)) {
      const font = fontOf(name);
      return wrap(text, (part) => font.widthOfTextAtSize(part, size) <= width).map((line) => ({
        height: size * LINE,
        draw: (page, x, top): void => page.drawText(line, { font, size, x, y: top - size }),
      }));
    }
    const image = pdf.embedImage(await imageOf(text, name, { size, width }));
    const height = image.height / SHARPNESS;
    return [
      {
        height: Math.max(height, size * LINE),
        imageOf: text,
        draw: (page, x, top): void =>
          page.drawImage(image, { x, y: top - height, width: image.width / SHARPNESS, height }),
      },
    ];
  }

  return { fit, drawContained, lines };
}

/** Renders text as a PNG with a transparent background, with the letters of the fonts that the portal brings. */
async function imageOf(
  text: string,
  name: FontName,
  { size, width }: { size: number; width?: number } = { size: 24 },
): Promise<Uint8Array> {
  for (const file of await fontFilesFor(text)) await addFont(file);
  const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const sharp = await loadSharp();
  return sharp({
    text: {
      text: markup,
      font: `${FONTS[name].pango} ${size}`,
      fontfile: fontPath(name),
      dpi: 72 * SHARPNESS,
      rgba: true,
      ...(width !== undefined && { width: Math.floor(width * SHARPNESS), wrap: 'word-char' as const }),
    },
  })
    .png()
    .toBuffer();
}

const added = new Set<string>();

/** Adds a font to those among which Pango looks for letters; it takes one for each text that it draws. */
async function addFont(fontfile: string): Promise<void> {
  if (added.has(fontfile)) return;
  const sharp = await loadSharp();
  await sharp({ text: { text: '.', font: `${FONTS.regular.pango} 1`, fontfile, rgba: true } })
    .png()
    .toBuffer();
  added.add(fontfile);
}

/**
 * Breaks text at its spaces into lines that fit, and words that do not fit anywhere. A line keeps the space at its end,
 * so that text extraction knows that the word ends there.
 */
function wrap(text: string, fits: (line: string) => boolean): string[] {
  const done: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') done.push(`${line} `);
    line = '';
    for (const letter of word) {
      if (line !== '' && !fits(line + letter)) {
        done.push(line);
        line = '';
      }
      line += letter;
    }
  }
  return [...done, line];
}
