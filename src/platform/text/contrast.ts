/**
 * Makes the colours of a firm readable: WCAG 2.2 relative luminance and contrast ratio (success criterion
 * 1.4.3).
 */
export const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

/** The least contrast ratio between a text and its background. */
export const MIN_CONTRAST = 4.5;

type Rgb = readonly [number, number, number];

const parse = (hex: string): Rgb => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];
const format = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(hex: string): number {
  const [r, g, b] = mapParts(parse(hex), linear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** `text` if it has enough contrast on `fill`, else black or white, whichever has more. */
export function readableOn(fill: string, text: string): string {
  if (contrast(fill, text) >= MIN_CONTRAST) return text;
  return contrast(fill, '#ffffff') >= contrast(fill, '#000000') ? '#ffffff' : '#000000';
}

/** Blends `colour` over `ground` with the given opacity (0 to 1). */
export const mix = (colour: string, ground: string, share: number): string => {
  const below = parse(ground);
  return format(
    parse(colour).map((part, i) => part * share + (below[i] ?? 0) * (1 - share)) as unknown as Rgb,
  );
};

/** The number of steps in which the lightness approaches black or white. */
const STEPS = 40;

/**
 * The nearest shade of `colour` with enough contrast on `ground` and on `others`, which may depend on the
 * shade: darker on a light ground, lighter on a dark one. It keeps the hue, and as much of the chroma as sRGB can show
 * (OKLab, https://www.w3.org/TR/css-color-4/#ok-lab).
 */
export function shadeFor(
  colour: string,
  ground: string,
  others: (shade: string) => string[] = () => [],
): string {
  const target = luminance(ground) > 0.179 ? 0 : 1;
  const [lightness, a, b] = toOklab(colour);
  for (let step = 0; step <= STEPS; step += 1) {
    const shade =
      step === 0 ? colour.toLowerCase() : toGamut(lightness + (target - lightness) * (step / STEPS), a, b);
    if ([ground, ...others(shade)].every((below) => contrast(shade, below) >= MIN_CONTRAST)) return shade;
  }
  return target === 0 ? '#000000' : '#ffffff';
}

/** The least chroma (OKLab) with which a button on a dark ground looks coloured, and thereby enabled. */
const MIN_CHROMA = 0.085;

/** The contrast of a button with the page around it: 3 (WCAG 2.2, 1.4.11), and as much as rounding takes. */
const BUTTON_CONTRAST = 3.1;

/**
 * The darkest shade of `colour` that stands out as a button on a dark ground, with a chroma that does not look grey,
 * if white text is readable on it; else the shade for text. What has no hue gets none.
 */
export function buttonShadeOnDark(colour: string, ground: string): string {
  const [lightness, a, b] = toOklab(colour);
  const chroma = Math.hypot(a, b);
  const gain = chroma < 0.02 ? 1 : Math.max(1, MIN_CHROMA / chroma);
  for (let step = 0; step <= STEPS; step += 1) {
    const shade = toGamut(lightness + (1 - lightness) * (step / STEPS), a * gain, b * gain);
    if (contrast(shade, ground) < BUTTON_CONTRAST) continue;
    return contrast(shade, '#ffffff') >= MIN_CONTRAST ? shade : shadeFor(colour, ground);
  }
  return shadeFor(colour, ground);
}

/** The colour of this lightness and hue in sRGB, with as much of the chroma as it can have, in steps of a tenth. */
function toGamut(lightness: number, a: number, b: number): string {
  for (let share = 1; share > 0; share -= 0.1) {
    const rgb = fromOklab([lightness, a * share, b * share]);
    if (rgb.every((part) => part > -0.5 && part < 255.5)) return format(rgb);
  }
  const gray = Math.min(255, Math.max(0, fromOklab([lightness, 0, 0])[0]));
  return format([gray, gray, gray]);
}

const linear = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const gamma = (share: number): number =>
  255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055);

const multiply = (rows: readonly Rgb[], [x, y, z]: Rgb): Rgb =>
  rows.map(([p, q, r]) => p * x + q * y + r * z) as unknown as Rgb;
const mapParts = (values: Rgb, change: (value: number) => number): Rgb =>
  values.map(change) as unknown as Rgb;

const toOklab = (hex: string): Rgb =>
  multiply(LMS_TO_LAB, mapParts(multiply(RGB_TO_LMS, mapParts(parse(hex), linear)), Math.cbrt));
const fromOklab = (lab: Rgb): Rgb =>
  mapParts(
    multiply(
      LMS_TO_RGB,
      mapParts(multiply(LAB_TO_LMS, lab), (root) => root ** 3),
    ),
    gamma,
  );

const RGB_TO_LMS: readonly Rgb[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const LMS_TO_LAB: readonly Rgb[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const LAB_TO_LMS: readonly Rgb[] = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
];
const LMS_TO_RGB: readonly Rgb[] = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];
