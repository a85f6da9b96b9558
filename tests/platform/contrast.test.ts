import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buttonShadeOnDark, contrast, HEX_COLOUR, readableOn, shadeFor } from '#platform/text/contrast.ts';

const MIN_CONTRAST = 4.5;
const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);
/**
 * Black, white, greys and pure colours on which neither black nor white is easy to read, and upper case
 * notation.
 */
const HOSTILE = [
  '#000000',
  '#ffffff',
  '#757575',
  '#767676',
  '#777777',
  '#808080',
  '#999999',
  '#bcbcbc',
  '#ff0000',
  '#00ff00',
  '#0000ff',
  '#ffff00',
  '#00ffff',
  '#ff00ff',
  '#ff6600',
  '#1c1b19',
  '#ABCDEF',
];
const pairs = HOSTILE.flatMap((a) => HOSTILE.map((b) => [a, b] as const));

test.each([
  ['#000000', '#ffffff', 21],
  ['#777777', '#ffffff', 4.48],
  ['#767676', '#ffffff', 4.54],
  ['#ff0000', '#ffffff', 4],
  ['#ABCDEF', '#abcdef', 1],
])('the contrast of %s and %s is %d to 1, as WCAG computes it', (a, b, ratio) => {
  expect(contrast(a, b)).toBeCloseTo(ratio, 2);
  expect(contrast(b, a)).toBe(contrast(a, b));
});

describe("text on a firm's fill colour", () => {
  test('text on a fill is readable with any two colours of the firm', () => {
    fc.assert(
      fc.property(colour, colour, (fill, text) => contrast(fill, readableOn(fill, text)) >= MIN_CONTRAST),
      { numRuns: 1000 },
    );
    for (const [fill, text] of pairs)
      expect(contrast(fill, readableOn(fill, text)), `${text} on ${fill}`).toBeGreaterThanOrEqual(
        MIN_CONTRAST,
      );
  });

  test('text on a fill keeps the colour of the firm where it is readable', () => {
    expect(readableOn('#003366', '#ffee00')).toBe('#ffee00');
    expect(readableOn('#003366', '#113355')).toBe('#ffffff');
    expect(readableOn('#ffee00', '#ffffff')).toBe('#000000');
  });
});

describe("a firm's colour as text on a page", () => {
  test.each(['#ffffff', '#1c1b19', '#000000', '#f5f3ef'])(
    "a firm's colour is readable as text on %s, whatever colour it is",
    (ground) => {
      fc.assert(
        fc.property(colour, (wanted) => contrast(shadeFor(wanted, ground), ground) >= MIN_CONTRAST),
        { numRuns: 1000 },
      );
      for (const wanted of HOSTILE)
        expect(contrast(shadeFor(wanted, ground), ground), wanted).toBeGreaterThanOrEqual(MIN_CONTRAST);
    },
  );

  test("a firm's colour is readable as text on any other background", () => {
    for (const [wanted, ground] of pairs)
      expect(contrast(shadeFor(wanted, ground), ground), `${wanted} on ${ground}`).toBeGreaterThanOrEqual(
        MIN_CONTRAST,
      );
    fc.assert(
      fc.property(
        colour,
        colour,
        (wanted, ground) => contrast(shadeFor(wanted, ground), ground) >= MIN_CONTRAST,
      ),
      { numRuns: 1000 },
    );
  });

  test("a firm's colour is unchanged where it is readable", () => {
    expect(shadeFor('#003366', '#ffffff')).toBe('#003366');
    expect(shadeFor('#ffee00', '#1c1b19')).toBe('#ffee00');
  });

  test.each([
    ['green', '#1f4037', '#688b80'],
    ['red', '#7a2e1d', '#c26f5b'],
    ['blue', '#003565', '#5787be'],
  ])("a firm's %s keeps its hue and chroma on a dark page", (_, wanted, shade) => {
    expect(shadeFor(wanted, '#1c1b19')).toBe(shade);
  });

  test('a button on a dark page stands out, is coloured if the firm chose a colour, and has readable text', () => {
    const dark = '#1c1b19';
    for (const wanted of ['#1f4037', '#7a2e1d', '#003565', '#000000', '#333333', '#ffee00', '#3a2a5e']) {
      const shade = buttonShadeOnDark(wanted, dark);
      expect(contrast(shade, dark), wanted).toBeGreaterThanOrEqual(3);
      expect(contrast(shade, readableOn(shade, '#ffffff')), wanted).toBeGreaterThanOrEqual(4.5);
    }
    expect(buttonShadeOnDark('#1f4037', dark)).toMatchInlineSnapshot(`"#217562"`);
    expect(buttonShadeOnDark('#333333', dark)).toMatch(/^#(..)\1\1$/);
  });

  test('the readable shade of a colour is always a valid colour', () => {
    fc.assert(
      fc.property(
        colour,
        colour,
        (wanted, ground) =>
          HEX_COLOUR.test(shadeFor(wanted, ground)) && HEX_COLOUR.test(readableOn(wanted, ground)),
      ),
    );
  });
});

test.each([
  'red',
  '#fff',
  '#12345g',
  '#1234567',
  ' #123456',
  '#123456\n',
  '#123456;}body{',
  'url(x)',
  '',
  '#-12345',
  '#１２３４５６',
])('%j is not a valid colour of a firm', (value) => {
  expect(HEX_COLOUR.test(value)).toBe(false);
});
