import { z } from 'zod';
import { line } from '#platform/inputs/line-schemas.ts';
import { isTimeZone } from '#platform/text/time-zones.ts';

/** The background of the sign-in card; `clouds` is the default (spec 1, section 9). */
export const LOGIN_BACKGROUNDS = ['clouds', 'plain', 'stripes'] as const;
export type LoginBackground = (typeof LOGIN_BACKGROUNDS)[number];

/**
 * A firm's theme as its callers read it (spec 1 section 3, Theme). Images are URLs of this portal; unset
 * values are null.
 */
export const themeInfo = z.strictObject({
  colors: z.strictObject({
    headerFillColor: z.string(),
    headerTextColor: z.string(),
    buttonFillColor: z.string(),
    buttonTextColor: z.string(),
    /** The button's colour at 0.1 alpha. */
    translucentColor: z.string(),
  }),
  logoutUrl: z.string().nullable(),
  loginBackground: z.enum(LOGIN_BACKGROUNDS),
  loginPageText: z.string(),
  headerImage: z.string().nullable(),
  headerLine1: z.string(),
  bannerImage: z.string().nullable(),
});
export type ThemeInfo = z.infer<typeof themeInfo>;

// No match before a final line end: a colour is written into a stylesheet.
const colour = z.string().regex(/^#[0-9a-f]{6}$(?!\n)/i);
const paragraph = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .regex(/^(?:[^\p{Cc}\p{Bidi_Control}]|[\r\n\t])*$/u);

/** The texts and choices of the firm; images are sent separately. */
export const themeInput = z.strictObject({
  headerFillColor: colour,
  headerTextColor: colour,
  buttonFillColor: colour,
  buttonTextColor: colour,
  headerLine1: line(80).min(1),
  loginPageText: paragraph(500),
  loginBackground: z.enum(LOGIN_BACKGROUNDS),
  logoutUrl: line(300),
  announcement: paragraph(500),
  timeZone: z.string().refine(isTimeZone),
});
export type ThemeInput = z.infer<typeof themeInput>;

/** How large an uploaded logo or banner may be. */
export const MAX_IMAGE_BYTES = 5_000_000;
