import { z } from 'zod';

/** A session of one's own, as its list shows it: where and when, and whether it is the one that asks. */
export const ownSession = z.strictObject({
  id: z.string(),
  /** Names as their makers write them; empty when the browser does not say. */
  browser: z.string(),
  system: z.string(),
  network: z.string(),
  startedAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  isThisOne: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

/** The first that fits wins: most browsers also name those that they descend from. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPad\b/, 'iPadOS'],
  [/\biPhone\b|\biPod\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * What a User-Agent says in words: `{ browser: 'Firefox', system: 'Windows' }`; empty where it says nothing.
 */
export function describeDevice(userAgent: string): { browser: string; system: string } {
  const named = (table: typeof BROWSERS): string =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? '';
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
