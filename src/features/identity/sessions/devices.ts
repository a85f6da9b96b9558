import { z } from 'zod';

/** A session as its owner's list shows it: where and when, and whether it is the current one. */
export const ownSession = z.strictObject({
  id: z.string(),
  /** Product names; empty if the browser does not send them. */
  browser: z.string(),
  system: z.string(),
  network: z.string(),
  startedAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  isThisOne: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSession>;

/** The first match wins: most browsers also name the ones they descend from. */
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
 * Names the browser and system of a User-Agent: `{ browser: 'Firefox', system: 'Windows' }`; empty if
 * unknown.
 */
export function describeDevice(userAgent: string): { browser: string; system: string } {
  const named = (table: typeof BROWSERS): string =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? '';
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
