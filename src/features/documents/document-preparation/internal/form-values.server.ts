import {
  PdfDict,
  PdfNumber,
  PdfStream,
  type CheckboxField,
  type DropdownField,
  type FormField,
  type ListBoxField,
  type PDF,
  type PDFPage,
  type RadioField,
  type TextField,
} from '@libpdf/core';
import type { PixelBox } from '../page-pictures.server.ts';
import { shownBox } from '../page-box.server.ts';
import type { PageView } from '../pdfium-pages.server.ts';

/*
 * The values of a form become part of the pages. Only what is drawn can: a field without an appearance has nothing, so
 * one is made from its value. Afterwards each value is looked for on its page, because there are values that cannot be
 * drawn: letters that the font lacks, bar codes, rich text.
 */

/** The kinds of fields that have a value. */
type ValueField = TextField | CheckboxField | RadioField | DropdownField | ListBoxField;

const HIDDEN = 0x02;
const NO_VIEW = 0x20;
const READ_ONLY = 0x01;
const COMB = 1 << 24;
/** Operators that show text or an object, in which text may be. */
const SHOWS_TEXT = /(?:^|[\s)>\]])(?:Tj|TJ|'|"|Do)(?=\s|$)/;
const PAINTS = /(?:^|[\s)>\]])(?:Tj|TJ|'|"|Do|f\*?|F|S|s|B\*?|b\*?|sh)(?=\s|$)/;

/** A value that people see in a form. */
export interface FormValue {
  name: string;
  /** The texts any of which has to be on the page; none for a tick. */
  texts: string[];
  isMultiline: boolean;
  /** Readers mark the chosen rows of a list, each with another color. */
  isList: boolean;
  /** Where it is shown: the page from 0, and the corners in the coordinates of the page. */
  places: { page: number; rect: readonly [number, number, number, number] }[];
  /** Its appearance was made from the value. */
  isMade: boolean;
  /** Readers draw each letter in a box of its own; an appearance made here does not. */
  isComb: boolean;
  /** Readers are asked to make its appearance, whatever it has. */
  isMadeByReaders: boolean;
}

/**
 * Makes the missing appearances of a form, and those of the fields with these names, and returns the values that it
 * shows.
 */
export function drawFormValues(pdf: PDF, again: ReadonlySet<string>): FormValue[] {
  const form = pdf.getForm();
  if (!form) return [];
  const isMadeByReaders = form.properties.needAppearances;
  const pages = pagesOfWidgets(pdf);
  const values: FormValue[] = [];
  for (const field of form.getFields()) {
    if (!isValueField(field) || !isFilled(field)) continue;
    const texts = textsOf(field);
    const visible = field.getWidgets().filter(({ flags }) => (flags & (HIDDEN | NO_VIEW)) === 0);
    const shown = visible.filter((widget) => texts.length > 0 || widget.appearanceState !== 'Off');
    const places = shown.flatMap((widget) => {
      const page = pages.get(widget.dict);
      const [x1, y1, x2, y2] = widget.rect;
      return page === undefined || x1 === x2 || y1 === y2 ? [] : [{ page, rect: widget.rect }];
    });
    if (places.length === 0) continue;
    const isMade =
      again.has(field.name) || shown.some(({ dict }) => !hasAppearance(pdf, dict, texts.length > 0));
    const wasComb = (field.flags & COMB) !== 0;
    if (isMade) makeAppearance(pdf, field);
    const isList = field.type === 'listbox';
    const isMultiline = field.type === 'text' ? field.isMultiline : isList;
    const isComb = field.type === 'text' && wasComb;
    values.push({ name: field.name, texts, isMultiline, isList, places, isMade, isComb, isMadeByReaders });
  }
  return values;
}

const isValueField = (field: FormField): field is ValueField =>
  ['text', 'checkbox', 'radio', 'dropdown', 'listbox'].includes(field.type);

function isFilled(field: ValueField): boolean {
  switch (field.type) {
    case 'text':
      return !field.isPassword && field.getValue() !== '';
    case 'checkbox':
      return field.isChecked();
    case 'listbox':
      return field.getValue().length > 0;
    default:
      return !['', 'Off', null].includes(field.getValue());
  }
}

/** The texts that may stand for the value; none for ticks. */
function textsOf(field: ValueField): string[] {
  switch (field.type) {
    case 'text':
      return [field.getValue()];
    case 'dropdown':
      return [field.getValue(), displayed(field.getOptions(), field.getValue())];
    case 'listbox':
      return [
        field
          .getValue()
          .map((value) => displayed(field.getOptions(), value))
          .join(''),
      ];
    default:
      return [];
  }
}

const displayed = (options: readonly { value: string; display: string }[], value: string): string =>
  options.find((option) => option.value === value)?.display ?? value;

function pagesOfWidgets(pdf: PDF): Map<PdfDict, number> {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const pages = new Map<PdfDict, number>();
  for (const [index, { dict }] of pdf.getPages().entries()) {
    const annotations = dict.getArray('Annots', resolve);
    for (let at = 0; at < (annotations?.length ?? 0); at += 1) {
      const annotation = annotations?.at(at, resolve);
      if (annotation instanceof PdfDict) pages.set(annotation, index);
    }
  }
  return pages;
}

/** Whether a widget has an appearance that draws anything, which for a text is text. */
function hasAppearance(pdf: PDF, widget: PdfDict, isText: boolean): boolean {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  let normal = widget.getDict('AP', resolve)?.get('N', resolve);
  if (normal instanceof PdfDict && !(normal instanceof PdfStream)) {
    const state = widget.getName('AS', resolve)?.value;
    normal = state === undefined ? undefined : normal.get(state, resolve);
  }
  if (!(normal instanceof PdfStream)) return false;
  const content = Buffer.from(normal.getDecodedData()).toString('latin1');
  return (isText ? SHOWS_TEXT : PAINTS).test(content);
}

/** Sets a field to its own value, which draws it. What cannot be drawn is found missing afterwards. */
function makeAppearance(pdf: PDF, field: ValueField): void {
  // the library draws the letters of a comb outside of their field
  field.acroField().set('Ff', PdfNumber.of(field.flags & ~(READ_ONLY | (field.type === 'text' ? COMB : 0))));
  try {
    switch (field.type) {
      case 'checkbox':
        forgetAppearances(pdf, field);
        field.uncheck();
        field.check();
        break;
      case 'radio': {
        const value = field.getValue();
        forgetAppearances(pdf, field);
        field.setValue(null);
        field.setValue(value);
        break;
      }
      case 'listbox':
        field.setValue(field.getValue());
        break;
      default:
        field.setValue(field.getValue());
    }
  } catch {
    // such as a value that is none of the options
  }
}

/** The library draws the states of a button only if one of them is missing. */
function forgetAppearances(pdf: PDF, field: CheckboxField | RadioField): void {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  for (const { dict } of field.getWidgets()) {
    const states = dict.getDict('AP', resolve)?.get('N', resolve);
    if (states instanceof PdfStream) dict.delete('AP');
    else if (states instanceof PdfDict) states.delete('Off');
  }
}

/** A page as it is shown before and after it was prepared. */
export interface Views {
  source: PageView;
  prepared: PageView;
}

/** A value that was drawn here has at least this share of the ink that it has where readers draw it. */
const INK_SHARE = 0.4;

/** The values that cannot be seen on the prepared pages. */
export function lostValues(
  values: readonly FormValue[],
  pages: readonly PDFPage[],
  views: (page: number) => Views | undefined,
): FormValue[] {
  return values.filter((value) => value.places.some((place) => !isShown(value, place, { pages, views })));
}

function isShown(
  { texts, isMultiline, isList, isMade, isMadeByReaders }: FormValue,
  { page: at, rect }: FormValue['places'][number],
  { pages, views }: { pages: readonly PDFPage[]; views: (page: number) => Views | undefined },
): boolean {
  const [page, both] = [pages[at], views(at)];
  if (!page || !both) return false;
  const { source, prepared: picture } = both;
  const box = pixelBox(page, picture, rect);
  if (texts.length === 0) return inkIn(picture, box) > 0;
  // letters may be where they are cut off
  const inner = { left: box.left + 4, right: box.right - 4, top: box.top + 4, bottom: box.bottom - 4 };
  if (isMade && !isList && inkIn(picture, inner) < inkIn(source, inner) * INK_SHARE) return false;
  // a text may go on beyond its field, where it is cut off
  const area = { ...box, right: picture.width, ...(isMultiline && { bottom: picture.height }) };
  const letters = picture.letters.filter(
    ({ x, y }) => x >= area.left && x < area.right && y >= area.top && y < area.bottom,
  );
  if (
    texts.some((text) =>
      containsLetters(
        letters.map((letter) => letter.text),
        text,
      ),
    )
  )
    return true;
  // an appearance may show the value in another form, such as with a currency
  return !isMade && !isMadeByReaders;
}

function containsLetters(letters: readonly string[], text: string): boolean {
  const left = new Map<string, number>();
  for (const letter of unitsOf(letters.join(''))) left.set(letter, (left.get(letter) ?? 0) + 1);
  return unitsOf(text).every((letter) => {
    const count = left.get(letter) ?? 0;
    left.set(letter, count - 1);
    return count > 0;
  });
}

/** The letters of a text as PDFium reports them: without blanks, each half of a pair by itself. */
const unitsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .replaceAll(/[\s\p{C}]/gu, '')
    .split('');

/** A rectangle of a page in the pixels of its picture, with a small margin. */
export function pixelBox(
  page: PDFPage,
  { width, height }: PageView,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
): PixelBox {
  const shown = shownBox(page);
  const [a, b, c, d, e, f] = shown.toPage;
  const determinant = a * d - b * c;
  const corners = [
    [x1, y1],
    [x2, y2],
  ].map(([x = 0, y = 0]) => [
    (((d * (x - e) - c * (y - f)) / determinant) * width) / shown.width,
    height - (((a * (y - f) - b * (x - e)) / determinant) * height) / shown.height,
  ]);
  const [xs, ys] = [corners.map(([x = 0]) => x), corners.map(([, y = 0]) => y)];
  return {
    left: Math.min(...xs) - 2,
    right: Math.max(...xs) + 2,
    top: Math.min(...ys) - 2,
    bottom: Math.max(...ys) + 2,
  };
}

/** The number of pixels in an area that are dark in any of their colors, so that red is ink, too. */
function inkIn({ pixels, width, height }: PageView, { left, top, right, bottom }: PixelBox): number {
  let ink = 0;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, bottom); y += 1)
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x += 1)
      if ([0, 1, 2].some((color) => (pixels[(y * width + x) * 4 + color] ?? 255) < 160)) ink += 1;
  return ink;
}
