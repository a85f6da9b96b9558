import {
  buttonShadeOnDark,
  contrast,
  HEX_COLOUR,
  MIN_CONTRAST,
  mix,
  readableOn,
  shadeFor,
} from '#platform/text/contrast.ts';

/*
 * The colors of a firm as its pages use them: readable in the light and the dark color scheme, whatever was chosen.
 * The server writes them into the firm's stylesheet, and the branding page into its preview.
 */

/** What a firm chooses, each as `#rrggbb`. */
export interface Colors {
  headerFillColor: string;
  headerTextColor: string;
  buttonFillColor: string;
  buttonTextColor: string;
}

/** The colors in a form, by the names of its fields. */
export const colorsFrom = (valueOf: (name: keyof Colors) => string): Colors => ({
  headerFillColor: valueOf('headerFillColor'),
  headerTextColor: valueOf('headerTextColor'),
  buttonFillColor: valueOf('buttonFillColor'),
  buttonTextColor: valueOf('buttonTextColor'),
});

/**
 * `--paper` and `--ground` of portal.css, and the opacity of the firm's color on selected and hovered rows.
 */
const LIGHT = { paper: '#ffffff', ground: '#f6f4f0', share: 0x1a };
const DARK = { paper: '#262420', ground: '#1c1b19', share: 0x29 };

/** Custom properties of the light color scheme, and those that differ in the dark one. */
export function colorProperties({
  headerFillColor: header,
  headerTextColor,
  buttonFillColor: button,
  buttonTextColor,
}: Colors): Record<'light' | 'dark', Record<`--firm-${string}`, string>> {
  const accent = accentsOf(button);
  const darkButton = contrast(button, DARK.ground) >= 3 ? button : buttonShadeOnDark(button, DARK.ground);
  return {
    light: {
      '--firm-header': header,
      '--firm-header-text': readableOn(header, headerTextColor),
      '--firm-button': button,
      '--firm-button-text': readableOn(button, buttonTextColor),
      '--firm-edge': contrast(button, LIGHT.paper) >= 3 ? button : shadeFor(button, LIGHT.paper),
      '--firm-accent': accent.light,
      '--firm-translucent': `${button}1a`,
    },
    dark: {
      '--firm-button': darkButton,
      '--firm-edge': darkButton,
      '--firm-button-text': readableOn(darkButton, buttonTextColor),
      '--firm-accent': accent.dark,
      '--firm-translucent': `${accent.dark}29`,
    },
  };
}

/** The firm's color for text: readable on the page, on paper, and on rows tinted with it. */
function accentsOf(button: string): { light: string; dark: string } {
  const tinted = (color: string, { paper, share }: typeof LIGHT): string => mix(color, paper, share / 255);
  return {
    light: shadeFor(button, LIGHT.paper, () => [LIGHT.ground, tinted(button, LIGHT)]),
    dark: shadeFor(button, DARK.paper, (shade) => [DARK.ground, tinted(shade, DARK)]),
  };
}

/** Each surface with the text on it. */
export const PAIRS = [
  ['headerFillColor', 'headerTextColor'],
  ['buttonFillColor', 'buttonTextColor'],
] as const;

export const areColors = (colors: Colors): boolean =>
  Object.values(colors).every((color: string) => HEX_COLOUR.test(color));

/** The contrast of a text on its surface, and the color to use for it, which is another one if the contrast is too low. */
export function legibility(fill: string, text: string): { ratio: number; color: string; isGood: boolean } {
  const ratio = contrast(fill, text);
  return {
    ratio: Math.round(ratio * 10) / 10,
    color: readableOn(fill, text),
    isGood: ratio >= MIN_CONTRAST,
  };
}
