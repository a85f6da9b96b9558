/* PDF forms as other programs save them. */

export type Appearance = 'good' | 'empty' | 'none';

interface Field {
  /** What a reader sees of it; absent if there is nothing to see. */
  shows?: string;
  /** The lower left corner, width and height in points. */
  area: readonly [x: number, y: number, width: number, height: number];
  entries: string;
  /** Its appearance by state, or its only one. */
  appearance: string | Record<string, string>;
}

const writing = (...lines: string[]): string =>
  `/Tx BMC q BT /Helv 12 Tf 0 g 2 ${lines.length === 1 ? 8 : 40} Td 14 TL ${lines.map((line) => `(${line}) Tj`).join(' T* ')} ET Q EMC`;
const TICK = 'q 2 w 3 3 14 14 re S 3 3 m 17 17 l S Q';
const BOX = 'q 1 w 3 3 14 14 re S Q';
const DOT = 'q 5 5 10 10 re f Q';
const EMPTY = '/Tx BMC\nEMC';

/** One field of each kind, with a value. */
export const FIELDS = {
  text: {
    shows: 'Maria Exemplo',
    area: [50, 740, 240, 24],
    entries: '/FT/Tx/V(Maria Exemplo)',
    appearance: writing('Maria Exemplo'),
  },
  lines: {
    shows: 'Rua das Flores',
    area: [50, 660, 240, 60],
    entries: '/FT/Tx/Ff 4096/V(Rua das Flores\\rApto 12)',
    appearance: writing('Rua das Flores', 'Apto 12'),
  },
  tick: {
    shows: '☑',
    area: [50, 620, 20, 20],
    entries: '/FT/Btn/V/Yes/AS/Yes/MK<</CA(4)>>',
    appearance: { Yes: TICK, Off: BOX },
  },
  choice: {
    shows: 'Quinzenal',
    area: [50, 580, 240, 24],
    entries: '/FT/Ch/Ff 131072/Opt[(Mensal)(Quinzenal)]/V(Quinzenal)',
    appearance: writing('Quinzenal'),
  },
  list: {
    shows: 'Bianca',
    area: [50, 500, 240, 60],
    entries: '/FT/Ch/Opt[(Ana)(Bianca)(Carla)]/V(Bianca)/I[1]',
    appearance: writing('Ana', 'Bianca', 'Carla'),
  },
  signature: {
    shows: 'Signed by Dora',
    area: [50, 420, 240, 40],
    entries: '/FT/Sig/V<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached>>',
    appearance: 'q 1 w 1 1 238 38 re S BT /Helv 12 Tf 10 14 Td (Signed by Dora) Tj ET Q',
  },
} satisfies Record<string, Field>;

/** A radio button that is chosen, and one that is not: two boxes of one field. */
const RADIOS = [
  { area: [50, 380, 20, 20], state: 'One', as: 'One' },
  { area: [90, 380, 20, 20], state: 'Two', as: 'Off' },
] as const;
export const CHOSEN_RADIO = RADIOS[0].area;

/** A form with a title and a field of each kind. A signature always has an appearance: without one it is invisible. */
export function formPdf({
  appearance = 'good',
  needAppearances = false,
  script = '',
}: { appearance?: Appearance; needAppearances?: boolean; script?: string } = {}): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const stream = (entries: string, content: string): number =>
    add(`<<${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`);
  const drawn = ([, , width, height]: readonly number[], content: string): number =>
    stream(
      `/Type/XObject/Subtype/Form/BBox[0 0 ${width} ${height}]/Resources<</Font<</Helv 5 0 R>>>>`,
      content,
    );
  const appearanceOf = (area: readonly number[], content: Field['appearance'], kind: Appearance): string => {
    if (kind === 'none') return '';
    const shown = (text: string): string => `${drawn(area, kind === 'good' ? text : EMPTY)} 0 R`;
    if (typeof content === 'string') return `/AP<</N ${shown(content)}>>`;
    return `/AP<</N<<${Object.entries(content)
      .map(([state, text]) => `/${state} ${shown(text)}`)
      .join('')}>>>>`;
  };
  const rectangle = ([x = 0, y = 0, width = 0, height = 0]: readonly number[]): string =>
    `/Rect[${x} ${y} ${x + width} ${y + height}]`;
  const widget = (area: readonly number[]): string =>
    `/Type/Annot/Subtype/Widget/F 4/P 3 0 R${rectangle(area)}`;

  add('<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R/OpenAction 7 0 R>>');
  add('<</Type/Pages/Kids[3 0 R]/Count 1>>');
  add(''); // the page
  stream('', 'BT /Helv 12 Tf 50 800 Td (Application) Tj ET');
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  add(''); // the form
  add(`<</S/JavaScript/JS(${script})>>`);
  const fields = Object.entries<Field>(FIELDS).map(([name, { area, entries, appearance: content }]) =>
    add(
      `<<${widget(area)}/T(${name})/DA(/Helv 12 Tf 0 g)${entries}` +
        `${appearanceOf(area, content, name === 'signature' ? 'good' : appearance)}` +
        `${script === '' ? '' : `/AA<</F<</S/JavaScript/JS(${script})>>/C<</S/JavaScript/JS(${script})>>>>`}>>`,
    ),
  );
  const radios = RADIOS.map(({ area, state, as }) =>
    add(
      `<<${widget(area)}/AS/${as}/MK<</CA(l)>>/Parent RADIO 0 R${appearanceOf(area, { [state]: DOT, Off: '' }, appearance)}>>`,
    ),
  );
  const radio = add(`<</FT/Btn/Ff 49152/T(radio)/V/One/Kids[${radios.map((at) => `${at} 0 R`).join(' ')}]>>`);
  const annotations = [...fields, ...radios].map((at) => `${at} 0 R`).join(' ');
  objects[2] = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</Helv 5 0 R>>>>/Annots[${annotations}]>>`;
  objects[5] = `<</Fields[${[...fields, radio].map((at) => `${at} 0 R`).join(' ')}]/NeedAppearances ${needAppearances}/DR<</Font<</Helv 5 0 R>>>>/DA(/Helv 12 Tf 0 g)>>`;
  return Buffer.from(
    [
      '%PDF-1.7',
      ...objects.map((body, at) => `${at + 1} 0 obj\n${body.replace('RADIO', String(radio))}\nendobj`),
      'trailer\n<</Root 1 0 R>>',
      '%%EOF',
      '',
    ].join('\n'),
    'latin1',
  );
}
