import { ops, PDF, PdfStream, type PDFPage } from '@libpdf/core';
import type { DocumentSection } from '../composing.server.ts';
import type { Job, Results } from '../worker.server.ts';
import { textOn, type Line } from './drawing.server.ts';
import type { FontName } from './fonts.server.ts';
import { A4, drawLines, pagesWithFooter, GAP, heightOf, LETTER, MARGIN } from './pages-with-footer.server.ts';
import { tagsOf, type StructureElement } from './tagging.server.ts';

type ComposeJob = Extract<Job, { kind: 'compose' }>;
type ListSection = Extract<DocumentSection, { kind: 'list' }>;
type TableSection = Extract<DocumentSection, { kind: 'table' }>;

const TEXT = 9;
const LABELS = 0.35;
const PAGE_NUMBER = 8;
const ROW_GAP = 4;
/** A heading is not alone at the end of a page. */
const WITH_HEADING = 80;

/** A line of a cell, with the element that it belongs to. */
interface CellLine extends Line {
  element: StructureElement;
}
interface Cell {
  x: number;
  lines: CellLine[];
}

/** Composes a tagged document of lists and tables, with the number of each page. */
export async function compose({ content, paper }: ComposeJob): Promise<Results['compose']> {
  const pdf = PDF.create();
  pdf.setTitle(content.title, { showInWindowTitleBar: true });
  pdf.setLanguage(content.language);
  const text = textOn(pdf);
  const tags = tagsOf(pdf);
  const size = paper === 'letter' ? LETTER : A4;
  const added: PDFPage[] = [];
  /** What new pages repeat at their top: the column headings of a table that continues. */
  let repeated: Cell[] = [];
  const pages = await pagesWithFooter(pdf, text, { paper: size, footer: content.footer, onPage });
  const body = tags.element('Document');

  await paragraph(content.title, { tag: 'H1', parent: body, font: 'bold', size: 18, after: GAP / 2 });
  await paragraph(content.lead, { tag: 'P', parent: body, font: 'regular', size: 10, after: GAP });
  for (const section of content.sections) {
    const parent = tags.element('Sect', body);
    pages.pageWith(WITH_HEADING);
    await paragraph(section.title, { tag: 'H2', parent, font: 'bold', size: 12, after: 4 });
    await (section.kind === 'list' ? list(section, parent) : table(section, parent));
    pages.moveDown(GAP);
  }
  for (const [at, page] of added.entries()) {
    const [line] = await text.lines(`${at + 1} / ${added.length}`, 'regular', {
      size: PAGE_NUMBER,
      width: size.width,
    });
    tags.artifact(page, 'Footer', () => line?.draw(page, size.width - MARGIN, MARGIN / 2));
  }
  tags.finish(body);
  for (const page of added) joinContents(pdf, page);
  return { bytes: await pdf.save({ subsetFonts: true }) };

  function onPage(page: PDFPage, drawFooter: () => void): void {
    added.push(page);
    // the library restores the graphics state after what a page has; that would be inside the first marked content
    page.drawOperators([ops.pushGraphicsState(), ops.popGraphicsState()]);
    tags.artifact(page, 'Footer', drawFooter);
    if (repeated.length === 0) return;
    tags.artifact(page, 'Header', () => {
      for (const { x, lines } of repeated) drawLines(page, lines, x, pages.top());
    });
    pages.moveDown(heightOfRow(repeated) + ROW_GAP);
  }

  async function paragraph(
    words: string,
    options: {
      tag: 'H1' | 'H2' | 'P';
      parent: StructureElement;
      font: FontName;
      size: number;
      after: number;
    },
  ): Promise<void> {
    if (words === '') return;
    const element = tags.element(options.tag, options.parent);
    const lines = await text.lines(words, options.font, { size: options.size, width: pages.width });
    drawRow([{ x: MARGIN, lines: lines.map((line) => ({ ...line, element })) }]);
    pages.moveDown(options.after);
  }

  async function list({ items }: ListSection, parent: StructureElement): Promise<void> {
    const element = tags.element('L', parent);
    for (const { label, value } of items) {
      const item = tags.element('LI', element);
      const labels = label === '' ? 0 : pages.width * LABELS;
      const cells: Cell[] = [];
      if (label !== '') cells.push(await cell(label, tags.element('Lbl', item), { width: labels - GAP }));
      cells.push(
        await cell(value, tags.element('LBody', item), { left: labels, width: pages.width - labels }),
      );
      drawRow(cells);
      pages.moveDown(ROW_GAP);
    }
  }

  async function table({ columns, rows }: TableSection, parent: StructureElement): Promise<void> {
    const element = tags.element('Table', parent);
    const lefts = columns.map((_, at) =>
      columns.slice(0, at).reduce((sum, { share }) => sum + share * pages.width, 0),
    );
    const rowOf = (texts: readonly string[], row: StructureElement, isHead: boolean): Promise<Cell[]> =>
      Promise.all(
        texts.map((words, at) =>
          cell(
            words,
            isHead
              ? tags.element('TH', row, 'Column')
              : at === 0
                ? tags.element('TH', row, 'Row')
                : tags.element('TD', row),
            {
              left: lefts[at] ?? 0,
              width: (columns[at]?.share ?? 0) * pages.width - GAP,
              font: isHead ? 'bold' : 'regular',
            },
          ),
        ),
      );
    const labels = columns.map(({ label }) => label);
    const head = await rowOf(labels, tags.element('TR', tags.element('THead', element)), true);
    drawRow(head);
    pages.moveDown(ROW_GAP);
    repeated = head;
    const tableBody = tags.element('TBody', element);
    for (const row of rows) {
      drawRow(await rowOf(row, tags.element('TR', tableBody), false));
      pages.moveDown(ROW_GAP);
    }
    repeated = [];
  }

  /** A cell of a table or list; of several paragraphs, each is an element of its own. */
  async function cell(
    words: string,
    element: StructureElement,
    { left = 0, width, font = 'regular' }: { left?: number; width: number; font?: FontName },
  ): Promise<Cell> {
    const paragraphs = words.split('\n').filter((each) => each !== '');
    const lines: CellLine[] = [];
    for (const each of paragraphs) {
      const of = paragraphs.length > 1 ? tags.element('P', element) : element;
      const broken = await text.lines(each, font, { size: TEXT, width });
      lines.push(...broken.map((line) => ({ ...line, element: of })));
    }
    return { x: MARGIN + left, lines };
  }

  /** Draws cells beside each other, on one page if they fit, else on as many as they need. */
  function drawRow(cells: readonly Cell[]): void {
    let left = cells;
    while (left.some(({ lines }) => lines.length > 0)) {
      const first = Math.max(...left.map(({ lines }) => lines[0]?.height ?? 0));
      const page = pages.pageWith(Math.min(heightOfRow(left), MAX_TOGETHER));
      const room = Math.max(first, pages.room());
      const drawn = left.map(({ x, lines }) => ({ x, lines: thatFit(lines, room) }));
      for (const each of drawn) drawCell(page, each);
      pages.moveDown(heightOfRow(drawn));
      left = left.map(({ x, lines }, at) => ({ x, lines: lines.slice(drawn[at]?.lines.length) }));
    }
  }

  function drawCell(page: PDFPage, { x, lines }: Cell): void {
    let top = pages.top();
    for (const [element, each] of Map.groupBy(lines, (line) => line.element)) {
      const from = top;
      tags.mark(page, element, () => drawLines(page, each, x, from));
      for (const { imageOf } of each) if (imageOf !== undefined) tags.setText(element, imageOf);
      top -= heightOf(each);
    }
  }
}

/** Joins the content streams of a page: the library adds one for each drawing, which take most of the time and size. */
function joinContents(pdf: PDF, page: PDFPage): void {
  const { registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const contents = page.dict.getArray('Contents', resolve);
  if (!contents) return;
  const parts = Array.from({ length: contents.length }, (_, at) => contents.at(at, resolve)).flatMap(
    (each) => (each instanceof PdfStream ? [each.data] : []),
  );
  page.dict.set('Contents', registry.register(new PdfStream([], Buffer.concat(parts))));
}

/** Rows up to this height are not divided between pages. */
const MAX_TOGETHER = 200;

const heightOfRow = (cells: readonly Cell[]): number =>
  Math.max(0, ...cells.map(({ lines }) => heightOf(lines)));

function thatFit(lines: readonly CellLine[], room: number): CellLine[] {
  let height = 0;
  const at = lines.findIndex((line) => (height += line.height) > room);
  return at === -1 ? [...lines] : lines.slice(0, at);
}
