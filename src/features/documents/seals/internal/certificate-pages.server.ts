import type { PDF } from '@libpdf/core';
import type { CertificateContent } from '../sealing.server.ts';
import type { Line, textOn } from './drawing.server.ts';
import type { FontName } from './fonts.server.ts';
import { A4, pagesWithFooter, GAP, LETTER, MARGIN } from './pages-with-footer.server.ts';
import { shownBox } from '#features/documents/document-preparation/page-box.server.ts';

const LABELS = 160;

/**
 * Adds the pages that say who signed, when and how, on the paper of the document; a line break in a value begins a
 * line.
 */
export async function addCertificatePages(
  pdf: PDF,
  text: ReturnType<typeof textOn>,
  { title, lead, sections, footer }: CertificateContent,
): Promise<void> {
  const pages = await pagesWithFooter(pdf, text, {
    paper: paperOf(pdf),
    footer,
    onPage: (_, drawFooter) => drawFooter(),
  });
  const { width } = pages;

  async function paragraph(words: string, font: FontName, size: number, after: number): Promise<void> {
    if (words === '') return;
    for (const line of await text.lines(words, font, { size, width })) {
      line.draw(pages.pageWith(line.height), MARGIN, pages.top());
      pages.moveDown(line.height);
    }
    pages.moveDown(after);
  }

  await paragraph(title, 'bold', 18, GAP / 2);
  await paragraph(lead, 'regular', 10, GAP);
  for (const section of sections) {
    pages.pageWith(80); // a heading is not alone at the end of a page
    await paragraph(section.title, 'bold', 12, 4);
    for (const row of section.rows) {
      const label = await text.lines(row.label, 'regular', { size: 9, width: LABELS - GAP });
      const value: Line[] = [];
      for (const line of row.value.split('\n'))
        value.push(...(await text.lines(line, 'regular', { size: 9, width: width - LABELS })));
      for (let i = 0; i < Math.max(label.length, value.length); i += 1) {
        const [left, right] = [label[i], value[i]];
        const height = Math.max(left?.height ?? 0, right?.height ?? 0);
        const target = pages.pageWith(height);
        left?.draw(target, MARGIN, pages.top());
        right?.draw(target, MARGIN + LABELS, pages.top());
        pages.moveDown(height);
      }
      pages.moveDown(2);
    }
    pages.moveDown(GAP);
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
