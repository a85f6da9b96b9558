import { withoutInvisible } from './text.ts';

/*
 * An email address as people type and paste it, for the server and the browser: one rule for every field and call
 * (docs/decisions/0089). Lists of them: email-addresses.ts.
 */

/** The longest address (RFC 5321, section 4.5.3.1.3). */
export const MAX_EMAIL_ADDRESS = 254;

/**
 * An address that is safe after `RCPT TO`: dot-atom, no quotes, comments or control characters (threat-model.md T44).
 * Latin letters with accents are letters of a mailbox, too (RFC 6531); other scripts are not, since their letters can
 * look like Latin ones. Runs in linear time.
 */
const ADDRESS =
  /^[\p{Script=Latin}\d!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/iu;

/** Tells whether the text is an address and nothing else, with its domain in ASCII. */
export function isEmailAddress(text: string): boolean {
  return (
    text.length <= MAX_EMAIL_ADDRESS &&
    ADDRESS.test(text) &&
    !text.startsWith('.') &&
    !text.includes('..') &&
    !text.includes('.@')
  );
}

/**
 * Reads the one address in a text: with a name before it, in angle brackets, as a `mailto:` link, with a separator or
 * full stop after it. Undefined unless there is exactly one and nothing else.
 */
export function readEmailAddress(text: string): string | undefined {
  const one = plainSeparators(text).replace(/[,;\s]+$/, '');
  const [, name = '', bracketed = one] = /^([^<>]*)<([^<>]*)>$/.exec(one) ?? [];
  const address = plainAddress(bracketed.trim());
  const unquoted = name.replaceAll(/"[^"]*"/g, '').trim();
  return unquoted.includes('@') && plainAddress(unquoted) !== address ? undefined : address;
}

/** The one address in a text; a text without one stays as it is, but for the spaces around it. */
export const emailAddressOrText = (text: string): string => readEmailAddress(text) ?? text.trim();

/** The text with its separators and the sign of addresses as they are in English. */
export const plainSeparators = (text: string): string =>
  withoutInvisible(text)
    .replaceAll(/[，、،]/g, ',')
    .replaceAll('；', ';')
    .replaceAll('＠', '@')
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n');

/** An address with what may be around it, such as the subject of a link. */
const MAX_WORD = 2000;

/** The address in a word, without the scheme of a link, quotes around it and what ends a sentence. */
export function plainAddress(word: string): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const text = word
    .normalize('NFC')
    .replace(/^mailto:/i, '')
    .replace(/\?[^@]*$/, '') // the subject of a link
    .replace(/^(['(])(.*)[')]([.,:!]*)$/, '$2$3')
    .replace(/[.,:!]{1,5}$/, '');
  const at = text.lastIndexOf('@');
  const address = `${text.slice(0, at)}@${asciiDomain(text.slice(at + 1))}`;
  return at > 0 && isEmailAddress(address) ? address : undefined;
}

/** A domain in ASCII, as the domain name system knows it: `são.example` is `xn--so-nja.example`. */
function asciiDomain(domain: string): string {
  if (/^[ -~]*$/.test(domain) || domain.length > MAX_EMAIL_ADDRESS) return domain;
  // what a URL reads as something else than its host
  if (/[\s\p{Cc}/\\?#:@%[\]]/u.test(domain)) return domain;
  return URL.parse(`http://${domain}`)?.hostname ?? domain;
}
