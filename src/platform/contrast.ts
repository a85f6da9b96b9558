/**
 * Makes the colours of a firm readable: WCAG 2.2 relative luminance and contrast ratio (success criterion
 * 1.4.3).
 */
export const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

const MIN_CONTRAST = 4.5;

type Rgb = readonly [number, number, number];

const parse = (hex: string): Rgb => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];
const format = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

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

/**
 * The nearest shade of `colour` with enough contrast on `ground` and on `others`, which may depend on the
 * shade: darker on a light ground, lighter on a dark one.
 */
export function shadeFor(
  colour: string,
  ground: string,
  others: (shade: string) => string[] = () => [],
): string {
  const target: Rgb = luminance(ground) > 0.179 ? [0, 0, 0] : [255, 255, 255];
  const from = parse(colour);
  for (let step = 0; step <= 20; step += 1) {
    const shade = format(
      from.map((part, i) => part + ((target[i] ?? 0) - part) * (step / 20)) as unknown as Rgb,
    );
    if ([ground, ...others(shade)].every((below) => contrast(shade, below) >= MIN_CONTRAST)) return shade;
  }
  return format(target);
}
