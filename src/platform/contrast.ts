import { clampChroma, converter, formatHex, interpolate, wcagContrast, wcagLuminance } from 'culori';

/**
 * Makes the colours of a firm readable: WCAG 2.2 relative luminance and contrast ratio (success criterion
 * 1.4.3).
 */
export const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

const MIN_CONTRAST = 4.5;

const toOklch = converter('oklch');

export const contrast = (a: string, b: string): number => wcagContrast(a, b);

/** `text` if it has enough contrast on `fill`, else black or white, whichever has more. */
export function readableOn(fill: string, text: string): string {
  if (contrast(fill, text) >= MIN_CONTRAST) return text;
  return contrast(fill, '#ffffff') >= contrast(fill, '#000000') ? '#ffffff' : '#000000';
}

/** Blends `colour` over `ground` with the given opacity (0 to 1). */
export const mix = (colour: string, ground: string, share: number): string =>
  formatHex(interpolate([ground, colour])(share));

/** The lightness changes in steps of this size towards black or white. */
const STEPS = 40;

/**
 * The nearest shade of `colour` with enough contrast on `ground` and on `others`, which may depend on the
 * shade: darker on a light ground, lighter on a dark one. Its hue stays, and as much of its chroma as a screen can show
 * (OKLCH).
 */
export function shadeFor(
  colour: string,
  ground: string,
  others: (shade: string) => string[] = () => [],
): string {
  const target = wcagLuminance(ground) > 0.179 ? 0 : 1;
  const from = toOklch(colour);
  for (let step = 0; from && step <= STEPS; step += 1) {
    const shaded = { ...from, l: from.l + (target - from.l) * (step / STEPS) };
    const shade = step === 0 ? colour.toLowerCase() : formatHex(clampChroma(shaded, 'oklch'));
    if ([ground, ...others(shade)].every((below) => contrast(shade, below) >= MIN_CONTRAST)) return shade;
  }
  return target === 0 ? '#000000' : '#ffffff';
}
