import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { openPdfs } from '#features/documents/viewer/pdfium.server.ts';
import { CHOSEN_RADIO, FIELDS, formPdf, type Appearance } from '../../support/form-pdf.ts';
import {
  differenceOf,
  inkIn,
  pictureOf,
  popplerPicture,
  type Picture,
} from '../../support/poppler-picture.ts';

/* Filled forms, in all the ways in which programs save the appearance of their fields. */

const WIDTH = 595;
const HEIGHT = 842;
const pdfs = await openPdfs();

const keyOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function drawn(bytes: Buffer): Promise<Picture> {
  const drawing = pdfs.draw({ kind: 'draw', key: keyOf(bytes), bytes, page: 1, width: WIDTH });
  if ('refused' in drawing) throw new Error(`It is not drawn: ${drawing.refused}`);
  const { pixels, width, height } = drawing;
  return pictureOf(sharp(pixels, { raw: { width, height, channels: 4 } }));
}

function read(bytes: Buffer, find?: string) {
  const answer = pdfs.read({
    kind: 'read',
    key: keyOf(bytes),
    bytes,
    from: 1,
    ...(find !== undefined && { find }),
  });
  if ('refused' in answer) throw new Error(`It is not read: ${answer.refused}`);
  return answer;
}

/** An area of a page, from its upper left corner, without the frame of the field. */
const inside = ([x, y, width, height]: readonly [number, number, number, number]) => ({
  x: x + 3,
  y: HEIGHT - y - height + 3,
  width: width - 6,
  height: height - 6,
});

const SAVED = (['good', 'empty', 'none'] as Appearance[]).flatMap((appearance) =>
  [false, true].map((needAppearances) => ({ appearance, needAppearances })),
);
const poppler = await popplerPicture(formPdf(), { width: WIDTH, height: HEIGHT });

describe('filled forms', () => {
  test.each(SAVED)('each field is drawn with its value: %o', async (saved) => {
    const picture = await drawn(formPdf(saved));
    const areas = { ...Object.fromEntries(Object.entries(FIELDS).map(([name, { area }]) => [name, area])) };
    for (const [name, area] of Object.entries({ ...areas, radio: CHOSEN_RADIO })) {
      const [ours, theirs] = [inkIn(picture, inside(area)), inkIn(poppler, inside(area))];
      expect([name, theirs > 0.01, ours > theirs / 4]).toEqual([name, true, true]);
    }
    const notChosen = inside([90, 380, 20, 20]);
    expect(inkIn(picture, notChosen)).toBe(0);
  });

  test('a form whose fields have appearances looks as in another program', async () => {
    expect(differenceOf(await drawn(formPdf()), poppler)).toBeLessThan(0.002);
  });

  test.each(SAVED)('the values of fields are text of the page, after their labels: %o', (saved) => {
    const [page] = read(formPdf(saved)).pages;
    const texts = page?.runs.map(({ text }) => text) ?? [];
    expect(texts.slice(0, 3)).toEqual(['Application', 'Maria Exemplo', 'Rua das Flores']);
    for (const { shows } of Object.values(FIELDS)) expect(texts).toContain(shows);
    expect(texts.filter((text) => '◉○'.includes(text))).toEqual(['◉', '○']);
    const name = page?.runs.find(({ text }) => text === 'Maria Exemplo');
    expect(name && inside(FIELDS.text.area).y - 3 <= name.y && name.y + name.height < HEIGHT - 736).toBe(
      true,
    );
  });

  test.each(SAVED)('a search finds the values of fields: %o', (saved) => {
    const { found, pages } = read(formPdf(saved), 'maria');
    expect([found?.total, pages[0]?.marks.length]).toEqual([1, 1]);
  });

  test('a page is drawn the same before and after its text was read', async () => {
    const bytes = formPdf({ appearance: 'none' });
    const before = await drawn(bytes);
    read(bytes);
    expect(Buffer.compare((await drawn(bytes)).pixels, before.pixels)).toBe(0);
  });

  test('no script of a document runs', async () => {
    const script = 'this.getField\\("text"\\).value = "CHANGED"; event.value = "CHANGED";';
    for (const saved of SAVED) {
      const bytes = formPdf({ ...saved, script });
      expect(bytes.includes('CHANGED')).toBe(true);
      const text = read(bytes)
        .pages[0]?.runs.map((run) => run.text)
        .join(' ');
      expect([text?.includes('Maria Exemplo'), text?.includes('CHANGED')]).toEqual([true, false]);
      expect(differenceOf(await drawn(bytes), await drawn(formPdf(saved)))).toBeLessThan(0.001);
    }
  });
});
