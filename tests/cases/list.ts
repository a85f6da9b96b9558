/*
 * What should happen to each file of this folder, which tests/cases.test.ts tries. The files were made for this purpose:
 * invented people, companies and numbers. A new case is a small file here and a line below; what is not right yet has a
 * `todo` with the reason, and the test fails as soon as it is right, so that the mark is removed.
 */

/** Texts are in English, and parts of what people read. */
export interface Case {
  is: string;
  /** What an upload to a folder answers: stored (under another name), or refused with a sentence. */
  upload?: 'stored' | { as: string } | { refused: string };
  view?: View;
  picture?: Picture;
  sign?: Sign;
  import?: Import;
  /** A file of lines, each of them a case of its own. */
  lines?: Lines;
  todo?: Partial<Record<Aspect, string>>;
}
export const ASPECTS = ['upload', 'view', 'picture', 'sign', 'import'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** What the viewer shows. */
type View =
  /** Pages by width and height in points (pixels of an image), and the lines of text in reading order. */
  | { pages: [number, number][]; text?: string[]; lacksLetters?: boolean }
  | { says: string }
  | { rows: string[][] }
  | { text: string }
  /** XML that is shown as text, and why. */
  | { xml: string }
  /** Fiscal documents and events: fields of each, and the names of the parties of the first one. */
  | { entries: Record<string, unknown>[]; parties?: string[] };

/** How the first page is drawn. */
type Picture =
  /** As poppler draws it, but for single cells of 8 × 8 pixels, and with ink. */
  | 'as poppler'
  /** With a stripe of this color at the top, and white below it. */
  | { stripe: [number, number, number] }
  | 'blank'
  /** The code with which the image is refused. */
  | { refused: string };

/** What is prepared to be signed, and sealed: poppler must show the same, with the stamp in its place. */
type Sign = { pages: [number, number][]; shows: string[]; signatures?: string[] } | { refused: string };

/** A dry run of an import of clients: what each row does, and what is said about it. */
type Import = { rows: [does: string, says?: string][]; cells?: string[][] } | { refused: string };

interface Lines {
  as: 'recipients' | 'due date' | 'upload name' | 'file of a client' | 'signature';
  /** What becomes of each line, in the order of the file. */
  become: (string | { becomes: string; todo: string })[];
}

const A4: [number, number] = [595, 842];
const LETTER: [number, number] = [612, 792];

const pdf = (
  is: string,
  { pages = [A4], text, shows = text, signatures = [] }: PdfShown,
  more: Partial<Case> = {},
): Case => ({
  is,
  upload: 'stored',
  view: { pages, text },
  picture: 'as poppler',
  sign: { pages, shows, signatures },
  ...more,
});

interface PdfShown {
  pages?: [number, number][];
  text: string[];
  /** What the sealed page shows, if that is read in other words. */
  shows?: string[];
  signatures?: string[];
}

const FORM = { text: ['Form', 'Maria Exemplo', '☑'], shows: ['Form', 'Maria Exemplo'] };
const GUIDE = { text: ['Guia de recolhimento 11/2026'] };
const AGREEMENT = { text: ['Service agreement: EUR 4,200 per month', 'Sign in the box below'] };
const DOWNLOAD = { says: 'Preview isn’t available for this file type' };
const SAVE_AS = 'Save it in one of these formats';

const RED: [number, number, number] = [204, 52, 51];
const image = (
  is: string,
  stripe: [number, number, number] = RED,
  pages: [number, number][] = [[400, 240]],
): Case => ({
  is,
  upload: 'stored',
  view: { pages },
  picture: { stripe },
});

const table = (is: string, found: Import, more: Partial<Case> = {}): Case => ({ is, import: found, ...more });

const INVOICE = {
  kind: 'NF-e',
  key: '35261112ABC34501DE35550010000001231076543217',
  keyHolds: true,
  items: [{ description: 'Pão francês', price: '10.00', total: '10.00' }],
  totals: { total: '10.00', difference: '' },
};
const AUTHORIZED = { ...INVOICE, protocol: { status: '100' } };
const PARTIES = ['Alfa Ação & Cia', 'José'];
const invoice = (
  is: string,
  sheet: Record<string, unknown> = AUTHORIZED,
  parties = PARTIES,
  more: Partial<Case> = {},
): Case => ({ is, upload: 'stored', view: { entries: [sheet], parties }, ...more });
const fiscal = (is: string, ...entries: Record<string, unknown>[]): Case => ({
  is,
  upload: 'stored',
  view: { entries },
});

export const CASES: Record<string, Case> = {
  // forms
  'pdf-form-ap-good-need-0.pdf': pdf('filled form whose fields have appearances', FORM),
  'pdf-form-ap-good-need-1.pdf': pdf('the same, with NeedAppearances', FORM),
  'pdf-form-ap-none-need-0.pdf': pdf('filled form without appearances', FORM),
  'pdf-form-ap-none-need-1.pdf': pdf('the same, with NeedAppearances', FORM),
  'pdf-form-ap-empty-need-0.pdf': pdf('filled form with empty appearances', FORM),
  'pdf-form-ap-empty-need-1.pdf': pdf('the same, with NeedAppearances', FORM),
  'pdf-need-appearances.pdf': pdf('filled form, drawn by its readers', {
    text: ['Employee form: name / salary / agrees', 'João da Silva', 'R$ 5.000,00', 'Quinzenal'],
  }),
  'pdf-form-inherited-resources.pdf': pdf('filled form whose fonts stand on the list of pages', {
    text: [...AGREEMENT.text, 'Maria'],
  }),
  'pdf-xfa-dynamic.pdf': {
    is: 'dynamic XFA form: its only page asks to wait',
    upload: 'stored',
    view: { says: 'This form opens only in Adobe Reader.' },
    picture: { refused: 'UNREADABLE' },
    sign: { refused: 'This form opens only in Adobe Reader.' },
  },

  // how files begin, end and are protected
  'pdf-bom-before-header.pdf': pdf('a byte order mark before the header', GUIDE),
  'pdf-newline-before-header.pdf': pdf('a line break before the header', GUIDE),
  'pdf-http-junk-before-header.pdf': pdf('headers of HTTP before its own', GUIDE),
  'pdf-no-eof-marker.pdf': pdf('no mark at the end', GUIDE),
  'pdf-trailing-nuls.pdf': pdf('NUL bytes after the end', GUIDE),
  'pdf-already-signed.pdf': pdf('signed with a certificate', { ...GUIDE, signatures: ['MARIA EXEMPLO'] }),
  'pdf-owner-password-only.pdf': {
    is: 'opens without a password, protected against changes',
    upload: 'stored',
    view: { pages: [A4], text: ['Convencao coletiva 2026 - somente leitura'] },
    picture: 'as poppler',
    sign: { refused: 'This PDF is protected against changes. Print it to a new PDF' },
  },
  'pdf-user-password.pdf': {
    is: 'needs a password',
    upload: 'stored',
    view: { says: 'This PDF is password-protected' },
    picture: { refused: 'UNREADABLE' },
    sign: { refused: 'This PDF is protected by a password.' },
  },
  'pdf-zero-pages.pdf': {
    is: 'without pages',
    upload: 'stored',
    view: { says: 'This file is damaged' },
    picture: { refused: 'UNREADABLE' },
    sign: { refused: 'This PDF is damaged or empty.' },
  },

  // pages
  'pdf-rotate-90.pdf': pdf('turned by 90°', {
    pages: [[842, 595]],
    text: ['ROTATED 90', 'Sign ____________'],
  }),
  'pdf-rotate-180.pdf': pdf('turned by 180°', { text: ['ROTATED 180', 'Sign ____________'] }),
  'pdf-rotate-270.pdf': pdf('turned by 270°', {
    pages: [[842, 595]],
    text: ['ROTATED 270', 'Sign ____________'],
  }),
  'pdf-rotate-450.pdf': pdf('turned by 450°', { pages: [[842, 595]], text: ['ROTATE 450'] }),
  'pdf-rotate-minus90.pdf': pdf('turned by -90°', { pages: [[842, 595]], text: ['ROTATE -90'] }),
  'pdf-inherited-rotate.pdf': pdf('turned by its list of pages', { pages: [[842, 595]], ...AGREEMENT }),
  'pdf-inherited-resources-and-mediabox.pdf': pdf('fonts and size stand on the list of pages', AGREEMENT),
  'pdf-inherited-mediabox-a4.pdf': pdf('the size stands on the list of pages', AGREEMENT),
  'pdf-inherited-cropbox.pdf': pdf('cropped by its list of pages', { pages: [[595, 421]], ...AGREEMENT }),
  'pdf-shared-resources.pdf': pdf('two pages share their fonts', {
    pages: [A4, A4],
    text: [...AGREEMENT.text, ...AGREEMENT.text],
  }),
  'pdf-cropbox-inner.pdf': pdf('shows a part of its paper', {
    pages: [[360, 320]],
    text: ['INNER CROP', 'Sign ____________'],
  }),
  'pdf-cropbox-offset.pdf': pdf('shown from another origin', {
    text: ['CROPPED PAGE', 'Sign at the line ____________'],
  }),
  'pdf-reversed-mediabox.pdf': pdf('corners of the paper in the other order', { text: ['REVERSED BOX'] }),
  'pdf-no-mediabox.pdf': pdf('without a size: Letter, as readers take it', {
    pages: [LETTER],
    text: ['NO MEDIABOX'],
  }),
  'pdf-zero-size-page.pdf': pdf('a size of zero: Letter, as readers take it', {
    pages: [LETTER],
    text: ['ZERO'],
  }),
  'pdf-userunit.pdf': pdf('units of two points', { pages: [[297.5, 421]], text: ['USERUNIT 2'] }),
  'pdf-huge-mediabox.pdf': pdf('the largest paper that PDF knows', {
    pages: [[14_400, 14_400]],
    text: ['HUGE'],
  }),
  'pdf-annotation-only-page.pdf': pdf('no content but a stamp', { text: [] }),
  'pdf-unbalanced-q.pdf': pdf('leaves its state, scale and clip open', AGREEMENT, { picture: 'blank' }),
  'pdf-cjk-not-embedded.pdf': pdf(
    'letters of a font that is not in the file',
    { pages: [[595, 300]], text: ['中文合同', 'above: four Chinese characters'] },
    {
      view: { pages: [[595, 300]], text: ['中文合同', 'above: four Chinese characters'], lacksLetters: true },
    },
  ),
  'pdf-letters-beyond-bmp.pdf': pdf('letters beyond the first plane of Unicode', {
    pages: [[300, 100]],
    text: ['x\u{1D434}\u{20BB7}x'],
  }),

  // pictures in pages
  'pdf-jbig2.pdf': pdf('a scan in JBIG2', { pages: [[200, 200]], text: [] }),
  'pdf-jbig2-refined.pdf': pdf('a scan in JBIG2, refined from a rough version', {
    pages: [[200, 200]],
    text: [],
  }),
  'pdf-jbig2-composed.pdf': pdf('a scan in JBIG2, composed of two by XOR', { pages: [[200, 200]], text: [] }),
  'pdf-jpeg2000.pdf': pdf('a picture in JPEG 2000', { pages: [[200, 200]], text: [] }),
  'pdf-jpeg2000-tiles.pdf': pdf('a picture in bare JPEG 2000, of tiles', { pages: [[200, 200]], text: [] }),

  // images
  'photo-exif-3.jpg': image('photo that its metadata turn by 180°'),
  'photo-exif-6.jpg': image('photo that its metadata turn by 90°'),
  'scan-exif-6.tif': image('scan that its metadata turn by 90°'),
  'two-pages.tif': image('scan of two pages', RED, [
    [400, 240],
    [400, 240],
  ]),
  'cmyk.jpg': image('in the colors of print', [204, 37, 30]),
  'grey16.png': image('16 bits of gray', [109, 109, 109]),
  'scan-a3-600dpi.tif': {
    is: 'blank A3 page of 70 million pixels',
    upload: 'stored',
    view: { pages: [[7016, 9921]] },
    picture: 'blank',
  },
  'iphone-photo.heic': {
    is: 'photo of an iPhone',
    upload: 'stored',
    view: { says: 'There’s no preview for photos in the HEIC format.' },
    picture: { refused: 'TYPE_NOT_ALLOWED' },
  },
  'really-png.jpg': { is: 'PNG named .jpg', upload: { as: 'really-png.png' } },
  'whatsapp-really-webp.jpg': {
    is: 'WebP that a messenger named .jpg',
    upload: { as: 'whatsapp-really-webp.webp' },
  },
  'heic-named-jpg.jpg': {
    is: 'HEIC named .jpg',
    upload: { as: 'heic-named-jpg.heic' },
  },

  // other files
  'xls-really-html.xls': {
    is: 'what banks call Excel: a page',
    upload: 'stored',
    import: { refused: SAVE_AS },
  },
  'xls-really-tsv.xls': { is: 'what banks call Excel: text', upload: 'stored' },
  'xls-spreadsheetml.xls': {
    is: 'Excel of 2003 in XML',
    upload: 'stored',
    import: { refused: SAVE_AS },
  },
  'doc-really-html.doc': {
    is: 'what tax offices call Word: a page',
    upload: 'stored',
  },
  'signature.p7s': { is: 'detached signature', upload: 'stored' },
  'certificado-a1.pfx': {
    is: 'certificate with its private key',
    upload: { refused: 'certificate' },
  },
  'empty-zip.zip': { is: 'archive without files', upload: 'stored', view: DOWNLOAD },

  // fiscal documents of Brazil
  'nfe-alnum-cnpj-proc.xml': invoice('tax number with letters'),
  'nfe-iso-8859-1.xml': invoice('in an old encoding'),
  'nfe-utf8-bom-crlf.xml': invoice('with a byte order mark'),
  'nfe-utf16le.xml': invoice('in UTF-16'),
  'nfe-prefixed-ns.xml': invoice('elements with a prefix', INVOICE),
  'nfe-no-protocol.xml': invoice('without the answer of the authority', INVOICE),
  'nfe-cpf-issuer.xml': invoice(
    'issued by a person',
    { ...INVOICE, key: '35261100052998224725559200000000091012345670' },
    ['Produtor Rural', 'José'],
  ),
  'nfe-ten-decimals-ipi-st.xml': invoice(
    'a price below a cent, and taxes on top',
    {
      items: [{ price: '0.0045000000', quantity: '20000.0000', total: '90.00' }],
      totals: {
        parts: [
          { name: 'sumProducts', amount: '90.00' },
          { name: 'sumSt', amount: '5.00' },
          { name: 'sumIpi', amount: '9.00' },
          { name: 'sumInsurance', amount: '1.00' },
          { name: 'sumOther', amount: '2.00' },
        ],
        total: '107.00',
        difference: '',
      },
    },
    ['Fabrica Exemplo Ltda', 'Loja Exemplo ME'],
  ),
  'nfe-trailing-nul.xml': invoice('a NUL byte after the end', AUTHORIZED, PARTIES),
  'nfe-denied-301.xml': fiscal('denied by the authority', { ...INVOICE, state: 'denied' }),
  'nfe-cancel-event.xml': fiscal('cancellation of an invoice', {
    kind: 'event',
    type: '110111',
    cancels: true,
    state: 'registered',
  }),
  'nfe-summary-resnfe.xml': fiscal('summary of an invoice', { kind: 'NF-e', totals: { total: '10.00' } }),
  'nfe-batch-envi.xml': fiscal('two invoices in one file', { kind: 'NF-e' }, { kind: 'NF-e' }),
  'cfe-cancel.xml': fiscal('cancellation of a receipt', { kind: 'event' }),
  'cte-event-desacordo.xml': fiscal('objection to a transport', { kind: 'event', type: '610110' }),
  'cte-57-icms20.xml': invoice(
    'transport with a reduced tax base, and with a dispatcher',
    {
      kind: 'CT-e',
      totals: { total: '100.00', included: [{ name: 'sumReceivable' }, { name: 'sumIcms', amount: '9.60' }] },
    },
    ['Transp', 'Rem', 'Exped', 'Dest'],
  ),
  'cte-os-67.xml': fiscal('transport of people', { kind: 'CT-e OS', totals: { total: '500.00' } }),
  'mdfe-58.xml': fiscal('manifest of a transport', { kind: 'MDF-e' }),
  'nfcom-62.xml': fiscal('bill of telecommunications', { kind: 'NFCom' }),
  'nfse-abrasf-cancelled.xml': invoice(
    'cancelled invoice of a city, with tax withheld',
    { kind: 'NFS-e', key: '', state: 'cancelled', totals: { total: '95.00', difference: '' } },
    ['Limpeza Exemplo Ltda', 'Maria Exemplo'],
  ),
  'nfe-blank-lines-first.xml': fiscal('blank lines before the declaration', { kind: 'NF-e', number: '123' }),
  'nfe-with-its-cancellation.xml': fiscal('an answer with the invoice and its cancellation', {
    kind: 'NF-e',
    state: 'cancelled',
    events: [{ name: 'eventCancellation', reason: 'Pedido em duplicidade' }],
  }),
  'nfe-numbers-not-used.xml': fiscal('numbers that are not used', {
    kind: 'void',
    first: '4',
    last: '6',
    state: 'registered',
  }),
  'nfe-doctype.xml': { is: 'declares an entity', upload: { refused: 'content doesn’t match its name' } },
  'nfe-cut-off.xml': { is: 'its end is missing', upload: 'stored', view: { xml: 'notXml' } },
  'xml-of-a-bank.xml': { is: 'XML that is no fiscal document', upload: 'stored', view: { xml: 'other' } },
  'nfse-nacional.xml': fiscal('invoice of services', { kind: 'NFS-e', totals: { total: '100.00' } }),

  // lists of clients; the firm has 7 Mercado Sete ME, 45 Padaria Souza Filial and 46 Zero Esquerda Ltda
  'clients-semicolon-bom.csv': table('semicolons, a byte order mark and doubled quotes', {
    rows: [['create 001 · Padaria "São José" Ltda; ME']],
  }),
  'clients-nbsp-and-tabs.csv': table('hard spaces around the values', { rows: [['create A1 · Nbsp Inc']] }),
  'clients-cnpj-alfa.csv': table('tax numbers with letters, in full width, and with O for 0', {
    rows: [
      ['create 1 · Alfanumérica Ltda'],
      ['create 2 · Full width'],
      ['problem 3 · Letter O', 'CNPJ isn’t a valid number.'],
    ],
  }),
  'utf16-tab.csv': table(
    'UTF-16 with tabs, and no number of a client',
    { refused: 'Choose a column for: Client number.' },
    {
      upload: 'stored',
      view: {
        rows: [
          ['Nome', 'Valor'],
          ['João', '1.234,56'],
        ],
      },
    },
  ),
  'clients-unbalanced-quote.csv': table('a quote left open, and inches', {
    rows: [
      ['problem 1,"Bob"s Garage",business', 'The quotation marks in this row don’t match.'],
      ['create 2 · 24" Monitors Inc'],
      ['create 3 · OK Inc'],
    ],
  }),
  'clients-1900-dates.xlsx': table('days from 1900', {
    rows: [['create X1 · Windows Excel Ltd']],
    cells: [['X1', 'Windows Excel Ltd', 'business', '2022-12-30']],
  }),
  'clients-1904-dates.xlsx': table('days from 1904', {
    rows: [['create X1 · Mac Excel Ltd']],
    cells: [['X1', 'Mac Excel Ltd', 'business', '2022-12-30']],
  }),
  'clients-same-cnpj-other-code.csv': table('the tax number of a client under other numbers', {
    rows: [
      ['duplicate 900 · Zero Esquerda Ltda', 'Possible duplicate of 46 · Zero Esquerda Ltda.'],
      ['duplicate 901 · Zero Esquerda', 'Possible duplicate of 46 · Zero Esquerda Ltda.'],
    ],
  }),
  'clients-code-7-vs-007.csv': table('numbers of clients, written otherwise', {
    rows: [
      ['duplicate 007 · Mercado Sete ME', 'Possible duplicate of 7 · Mercado Sete ME.'],
      ['duplicate 0045 · Padaria Souza Filial', 'Possible duplicate of 45 · Padaria Souza Filial.'],
      ['duplicate 45.0 · Padaria Souza Filial', 'Possible duplicate of 45 · Padaria Souza Filial.'],
    ],
  }),
  'clients-leading-zero-lost.csv': table('tax numbers whose zero a spreadsheet lost', {
    rows: [
      // with the zero it is no CNPJ either: its check digits do not fit
      ['problem 1 · Zero Ltda', 'CNPJ isn’t a valid number'],
      ['problem 2 · Fulano', '012.345.678-90'],
    ],
  }),
  'clients-scientific.csv': table('tax numbers that a spreadsheet rounded', {
    rows: [
      ['problem 1 · Ciência Ltda', 'spreadsheet'],
      ['problem 2 · Science Ltd', 'spreadsheet'],
    ],
  }),
  'clients-excel-text-trick.csv': table('numbers kept as text by a formula', {
    rows: [['create 00123 · Trick Inc']],
  }),
  'clients-pipe.csv': table('bars between the values', { rows: [['create 1 · Pipe Ltda']] }),
  'clients-mac-roman.csv': table('encoding of an old Mac', { rows: [['create 1 · São João Ltda']] }),
  'clients-title-lines.csv': table('title lines above the names of the columns, a total below', {
    rows: [['create 1 · Alfa Ltda'], ['problem Total: 1', 'is missing']],
  }),
  'clients-title-rows-merged.xlsx': table('merged title rows above the names of the columns', {
    rows: [['create 1 · Alfa Ltda']],
  }),
  'clients-second-sheet.xlsx': table('the table is on the second sheet', {
    rows: [['create 1 · On sheet two']],
  }),
  'clients-formulas-errors.xlsx': table('results of formulas, and errors', {
    rows: [['create F1 · Looked Up Ltd'], ['problem F2 · #REF!'], ['problem F3 · #N/A']],
  }),
  'clients-float-code.xlsx': table('numbers of clients that are stored as numbers', {
    rows: [
      ['create 1001 · Float'],
      ['create 1.1 · Version'],
      ['create 0.3 · Noise'],
      ['problem 1E+21 · Huge'],
      ['problem 1.23456789012346E+17 · Sixteen digits'],
    ],
  }),

  // lines
  'publish-file-names.txt': {
    is: 'names of files in a batch',
    lines: {
      as: 'file of a client',
      become: [
        ...['sure 45', 'sure 45', 'sure 45', 'sure 45', 'SEVERAL', 'SEVERAL', 'sure 46', 'sure 46'],
        ...['CHECK 46', 'CHECK 45', 'sure 47', 'NO_MATCH'],
      ],
    },
  },
  'signature-names.txt': {
    is: 'typed names, on a machine without fonts',
    lines: { as: 'signature', become: Array<string>(10).fill('drawn') },
  },
  'typed-dates.txt': {
    is: 'a due date as it is typed in Portuguese',
    lines: {
      as: 'due date',
      become: [
        '2027-02-01',
        '2027-02-01',
        '2027-02-01',
        '2027-02-01',
        '2027-02-01',
        '2027-02-01',
        '2026-02-28',
        '2027-02-01',
        'refused',
        '2028-02-29',
      ],
    },
  },
  'share-recipients.txt': {
    is: 'recipients as they are pasted',
    lines: {
      as: 'recipients',
      become: [...Array<string>(13).fill('accepted'), 'refused', 'refused'],
    },
  },
  'upload-file-names.txt': {
    is: 'names from macOS, phones and scanners, in JSON',
    lines: {
      as: 'upload name',
      become: [
        'Holerite 11-2026.pdf',
        'O que pagar.pdf',
        'Guia DAS.pdf',
        'Guia DAS (1).pdf',
        'holerite.pdf',
        '_COM1.pdf',
        'Guia.pdf',
        'Declaração IRPF.pdf',
        'Declaração IRPF (1).pdf',
        'DECLARAÇÃO irpf (2).PDF',
        "Nota; 'fiscal', julho.pdf",
        'تقرير.pdf',
        'می\u200cخواهم.pdf',
        `${'ç'.repeat(125)}.pdf`,
      ],
    },
  },
};
