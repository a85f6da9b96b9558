/** Colours of a firm, made readable: WCAG 2.2 relative luminance and contrast ratio (success criterion 1.4.3). */
export const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

const LEAST = 4.5;

type Rgb = readonly [number, number, number];

const parse = (hex: string): Rgb => [Number.parseInt(hex.slice(1, 3), 16), Number.parseInt(hex.slice(3, 5), 16), Number.parseInt(hex.slice(5, 7), 16)];
const format = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(hex: string): number {
  const [r, g, b] = parse(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** `text` when it can be read on `fill`, else black or white, whichever reads better. */
export function readableOn(fill: string, text: string): string {
  if (contrast(fill, text) >= LEAST) return text;
  return contrast(fill, '#ffffff') >= contrast(fill, '#000000') ? '#ffffff' : '#000000';
}

/** The nearest shade of `colour` that can be read on `ground`: darker on a light ground, lighter on a dark one. */
export function shadeFor(colour: string, ground: string): string {
  const target: Rgb = luminance(ground) > 0.179 ? [0, 0, 0] : [255, 255, 255];
  const from = parse(colour);
  for (let step = 0; step <= 20; step += 1) {
    const shade = format(from.map((part, i) => part + ((target[i] ?? 0) - part) * (step / 20)) as unknown as Rgb);
    if (contrast(shade, ground) >= LEAST) return shade;
  }
  return format(target);
}
