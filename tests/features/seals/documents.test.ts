import { PDF, type PdfDict } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { openViews } from '#features/documents/document-preparation/pdfium-pages.server.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import { sealPdf, type Stamp } from '#features/documents/seals/sealing.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast } from '../../support/cast.ts';
import { popplerDifference, popplerInk, popplerPages, type PageArea } from '../../support/poppler.ts';
import { HELVETICA, onePage, PLAIN, rawPdf, shows, stream } from '../../support/raw-pdf.ts';
import { faultsOf, pdfOfPages, pdfsigOf } from '../../support/sealing.ts';
import '../../../src/app.server.ts';

/* Documents as other programs write them, drawn by PDFium in the product and by poppler here. */

const { firmOne } = await makeCast();

const AREA: PageArea = { x: 0.1, y: 0.05, width: 0.4, height: 0.06 };
const stamp: Stamp = {
  page: 0,
  x: 10_000,
  y: 5000,
  width: 40_000,
  height: 6000,
  kind: 'text',
  text: 'SIGNED',
};
const certificate = { title: 'Record of signatures', lead: '', sections: [], footer: 'Footer' };

const seal = (prepared: Uint8Array, stamps: readonly Stamp[] = [stamp]) =>
  sealPdf({ companyId: firmOne, prepared, stamps, certificate, signedAt: now() });

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => {
      const found = refusal(error);
      return found && { code: found.code, ...found.details };
    },
  );

/** Prepares and seals a document, and checks what must hold for every one. */
async function signed(source: Uint8Array) {
  const prepared = await preparePdf(source);
  const { bytes } = await seal(prepared.bytes);
  expect(await faultsOf(bytes)).toBe('');
  expect(await pdfsigOf(bytes)).toMatchObject({ isValid: true, isTotal: true });
  const [before, after] = [await popplerPages(prepared.bytes), await popplerPages(bytes)];
  const [first, last] = [before[0], after[0]];
  if (!first || !last) throw new Error('poppler draws no page');
  expect(popplerDifference(first, last, [AREA])).toBe(0);
  expect(popplerDifference(first, last)).toBeGreaterThan(20);
  expect(last.text).toContain('SIGNED');
  return { ...prepared, first, last };
}

describe('attributes that pages inherit', () => {
  const inheriting = (pages: string, page = ''): Buffer =>
    onePage({ page, pages, content: `${shows('Salary: EUR 4,200')} 50 700 200 40 re S` });
  const fonts = '/Resources<</Font<</F1 5 0 R>>>>';
  const size = '/MediaBox[0 0 595 842]';

  test.each([
    ['fonts and size', inheriting(fonts + size), [595, 842]],
    ['only the size', inheriting(size, fonts), [595, 842]],
    ['the rotation', inheriting(`${size}/Rotate 90`, fonts), [842, 595]],
    ['the crop box', inheriting(`${size}/CropBox[0 421 595 842]`, fonts), [595, 421]],
    ['everything', inheriting(`${fonts}${size}/Rotate 270/CropBox[0 421 595 842]`), [421, 595]],
  ])(
    'a sealed page that inherited %s shows its text and its stamp in place',
    async (_, source, [width, height]) => {
      const { pages, first, last, differences } = await signed(source);
      expect(pages).toEqual([{ width, height }]);
      expect(differences).toEqual([]);
      const [original] = await popplerPages(source);
      expect(original && popplerDifference(original, first)).toBe(0);
      expect(last.text).toContain('Salary: EUR 4,200');
      expect(popplerInk(last, AREA)).toBeGreaterThan(0.02);
    },
  );

  test('a field on a page that inherits its fonts keeps its value and the text of the page', async () => {
    const source = onePage({
      page: '/Annots[6 0 R]',
      pages: `${fonts}${size}`,
      catalog: '/AcroForm<</Fields[6 0 R]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>',
      objects: [
        '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Maria Exemplo)/Rect[50 500 300 525]/F 4/P 3 0 R/AP<</N 7 0 R>>>>',
        stream(
          shows('Maria Exemplo', { x: 2, y: 8, size: 12 }),
          `/Type/XObject/Subtype/Form/BBox[0 0 250 25]${fonts}`,
        ),
      ],
    });
    const { last } = await signed(source);
    expect(last.text).toContain('Maria Exemplo');
    expect(last.text).toContain('Service agreement');
  });

  test('a page that is not in a list of pages is followed by the certificate', async () => {
    const source = rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Page/Contents 3 0 R${PLAIN}>>`,
      stream(shows('Service agreement')),
      '<<>>',
      HELVETICA,
    ]);
    const { last } = await signed(source);
    expect(last.text).toContain('Service agreement');
  });

  test('a page tree that is its own parent is read to an end', async () => {
    const source = rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>',
      `<</Type/Page/Parent 2 0 R/Contents 4 0 R${PLAIN}>>`,
      stream(shows('Service agreement')),
      HELVETICA,
    ]);
    const outcome = await preparePdf(source).then(
      ({ pages }) => pages,
      (error: unknown) => refusal(error)?.code,
    );
    expect([[{ width: 595, height: 842 }], 'UNREADABLE']).toContainEqual(outcome);
  });
});

describe('pages that lack something', () => {
  const mark = stream('0 0 1 RG 4 w 10 10 m 180 80 l S', '/Type/XObject/Subtype/Form/BBox[0 0 200 100]');

  test.each([
    ['no content', '/MediaBox[0 0 595 842]/Resources<<>>'],
    ['an empty list of contents', '/MediaBox[0 0 595 842]/Resources<<>>/Contents[]'],
    ['content that does not exist', '/MediaBox[0 0 595 842]/Contents 99 0 R'],
  ])('a page with an annotation and %s is drawn by every reader', async (_, page) => {
    const source = rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R${page}/Annots[4 0 R]>>`,
      '<</Type/Annot/Subtype/Stamp/Rect[60 500 260 600]/P 3 0 R/F 4/AP<</N 5 0 R>>>>',
      mark,
    ]);
    const { first } = await signed(source);
    expect(popplerInk(first, { x: 0.1, y: 0.28, width: 0.35, height: 0.13 })).toBeGreaterThan(0.01);
  });

  test.each([
    ['/MediaBox[0 0 0 0]', [612, 792]],
    ['', [612, 792]],
    ['/MediaBox[0 0 595 842]/CropBox[10 10 10 10]', [595, 842]],
    ['/MediaBox[0 0 595 842]/CropBox[2000 2000 2100 2100]', [595, 842]],
    ['/MediaBox[0 0 595 842]/Rotate 450', [842, 595]],
    ['/MediaBox[0 0 595 842]/Rotate -90', [842, 595]],
  ])('a page with %s has the size that readers show', async (box, [width, height]) => {
    const { pages } = await signed(onePage({ page: `${box}/Resources<</Font<</F1 5 0 R>>>>` }));
    expect(pages).toEqual([{ width, height }]);
  });

  test.each([
    ['restores more states than it saved', `q 0.5 0 0 0.5 0 0 cm Q Q Q ${shows('Salary')}`],
    [
      'leaves states, a scale and a clip open',
      `q q 0.3 0 0 0.3 0 0 cm 0 0 100 100 re W n q ${shows('Salary')}`,
    ],
    ['does not end its text', `BT /F1 14 Tf 50 700 Td (Salary) Tj`],
  ])('content that %s moves no stamp', async (_, content) => {
    await signed(onePage({ content }));
  });

  test('pages that share their resources keep their own annotations', async () => {
    const note = (text: string): string =>
      stream(shows(text, { x: 5, y: 10 }), '/Type/XObject/Subtype/Form/BBox[0 0 200 40]/Resources 6 0 R');
    const annotation = (page: number, appearance: number): string =>
      `<</Type/Annot/Subtype/Stamp/Rect[60 500 260 540]/P ${page} 0 R/F 4/AP<</N ${appearance} 0 R>>>>`;
    const page = (annotations: number): string =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources 6 0 R/Contents 7 0 R/Annots[${annotations} 0 R]>>`;
    const source = rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
      page(8),
      page(9),
      HELVETICA,
      '<</Font<</F1 5 0 R>>>>',
      stream(shows('Service agreement')),
      annotation(3, 10),
      annotation(4, 11),
      note('First note'),
      note('Second note'),
    ]);
    const [first, second] = await popplerPages((await preparePdf(source)).bytes);
    expect(first?.text).toContain('First note');
    expect(second?.text).toContain('Second note');
  });
});

describe('values of forms', () => {
  const APPEARANCES = { good: '/AP<</N 8 0 R>>', empty: '/AP<</N 9 0 R>>', none: '' };
  const TICKS = {
    good: '/AP<</N<</Yes 10 0 R/Off 9 0 R>>>>',
    empty: '/AP<</N<</Yes 9 0 R/Off 9 0 R>>>>',
    none: '',
  };
  const box = '/Type/XObject/Subtype/Form/BBox[0 0 250 25]/Resources<</Font<</F1 5 0 R>>>>';

  /** A page with a field and a tick; the field has the name `person`. */
  const form = (
    field: string,
    { tick = TICKS.good, isNeeded = false, value = 'Maria Exemplo', color = '0 G' } = {},
  ): Buffer =>
    onePage({
      page: `${PLAIN}/Annots[6 0 R 7 0 R]`,
      catalog: `/AcroForm<</Fields[6 0 R 7 0 R]/NeedAppearances ${isNeeded}/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>`,
      objects: [
        `<</Type/Annot/Subtype/Widget/T(person)/Rect[50 740 300 765]/F 4/P 3 0 R/DA(/F1 12 Tf 0 g)${field}>>`,
        `<</Type/Annot/Subtype/Widget/FT/Btn/T(agreed)/V/Yes/AS/Yes/Rect[50 700 70 720]/F 4/P 3 0 R/DA(/ZaDb 0 Tf 0 g)/MK<</CA(4)>>${tick}>>`,
        stream(`/Tx BMC q ${shows(value, { x: 2, y: 8, size: 12 })} Q EMC`, box),
        stream('/Tx BMC EMC', box),
        stream(
          `q ${color} 2 w 3 3 14 14 re S 3 3 m 17 17 l S Q`,
          '/Type/XObject/Subtype/Form/BBox[0 0 20 20]',
        ),
      ],
    });
  const KINDS = {
    text: '/FT/Tx/V(Maria Exemplo)',
    'read-only text': '/FT/Tx/Ff 1/V(Maria Exemplo)',
    'multi-line text': '/FT/Tx/Ff 4096/V(Maria Exemplo)',
    'text in a comb': '/FT/Tx/Ff 16777216/MaxLen 13/V(Maria Exemplo)',
    choice: '/FT/Ch/Ff 131072/Opt[(Ana)(Maria Exemplo)]/V(Maria Exemplo)',
    'choice with other words': '/FT/Ch/Ff 131072/Opt[[(a)(Ana)][(m)(Maria Exemplo)]]/V(m)',
    list: '/FT/Ch/Opt[(Ana)(Maria Exemplo)]/V(Maria Exemplo)',
  };
  const fieldArea: PageArea = { x: 52 / 595, y: 1 - 763 / 842, width: 246 / 595, height: 21 / 842 };
  const tickArea: PageArea = { x: 52 / 595, y: 1 - 718 / 842, width: 16 / 595, height: 16 / 842 };

  describe.each(Object.entries(KINDS))('of %s', (_, kind) => {
    test.each(
      (['good', 'empty', 'none'] as const).flatMap((appearance) =>
        [true, false].map((isNeeded) => ({ appearance, isNeeded })),
      ),
    )('stay with $appearance appearances, NeedAppearances $isNeeded', async ({ appearance, isNeeded }) => {
      const source = form(`${kind}${APPEARANCES[appearance]}`, { tick: TICKS[appearance], isNeeded });
      const [page] = await popplerPages((await preparePdf(source)).bytes);
      expect(page?.text).toContain('Maria Exemplo');
      expect(page && popplerInk(page, fieldArea)).toBeGreaterThan(0.01);
      expect(page && popplerInk(page, tickArea)).toBeGreaterThan(0.05);
    });
  });

  test('an appearance that shows the value in other words stays as it is', async () => {
    const source = form(`/FT/Tx/V(4200)${APPEARANCES.good}`, { value: 'EUR 4,200.00' });
    const { bytes, differences } = await preparePdf(source);
    expect((await popplerPages(bytes))[0]?.text).toContain('EUR 4,200.00');
    expect(differences).toEqual([]);
  });

  test.each(['1 0 0 RG', '0 0.6 0 RG', '0 0 1 RG', '0.9 0.8 0 RG'])(
    'a tick in the color %s stays as it is',
    async (color) => {
      const source = form(KINDS.text, { color });
      const { bytes, differences } = await preparePdf(source);
      const [[before], [after]] = [await popplerPages(source), await popplerPages(bytes)];
      expect(before && after && popplerDifference(before, after, [fieldArea])).toBe(0);
      expect(differences).toEqual([]);
    },
  );

  test('the sender is told of letters that no longer stand in boxes of their own', async () => {
    const comb = (appearance: string): Buffer => form(`${KINDS['text in a comb']}${appearance}`);
    expect((await preparePdf(comb(''))).differences).toEqual([{ page: 1, kinds: ['picture'] }]);
    expect((await preparePdf(comb(APPEARANCES.good))).differences).toEqual([]);
  });

  test('an outdated appearance is replaced where readers are asked to draw the value', async () => {
    const source = form(`/FT/Tx/V(Maria Exemplo)${APPEARANCES.good}`, { value: 'Old name', isNeeded: true });
    const text = (await popplerPages((await preparePdf(source)).bytes))[0]?.text;
    expect(text).toContain('Maria Exemplo');
    expect(text).not.toContain('Old name');
  });

  test('a value whose letters cannot be drawn is refused by the name of its field', async () => {
    const chinese = `/FT/Tx/V<FEFF${Buffer.from('王小明', 'utf16le').swap16().toString('hex')}>`;
    expect(await problemOf(preparePdf(form(chinese)))).toEqual({
      code: 'NOT_POSSIBLE',
      cause: 'lost-values',
      fields: ['person'],
    });
  });

  test('what is hidden in a form stays hidden', async () => {
    const source = form('/FT/Tx/V(Maria Exemplo)')
      .toString('latin1')
      .replace('/F 4/P 3 0 R/DA(/F1', '/F 2/P 3 0 R/DA(/F1');
    const [page] = await popplerPages((await preparePdf(Buffer.from(source, 'latin1'))).bytes);
    expect(page?.text).not.toContain('Maria Exemplo');
  });

  test('a field that the form does not list is drawn, since readers show it', async () => {
    const source = form(`/FT/Tx/V(Maria Exemplo)${APPEARANCES.good}`)
      .toString('latin1')
      .replace('/Fields[6 0 R 7 0 R]', '/Fields[7 0 R      ]');
    const [page] = await popplerPages((await preparePdf(Buffer.from(source, 'latin1'))).bytes);
    expect(page?.text).toContain('Maria Exemplo');
  });
});

describe('what programs may show differently', () => {
  const layer = (usage: string): string => `<</Type/OCG/Name(Layer)${usage}>>`;
  const VIEW_OFF = '/Usage<</View<</ViewState/OFF>>/Print<</PrintState/ON>>>>';
  const layers = '/OCProperties<</OCGs[6 0 R]/D<</Order[6 0 R]/OFF[]>>>>';
  const clause = shows('PRINT ONLY CLAUSE', { y: 400 });

  const hiding: Record<string, Buffer> = {
    'a layer that is hidden by its usage': onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/Properties<</L1 6 0 R>>>>',
      catalog: layers,
      content: `${shows('Service agreement')} /OC /L1 BDC ${clause} EMC`,
      objects: [layer(VIEW_OFF)],
    }),
    'a membership of a layer': onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/Properties<</L1 7 0 R>>>>',
      catalog: layers,
      content: `${shows('Service agreement')} /OC /L1 BDC ${clause} EMC`,
      objects: [layer(VIEW_OFF), '<</Type/OCMD/OCGs[6 0 R]/P/AnyOn>>'],
    }),
    'a form XObject in a layer': onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/XObject<</X1 7 0 R>>>>',
      catalog: layers,
      content: `${shows('Service agreement')} /X1 Do`,
      objects: [
        layer(VIEW_OFF),
        stream(
          clause,
          '/Type/XObject/Subtype/Form/BBox[0 0 595 842]/OC 6 0 R/Resources<</Font<</F1 5 0 R>>>>',
        ),
      ],
    }),
    'a pattern in a layer': onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/Pattern<</P1 7 0 R>>>>',
      catalog: layers,
      content: `${shows('Service agreement')} /Pattern cs /P1 scn 50 380 400 60 re f`,
      objects: [
        layer(VIEW_OFF),
        stream(
          `/OC /L1 BDC ${shows('PRINT ONLY CLAUSE', { x: 0, y: 20 })} EMC`,
          '/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 300 60]/XStep 300/YStep 60/Resources<</Font<</F1 5 0 R>>/Properties<</L1 6 0 R>>>>',
        ),
      ],
    }),
    'an annotation in a layer': onePage({
      page: `${PLAIN}/Annots[7 0 R]`,
      catalog: layers,
      objects: [
        layer(VIEW_OFF),
        '<</Type/Annot/Subtype/Stamp/Rect[50 390 350 430]/F 4/P 3 0 R/OC 6 0 R/AP<</N 8 0 R>>>>',
        stream(
          shows('PRINT ONLY CLAUSE', { x: 5, y: 10 }),
          '/Type/XObject/Subtype/Form/BBox[0 0 300 40]/OC 6 0 R/Resources<</Font<</F1 5 0 R>>>>',
        ),
      ],
    }),
    'a layer that is off by default': onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/Properties<</L1 6 0 R>>>>',
      catalog: '/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>',
      content: `${shows('Service agreement')} /OC /L1 BDC ${clause} EMC`,
      objects: [layer('')],
    }),
  };

  /** What PDFium shows, and poppler does not. */
  const SHOWN = new Set(['a pattern in a layer', 'an annotation in a layer']);

  test.each(Object.entries(hiding))(
    '%s means nothing in what is signed, and the sender is told if it was hidden in the portal',
    async (name, source) => {
      const { bytes, differences, first, last } = await signed(source);
      expect(differences).toMatchObject(SHOWN.has(name) ? [] : [{ page: 1 }]);
      for (const page of [first, last]) {
        // poppler reads no text in patterns
        if (name !== 'a pattern in a layer') expect(page.text).toContain('PRINT ONLY CLAUSE');
        expect(popplerInk(page, { x: 0.05, y: 0.46, width: 0.6, height: 0.1 })).toBeGreaterThan(0.005);
      }
      expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/\/OCG|\/OCMD|OCProperties|\/OC \d/);
    },
  );

  const PAINTED: PageArea = { x: 0.1, y: 0.49, width: 0.3, height: 0.04 };
  const ON_A4 = '/Type/XObject/Subtype/Form/BBox[0 0 595 842]';
  const blended = (mode: string, group: string): Buffer =>
    onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/XObject<</X1 6 0 R>>>>',
      content: `${shows('Service agreement')} q /X1 Do Q`,
      objects: [
        stream(
          // on whole pixels of poppler: edges look a little different in a group
          '/G1 gs 0 0.3 0.9 0 k 48 382 200 60 re f',
          `${ON_A4}${group}/Resources<</ExtGState<</G1<</Type/ExtGState/BM/${mode}>>>>>>`,
        ),
      ],
    });
  const GROUP = '/Group<</S/Transparency/CS/DeviceCMYK/I true>>';
  const INVERTED = '<</FunctionType 2/Domain[0 1]/N 1/C0[1]/C1[0]>>';
  const transferred = (entry: string): Buffer =>
    onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/ExtGState<</G1 6 0 R>>/XObject<</X1 7 0 R>>>>',
      content: `${shows('Service agreement')} q /G1 gs 200 0 0 60 50 380 cm /X1 Do Q`,
      objects: [
        `<</Type/ExtGState${entry}>>`,
        stream(
          '\xff\x20\x20\xff\xff\xff',
          '/Type/XObject/Subtype/Image/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB',
        ),
      ],
    });

  /** The share of the painted area that has ink for PDFium. */
  const inkForPdfium = async (bytes: Uint8Array): Promise<number> => {
    const view = (await openViews(bytes))?.view(0);
    const pixels = view?.pixels.filter((_, at) => at % 4 < 3) ?? new Uint8Array();
    return popplerInk({ width: view?.width ?? 0, height: view?.height ?? 0, pixels, text: '' }, PAINTED);
  };

  test.each([
    ['mixed with blank paper', blended('Color', '')],
    ['mixed in a group with blank paper', blended('Color', '/Group<</S/Transparency/CS/DeviceCMYK>>')],
    ['brightened on blank paper', blended('Screen', '')],
  ])('a color that is %s is signed as all show it', async (_, source) => {
    const [theirs] = await popplerPages(source);
    const { bytes, differences, first } = await signed(source);
    expect(await inkForPdfium(source)).toBe(1);
    expect(differences).toEqual([]);
    expect(theirs && popplerDifference(theirs, first)).toBe(0);
    expect(popplerInk(first, PAINTED)).toBe(1);
    expect(await inkForPdfium(bytes)).toBe(1);
  });

  test.each([
    ['a color that is multiplied', blended('Multiply', GROUP)],
    ['a color in a group of its own', blended('Color', GROUP)],
    ['a transfer function that changes nothing', transferred('/TR/Identity/TR2/Default')],
  ])('%s is signed as it is', async (_, source) => {
    const [theirs] = await popplerPages(source);
    const { differences, first } = await signed(source);
    expect(differences).toEqual([]);
    expect(theirs && popplerDifference(theirs, first)).toBe(0);
  });

  test.each([
    ['a transfer function', `/TR ${INVERTED}`],
    ['transfer functions of four inks', `/TR2[${`${INVERTED} `.repeat(4)}]`],
  ])('%s, which programs apply to different colors, is refused', async (_, entry) => {
    expect(await problemOf(preparePdf(transferred(entry)))).toEqual({
      code: 'NOT_POSSIBLE',
      cause: 'active-content',
    });
  });

  test('the sender is told of an annotation that only some programs draw', async () => {
    const polygon =
      '<</Type/Annot/Subtype/Polygon/Rect[328 0 612 283]/C[0 1 0]/IC[0 1 0]/P 3 0 R/F 4/Vertices[612 0 470 0 328 283]>>';
    const { differences } = await preparePdf(onePage({ page: `${PLAIN}/Annots[6 0 R]`, objects: [polygon] }));
    expect(differences).toEqual([{ page: 1, kinds: ['picture'] }]);
  });

  test('a font that is named like a layer stays', async () => {
    const source = onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</OC 5 0 R/AA 5 0 R>>>>',
      content: `${shows('Service agreement', { font: 'OC' })} ${shows('Annex', { font: 'AA', y: 700 })}`,
    });
    const { first, differences } = await signed(source);
    expect(differences).toEqual([]);
    expect(first.text).toMatch(/Service agreement[^]*Annex/);
  });

  const ACTIVE = onePage({
    page: `${PLAIN}/AA<</O 6 0 R>>/Annots[8 0 R]`,
    catalog:
      '/OpenAction 6 0 R/AA<</WC 6 0 R>>/Names<</JavaScript<</Names[(a)6 0 R]>>/EmbeddedFiles<</Names[(b)7 0 R]>>>>/AF[7 0 R]/Outlines 10 0 R',
    objects: [
      '<</S/JavaScript/JS(app.alert\\(1\\))>>',
      '<</Type/Filespec/F(evil.exe)/EF<</F 9 0 R>>>>',
      '<</Type/Annot/Subtype/FileAttachment/Rect[10 10 30 30]/FS 7 0 R>>',
      stream('MZ', '/Type/EmbeddedFile'),
      '<</First 11 0 R/Last 11 0 R/Count 1>>',
      '<</Title(Run)/Parent 10 0 R/A<</S/Launch/F(evil.exe)>>>>',
    ],
  });

  test('scripts, actions and files in it are removed', async () => {
    const { bytes } = await preparePdf(ACTIVE);
    const text = Buffer.from(bytes).toString('latin1');
    expect(text).not.toMatch(/JavaScript|OpenAction|\/AA|EmbeddedFile|Filespec|Launch|evil/);
    const catalog: PdfDict = (await PDF.load(bytes)).context.catalog.getDict();
    expect([...catalog.keys()].map(({ value }) => value)).not.toContain('AF');
  });

  test.each([
    [
      'an alternate image for print',
      '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Alternates[<</Image 7 0 R/DefaultForPrinting true>>]',
      undefined,
    ],
    [
      'content of another file',
      '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/F(other.bin)',
      { code: 'NOT_POSSIBLE', cause: 'external-content' },
    ],
    [
      'a program for printers',
      '/Type/XObject/Subtype/PS',
      { code: 'NOT_POSSIBLE', cause: 'external-content' },
    ],
  ])('%s is removed or refused', async (_, entries, problem) => {
    const source = onePage({
      page: '/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>/XObject<</X1 6 0 R>>>>',
      content: `${shows('Service agreement')} q 100 0 0 100 50 50 cm /X1 Do Q`,
      objects: [stream('\u0000', entries), stream('\u00ff', '/Type/XObject/Subtype/Image/Width 1/Height 1')],
    });
    if (problem) expect(await problemOf(preparePdf(source))).toEqual(problem);
    else expect(Buffer.from((await preparePdf(source)).bytes).toString('latin1')).not.toContain('Alternates');
  });
});

describe('documents that cannot be signed', () => {
  test('a form that only Adobe Reader shows is named', async () => {
    const waiting = onePage({
      catalog: '/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>',
      content: shows('Please wait...'),
      objects: [stream('<xdp/>')],
    });
    expect(await problemOf(preparePdf(waiting))).toEqual({ code: 'NOT_POSSIBLE', cause: 'xfa' });
  });

  test.each([
    ['only against changes', { ownerPassword: 'owner' }, { code: 'LOCKED', cause: 'restricted' }],
    ['by a password', { ownerPassword: 'owner', userPassword: 'user' }, { code: 'LOCKED' }],
  ])('a document that is protected %s is named', async (_, protection, problem) => {
    const pdf = await PDF.load(await pdfOfPages(1));
    pdf.setProtection(protection);
    expect(await problemOf(preparePdf(await pdf.save()))).toEqual(problem);
  });
});

describe('before it returns a sealed document', () => {
  test('a stamp that nobody could see is refused', async () => {
    const { bytes } = await preparePdf(onePage({ content: '0 g 0 0 595 842 re f' }));
    expect(await problemOf(seal(bytes))).toEqual({ code: 'NOT_POSSIBLE', cause: 'differs', pages: [1] });
  });
});
