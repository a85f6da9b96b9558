import { createHmac, timingSafeEqual } from 'node:crypto';
import { config } from '#platform/runtime/config.server.ts';
import { keyFor, keysFor } from '#platform/security/crypto.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/*
 * The link in reminders that pauses them without signing in. Its token names the contact and is signed: nothing is
 * stored for it, and it works as long as its key is in use.
 */

const PURPOSE = 'pause-reminders';

const signature = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The address of the page that pauses the reminders of a contact. */
export const pauseLink = (lang: Lang, contactId: string): string =>
  `${config.origin}/${config.base}/${lang}/reminders/${pauseToken(contactId)}`;

const pauseToken = (contactId: string): string =>
  `${contactId}.${signature(keyFor(PURPOSE), contactId).toString('base64url')}`;

/** Whose reminders a token pauses; undefined unless the portal signed it. */
export function readPauseToken(token: string): string | undefined {
  const [contactId = '', signed = '', ...rest] = token.split('.');
  const given = Buffer.from(signed, 'base64url');
  const isOurs = keysFor(PURPOSE).some((key) => {
    const expected = signature(key, contactId);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isOurs && rest.length === 0 ? contactId : undefined;
}
