import { grayscale, type PDF, type PDFPage } from '@libpdf/core';
import type { Line, textOn } from './drawing.server.ts';

export const A4 = { width: 595.28, height: 841.89 };
export const LETTER = { width: 612, height: 792 };
export const MARGIN = 56;
export const GAP = 12;
const FOOTER = 8;

interface Options {
  paper: { width: number; height: number };
  footer: string;
  /** Runs after a page was added, and receives how to draw its footer. */
  onPage: (page: PDFPage, drawFooter: () => void) => void;
}

/** Pages that are filled from top to bottom, with a footer on each. */
export async function pagesWithFooter(
  pdf: PDF,
  text: ReturnType<typeof textOn>,
  { paper, footer, onPage }: Options,
) {
  const width = paper.width - 2 * MARGIN;
  const footerLines = await text.lines(footer, 'regular', { size: FOOTER, width });
  const lowest = MARGIN + heightOf(footerLines) + GAP;
  let page: PDFPage | undefined;
  let top = 0;

  /** A page with at least this height left: the present one, else a new one. */
  function pageWith(height: number): PDFPage {
    if (page && top - height >= lowest) return page;
    const added = pdf.addPage(paper);
    page = added;
    top = paper.height - MARGIN;
    onPage(added, () => {
      added.drawLine({
        start: { x: MARGIN, y: lowest - GAP / 2 },
        end: { x: paper.width - MARGIN, y: lowest - GAP / 2 },
        color: grayscale(0.6),
        thickness: 0.5,
      });
      drawLines(added, footerLines, MARGIN, lowest - GAP);
    });
    return added;
  }

  return {
    width,
    pageWith,
    /** From the bottom of the page to where the next line is drawn. */
    top: (): number => top,
    /** The height left on the page. */
    room: (): number => Math.max(0, top - lowest),
    moveDown(height: number): void {
      top -= height;
    },
  };
}

export const heightOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { height }) => sum + height, 0);

export function drawLines(page: PDFPage, lines: readonly Line[], x: number, from: number): void {
  let top = from;
  for (const line of lines) {
    line.draw(page, x, top);
    top -= line.height;
  }
}
