import { PDF } from '@libpdf/core';
import type { Job, Results } from '../worker.server.ts';
import { A4, addPages, LETTER, MARGIN } from './certificate-pages.server.ts';
import { textOn } from './drawing.server.ts';

type ComposeJob = Extract<Job, { kind: 'compose' }>;

/** Questions are longer than the labels of a certificate. */
const LABELS = 210;
const PAGE_NUMBER = 8;

/** Composes a document of labels and values, with the number of each page. */
export async function compose({ content, paper }: ComposeJob): Promise<Results['compose']> {
  const pdf = PDF.create();
  pdf.setTitle(content.title);
  const text = textOn(pdf);
  const size = paper === 'letter' ? LETTER : A4;
  await addPages(pdf, text, content, { paper: size, labels: LABELS });
  const pages = pdf.getPages();
  for (const [index, page] of pages.entries()) {
    const [line] = await text.lines(`${index + 1} / ${pages.length}`, 'regular', {
      size: PAGE_NUMBER,
      width: size.width,
    });
    line?.draw(page, size.width - MARGIN, MARGIN / 2);
  }
  return { bytes: await pdf.save({ subsetFonts: true }) };
}
