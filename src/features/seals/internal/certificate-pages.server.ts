import { grayscale, type PDF, type PDFPage } from '@libpdf/core';
import type { CertificateContent } from '../sealing.server.ts';
import type { FontName, textOn } from './drawing.server.ts';
import { shownBox } from './page-box.server.ts';

export const A4 = { width: 595.28, height: 841.89 };
export const LETTER = { width: 612, height: 792 };
export const MARGIN = 56;
const LABELS = 160;
const GAP = 12;
const FOOTER = 8;

type Line = Awaited<ReturnType<ReturnType<typeof textOn>['lines']>>[number];

/** Adds the pages that say who signed, when and how, on the paper of the document. */
export const addCertificatePages = (
  pdf: PDF,
  text: ReturnType<typeof textOn>,
  content: CertificateContent,
): Promise<void> => addPages(pdf, text, content, { paper: paperOf(pdf), labels: LABELS });

/** Adds pages of labels and values; a line break in a value begins a line. */
export async function addPages(
  pdf: PDF,
  text: ReturnType<typeof textOn>,
  { title, lead, sections, footer }: CertificateContent,
  { paper, labels }: { paper: { width: number; height: number }; labels: number },
): Promise<void> {
  const width = paper.width - 2 * MARGIN;
  const footerLines = await text.lines(footer, 'regular', { size: FOOTER, width });
  const lowest = MARGIN + heightOf(footerLines) + GAP;
  let page: PDFPage | undefined;
  let top = 0;

  function pageWith(height: number): PDFPage {
    if (page && top - height >= lowest) return page;
    page = pdf.addPage(paper);
    page.drawLine({
      start: { x: MARGIN, y: lowest - GAP / 2 },
      end: { x: paper.width - MARGIN, y: lowest - GAP / 2 },
      color: grayscale(0.6),
      thickness: 0.5,
    });
    drawLines(page, footerLines, MARGIN, lowest - GAP);
    top = paper.height - MARGIN;
    return page;
  }

  async function paragraph(words: string, font: FontName, size: number, after: number): Promise<void> {
    if (words === '') return;
    for (const line of await text.lines(words, font, { size, width })) {
      line.draw(pageWith(line.height), MARGIN, top);
      top -= line.height;
    }
    top -= after;
  }

  await paragraph(title, 'bold', 18, GAP / 2);
  await paragraph(lead, 'regular', 10, GAP);
  for (const section of sections) {
    pageWith(80); // a heading is not alone at the end of a page
    await paragraph(section.title, 'bold', 12, 4);
    for (const row of section.rows) {
      const label = await text.lines(row.label, 'regular', { size: 9, width: labels - GAP });
      const value: Line[] = [];
      for (const line of row.value.split('\n'))
        value.push(...(await text.lines(line, 'regular', { size: 9, width: width - labels })));
      for (let i = 0; i < Math.max(label.length, value.length); i += 1) {
        const [left, right] = [label[i], value[i]];
        const height = Math.max(left?.height ?? 0, right?.height ?? 0);
        const target = pageWith(height);
        left?.draw(target, MARGIN, top);
        right?.draw(target, MARGIN + labels, top);
        top -= height;
      }
      top -= 2;
    }
    top -= GAP;
  }
}

const heightOf = (lines: readonly Line[]): number => lines.reduce((sum, { height }) => sum + height, 0);

function drawLines(page: PDFPage, lines: readonly Line[], x: number, from: number): void {
  let top = from;
  for (const line of lines) {
    line.draw(page, x, top);
    top -= line.height;
  }
}

/** A4, or Letter if the first page is nearer to it. */
function paperOf(pdf: PDF): { width: number; height: number } {
  const first = pdf.getPage(0);
  if (!first) return A4;
  const { width, height } = shownBox(first);
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const distance = (paper: typeof A4): number =>
    Math.abs(paper.width - short) + Math.abs(paper.height - long);
  return distance(LETTER) < distance(A4) ? LETTER : A4;
}
