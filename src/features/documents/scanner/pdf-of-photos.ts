/*
 * A PDF made of photos, in the browser and on the server: each JPEG is embedded unchanged (DCTDecode),
 * centred on a page of its own with the photo's orientation. There is nothing else in the file: no author, no
 * date, no program (docs/decisions/0028-scans.md).
 */

export type Paper = 'a4' | 'letter';

/** In points, 72 to the inch, upright. */
const PAPERS: Record<Paper, readonly [width: number, height: number]> = {
  a4: [595.28, 841.89],
  letter: [612, 792],
};

/** The usual paper size where this language is spoken. */
export const paperOf = (locale: string): Paper => (/-(?:US|CA)$/.test(locale) ? 'letter' : 'a4');

/**
 * Yields the chunks of the PDF; the JPEGs are passed through unchanged. Throws a RangeError unless they are
 * JPEGs in grey or colour.
 */
export function* pdfOf(
  jpegs: readonly Uint8Array<ArrayBuffer>[],
  paper: Paper,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const offsets: number[] = [];
  let length = 0;
  const written = (piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
    length += piece.length;
    return piece;
  };
  const object = (id: number, text: string): Uint8Array<ArrayBuffer> => {
    offsets[id] = length;
    return written(ascii(`${id} 0 obj\n${text}`));
  };
  const idOf = (page: number): number => 3 + page * 3;

  yield written(ascii('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'));
  yield object(1, '<< /Type /Catalog /Pages 2 0 R >>\nendobj\n');
  yield object(
    2,
    `<< /Type /Pages /Count ${jpegs.length} /Kids [${jpegs.map((_, page) => `${idOf(page)} 0 R`).join(' ')}] >>\nendobj\n`,
  );
  for (const [page, jpeg] of jpegs.entries()) {
    const id = idOf(page);
    const shape = shapeOf(jpeg);
    const { size, draw } = placed(shape, paper);
    yield object(
      id,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Resources << /XObject << /I ${id + 2} 0 R >> >> /Contents ${id + 1} 0 R >>\nendobj\n`,
    );
    yield object(id + 1, `<< /Length ${draw.length} >>\nstream\n${draw}\nendstream\nendobj\n`);
    yield object(
      id + 2,
      `<< /Type /XObject /Subtype /Image /Width ${shape.width} /Height ${shape.height} /ColorSpace /${shape.isGrey ? 'DeviceGray' : 'DeviceRGB'} /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`,
    );
    yield written(jpeg);
    yield written(ascii('\nendstream\nendobj\n'));
  }
  const start = length;
  const entries = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  yield ascii(
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${entries.join('')}trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
}

interface Shape {
  width: number;
  height: number;
  isGrey: boolean;
}

/** Returns the page for a photo, and its position there: as large as it fits, centred. */
function placed({ width, height }: Shape, paper: Paper): { size: readonly [number, number]; draw: string } {
  const [short, long] = PAPERS[paper];
  const size = width > height ? ([long, short] as const) : ([short, long] as const);
  const scale = Math.min(size[0] / width, size[1] / height);
  const drawn = [width * scale, height * scale] as const;
  const round = (points: number): string => points.toFixed(2);
  return {
    size,
    draw: `q ${round(drawn[0])} 0 0 ${round(drawn[1])} ${round((size[0] - drawn[0]) / 2)} ${round((size[1] - drawn[1]) / 2)} cm /I Do Q`,
  };
}

/** Reads width, height and colours from the frame header of a JPEG (ITU-T T.81, B.2.2). */
function shapeOf(jpeg: Uint8Array): Shape {
  const at = (offset: number): number => jpeg[offset] ?? 0;
  const word = (offset: number): number => at(offset) * 256 + at(offset + 1);
  let offset = word(0) === 0xffd8 ? 2 : Infinity;
  while (offset + 9 < jpeg.length && at(offset) === 0xff) {
    const marker = at(offset + 1);
    if (FRAMES.has(marker)) {
      const [height, width, components] = [word(offset + 5), word(offset + 7), at(offset + 9)];
      if (height > 0 && width > 0 && (components === 1 || components === 3))
        return { width, height, isGrey: components === 1 };
      break;
    }
    offset += 2 + word(offset + 2);
  }
  throw new RangeError(
    'A page of a scan is no JPEG in grey or colour: draw the photo anew before it is given to pdfOf().',
  );
}

/** Start of frame, whatever the coding; C4, C8 and CC have other meanings. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

const ascii = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));
