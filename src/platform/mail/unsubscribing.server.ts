import { createHmac, timingSafeEqual } from 'node:crypto';
import { keyFor, keysFor } from '../security/crypto.server.ts';
import { optionalKinds } from './mail-kinds.server.ts';
import type { OptionalKind } from './mail-kinds.ts';

/*
 * Links in optional emails that turn off their kind without signing in (RFC 8058). The token names the person and
 * the kind, and is signed: nothing is stored for it, and it works as long as its key is in use.
 */

const PURPOSE = 'unsubscribe';

const signature = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** A token that turns off one kind of emails for one person. */
export function unsubscribeToken(contactId: string, kind: OptionalKind): string {
  const text = `${contactId}.${kind}`;
  return `${text}.${signature(keyFor(PURPOSE), text).toString('base64url')}`;
}

/** Whom and what a token is about; undefined unless the portal signed it. */
export function readUnsubscribeToken(token: string): { contactId: string; kind: OptionalKind } | undefined {
  const [contactId = '', kindName, signed = '', ...rest] = token.split('.');
  const kind = optionalKinds().find((optional) => optional === kindName);
  if (kind === undefined || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const isOurs = keysFor(PURPOSE).some((key) => {
    const expected = signature(key, `${contactId}.${kind}`);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isOurs ? { contactId, kind } : undefined;
}
