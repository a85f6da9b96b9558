import { readFileSync } from 'node:fs';
import { PDF, PdfDict, PdfStream } from '@libpdf/core';
import sharp from 'sharp';
import { inSealThread } from '#features/documents/seals/worker.server.ts';

/*
 * Started by tests on a machine without fonts (FONTCONFIG_FILE): draws names as signatures, and prints for each the size
 * of its image in the document, and of an image in which every letter is a box.
 */

const user = { person: 'test', firm: 'test' };
const names = JSON.parse(readFileSync(0, 'utf8')) as string[];
const results = [];
for (const text of names) {
  const { letters } = await inSealThread(user, { kind: 'letters', text });
  const boxes = await sharp({
    text: { text, font: 'DejaVu Serif Italic 24', dpi: 288, rgba: true },
  }).metadata();
  const { bytes } = await inSealThread(user, {
    kind: 'compose',
    paper: 'a4',
    content: { language: 'en', title: '', lead: '', sections: [list(text)], footer: 'Footer' },
  });
  results.push({ text, letters, boxes: [boxes.width, boxes.height], images: await imagesIn(bytes) });
}
process.stdout.write(JSON.stringify(results));
process.exit(0);

function list(value: string) {
  return { kind: 'list' as const, title: '', items: [{ label: '', value }] };
}

async function imagesIn(bytes: Uint8Array): Promise<number[][]> {
  const pdf = await PDF.load(bytes);
  const resolve = pdf.context.registry.resolve.bind(pdf.context.registry);
  return pdf.getPages().flatMap(({ dict }) => {
    const objects = dict.getDict('Resources', resolve)?.getDict('XObject', resolve);
    return [...(objects ?? new PdfDict())].flatMap(([name]) => {
      const image = objects?.get(name, resolve);
      return image instanceof PdfStream
        ? [[image.getNumber('Width', resolve)?.value ?? 0, image.getNumber('Height', resolve)?.value ?? 0]]
        : [];
    });
  });
}
