/*
 * Text that people copied from a mail, a page or a document, for the server and the browser. It carries characters that
 * nobody sees and no keyboard types.
 */

/**
 * Format characters: zero-width spaces, soft hyphens, marks of direction. Joiners (U+200C, U+200D) are among them, but
 * Persian, the scripts of India and emoji need them.
 */
const INVISIBLE = /(?![\u200C\u200D])[\p{Cf}\u{FE00}-\u{FE0D}\u034F\u115F\u1160\u3164\uFFA0]/gu;
const JOINERS = /[\u200C\u200D]/g;
/** Joiners that join nothing: beside a Latin letter, a digit, a space or the end. */
const IDLE_JOINERS =
  /(?<=^|[\p{Script=Latin}\p{Nd}\s\u200C\u200D])[\u200C\u200D]+|[\u200C\u200D]+(?=$|[\p{Script=Latin}\p{Nd}\s])/gu;

/** The text without characters that nobody sees, for what is written without joiners: addresses, numbers, dates. */
export const withoutInvisible = (text: string): string =>
  text.replaceAll(INVISIBLE, '').replaceAll(JOINERS, '');

/**
 * A name, or another text in one line, as it is read: composed letters, no character that nobody sees, breaks and tabs
 * as spaces, and one space between words.
 */
export const readLine = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(IDLE_JOINERS, '')
    .replaceAll(/[\s\u0085]+/gu, ' ')
    .trim();
