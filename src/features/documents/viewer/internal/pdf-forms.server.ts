import { copyIn, wideText, type Pdfium } from '#platform/storage/pdfium.server.ts';

/*
 * Forms and what people wrote on pages: fields, typed notes and stamps are annotations, each with an appearance of its
 * own (fpdf_formfill.h, fpdf_annot.h). PDFium draws fields only in the environment of a form. None of its functions
 * that run scripts or actions of a document is called.
 */

/** What the environment of a form is told: version 1, and none of its functions, which are all optional. */
const ENVIRONMENT_BYTES = 512;
const ENVIRONMENT_VERSION = 1;

/** Kinds of forms (FPDF_GetFormType). */
const NO_FORM = 0;
/** A form of Adobe's that only its own programs lay out: the pages of the file just say so. */
export const DYNAMIC_XFA = 2;

const FREE_TEXT = 3;
const STAMP = 13;
const WIDGET = 20;
const NO_FIELD = -1;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const TEXT_FIELD = 6;
const HIDDEN = 0x02;
const NO_VIEW = 0x20;

const MAX_ANNOTATIONS = 2000;
const MAX_VALUE = 16_384;

/** An appearance that writes or draws a picture: `(text) Tj`, `/Name Do`. */
const WRITES = /(?:\bT[jJ]|['"]|\bDo)(?:\s|$)/;
/** An appearance that shows something, if only a line: `f`, `S`, `B*`. */
const PAINTS = /(?:\bT[jJ]|['"]|\b(?:Do|sh|EI|[fFBbSs]\*?))(?:\s|$)/;

export interface Form {
  environment: number;
  info: number;
}

/** The text of a page that is in its annotations. Rectangles are left, top, right and bottom in points of the file. */
export interface Annotations {
  /** Where fields, notes and stamps are, in their order. */
  areas: number[][];
  /** Boxes to tick and buttons to choose, with the character that says which they are. */
  ticks: { area: number[]; text: string }[];
}

/** Opens forms, and makes their content visible. */
export function pdfForms(pdfium: Pdfium) {
  const { malloc, free } = pdfium.wasmExports;
  const scratch = malloc(MAX_VALUE);
  const keyAs = copyIn(pdfium, Buffer.from('AS\0'));
  const view = (): DataView => new DataView(pdfium.HEAPU8.buffer);

  const textIn = (bytes: number): string =>
    Buffer.from(pdfium.HEAPU8.slice(scratch, scratch + Math.max(0, Math.min(bytes, MAX_VALUE) - 2))).toString(
      'utf16le',
    );

  function eachAnnotation(page: number, use: (annotation: number) => void): void {
    const count = Math.min(MAX_ANNOTATIONS, pdfium._FPDFPage_GetAnnotCount(page));
    for (let at = 0; at < count; at += 1) {
      const annotation = pdfium._FPDFPage_GetAnnot(page, at);
      if (annotation === 0) continue;
      use(annotation);
      pdfium._FPDFPage_CloseAnnot(annotation);
    }
  }

  const typeOf = (form: Form | undefined, annotation: number): number =>
    form ? pdfium._FPDFAnnot_GetFormFieldType(form.environment, annotation) : NO_FIELD;

  const isTick = (type: number): boolean => type === CHECK_BOX || type === RADIO_BUTTON;

  /** Gives a page its own size where it inherits that: PDFium would merge into one of its default size. */
  function settleSize(page: number): void {
    const sides = [scratch, scratch + 4, scratch + 8, scratch + 12] as const;
    if (pdfium._FPDFPage_GetMediaBox(page, ...sides) !== 0) return;
    if (pdfium._FPDF_GetPageBoundingBox(page, scratch) === 0) return;
    const [left = 0, top = 0, right = 0, bottom = 0] = sides.map((at) => view().getFloat32(at, true));
    pdfium._FPDFPage_SetMediaBox(page, left, bottom, right, top);
  }

  const isVisible = (annotation: number): boolean =>
    (pdfium._FPDFAnnot_GetFlags(annotation) & (HIDDEN | NO_VIEW)) === 0;

  function isWritten(form: Form, annotation: number): boolean {
    const type = typeOf(form, annotation);
    if (isTick(type) ? !isChecked(form, annotation) : !hasValue(form, annotation, type)) return true;
    const length = pdfium._FPDFAnnot_GetAP(annotation, 0, scratch, MAX_VALUE);
    return length > MAX_VALUE || (isTick(type) ? PAINTS : WRITES).test(textIn(length));
  }

  function hasValue(form: Form, annotation: number, type: number): boolean {
    if (type !== TEXT_FIELD && type !== COMBO_BOX && type !== LIST_BOX) return false;
    const { environment } = form;
    const bytes = pdfium._FPDFAnnot_GetFormFieldValue(environment, annotation, scratch, MAX_VALUE);
    return textIn(bytes).trim() !== '';
  }

  /** Which state of a box is the ticked one is in its appearances; without them every state but Off is. */
  const isChecked = (form: Form, annotation: number): boolean =>
    pdfium._FPDFAnnot_IsChecked(form.environment, annotation) !== 0 || lacksTick(form, annotation);

  function lacksTick(form: Form, annotation: number): boolean {
    if (pdfium._FPDFAnnot_IsChecked(form.environment, annotation)) return false;
    const state = textIn(pdfium._FPDFAnnot_GetStringValue(annotation, keyAs, scratch, MAX_VALUE));
    return state !== '' && state !== 'Off';
  }

  function write(form: Form, annotation: number): void {
    if (lacksTick(form, annotation)) {
      const marks = wideText(tickIn(rectangleOf(annotation)));
      const at = copyIn(pdfium, marks);
      pdfium._FPDFAnnot_SetAP(annotation, 0, at);
      free(at);
    } else pdfium._EPDFAnnot_GenerateFormFieldAP(annotation);
  }

  function rectangleOf(annotation: number): number[] {
    return pdfium._FPDFAnnot_GetRect(annotation, scratch)
      ? [0, 4, 8, 12].map((offset) => view().getFloat32(scratch + offset, true))
      : [0, 0, 0, 0];
  }

  function tickOf(form: Form, annotation: number, type: number): string {
    const isTicked = isChecked(form, annotation);
    if (type === CHECK_BOX) return isTicked ? '☑' : '☐';
    return isTicked ? '◉' : '○';
  }

  return {
    kindOf: (document: number): number => pdfium._FPDF_GetFormType(document),

    /** Opens the form of a document; undefined if it has none. */
    open(document: number): Form | undefined {
      if (pdfium._FPDF_GetFormType(document) === NO_FORM) return undefined;
      const info = malloc(ENVIRONMENT_BYTES);
      pdfium.HEAPU8.fill(0, info, info + ENVIRONMENT_BYTES);
      view().setInt32(info, ENVIRONMENT_VERSION, true);
      const environment = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
      if (environment !== 0) return { environment, info };
      free(info);
      return undefined;
    },

    close({ environment, info }: Form): void {
      pdfium._FPDFDOC_ExitFormFillEnvironment(environment);
      free(info);
    },

    enter(form: Form | undefined, page: number): void {
      if (form) pdfium._FORM_OnAfterLoadPage(page, form.environment);
    },

    leave(form: Form | undefined, page: number): void {
      if (form) pdfium._FORM_OnBeforeClosePage(page, form.environment);
    },

    /** Gives fields whose appearance leaves out their value, and notes without an appearance, one that shows it. */
    settle(form: Form | undefined, page: number): void {
      eachAnnotation(page, (annotation) => {
        const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
        if (subtype === WIDGET && form && !isWritten(form, annotation)) write(form, annotation);
        if (subtype === FREE_TEXT && !pdfium._EPDFAnnot_HasAppearanceStream(annotation, 0))
          pdfium._EPDFAnnot_GenerateAppearance(annotation);
      });
    },

    /**
     * Draws the fields that PDFium leaves out when it draws a form: those that the form does not list, and ticked boxes
     * without appearances.
     */
    drawLeftOut(
      form: Form | undefined,
      page: number,
      {
        bitmap,
        flags,
        scale: [across, down],
      }: { bitmap: number; flags: number; scale: readonly [number, number] },
    ): void {
      eachAnnotation(page, (annotation) => {
        if (pdfium._FPDFAnnot_GetSubtype(annotation) !== WIDGET || !isVisible(annotation)) return;
        const type = typeOf(form, annotation);
        const isLeftOut = type === NO_FIELD || (form && isTick(type) && lacksTick(form, annotation));
        if (!isLeftOut) return;
        for (const [at, value] of [across, 0, 0, down, 0, 0].entries())
          view().setFloat32(scratch + at * 4, value, true);
        pdfium._EPDF_RenderAnnotBitmap(bitmap, page, annotation, 0, scratch, flags);
      });
    },

    /**
     * Makes fields, notes and stamps part of the page, so that their text is read with it, and returns where they are.
     * The page must be loaded again; afterwards it cannot be drawn as it was.
     */
    merge(form: Form | undefined, page: number): Annotations {
      const found: Annotations = { areas: [], ticks: [] };
      eachAnnotation(page, (annotation) => {
        const flags = pdfium._FPDFAnnot_GetFlags(annotation);
        const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
        const type = subtype === WIDGET ? typeOf(form, annotation) : NO_FIELD;
        const isShown = isVisible(annotation);
        const area = rectangleOf(annotation);
        if (isShown && [WIDGET, FREE_TEXT, STAMP].includes(subtype)) found.areas.push(area);
        if (form && isTick(type) && isShown) found.ticks.push({ area, text: tickOf(form, annotation, type) });
        // The sign in a ticked box is a letter of a font for signs, such as 4.
        if (isTick(type) || !isShown) pdfium._FPDFAnnot_SetFlags(annotation, flags | HIDDEN);
      });
      settleSize(page);
      pdfium._FPDFPage_Flatten(page, 0);
      return found;
    },

    /** Tells whether a page has text in its annotations. */
    hasText(page: number): boolean {
      let hasText = false;
      eachAnnotation(page, (annotation) => {
        hasText ||= [WIDGET, FREE_TEXT, STAMP].includes(pdfium._FPDFAnnot_GetSubtype(annotation));
      });
      return hasText;
    },
  };
}

/** A tick in a rectangle, as the content of an appearance. */
function tickIn([left = 0, top = 0, right = 0, bottom = 0]: readonly number[]): string {
  const at = (across: number, up: number): string =>
    `${(left + (right - left) * across).toFixed(2)} ${(bottom + (top - bottom) * up).toFixed(2)}`;
  const width = Math.max(0.5, (top - bottom) / 10).toFixed(2);
  return `q ${width} w ${at(0.2, 0.5)} m ${at(0.4, 0.25)} l ${at(0.8, 0.75)} l S Q`;
}
