import { randomBytes } from 'node:crypto';
import { assertActsFor } from '#features/base/people/people.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { assertTakesDocuments } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { recipientsAt, type Recipient } from './recipients.server.ts';

/*
 * The addresses to which fiscal documents are sent: that of the mailbox with `+` and a token of the client. Whoever knows it can
 * send files, so that it is encrypted, and can be replaced.
 */

/** The address of a client; undefined if it has none, or the portal no mailbox. NOT_FOUND for a client of others. */
export async function loadMailAddress(
  actor: Actor,
  clientId: string,
  mailbox = config.fiscalMailbox,
): Promise<string | undefined> {
  await assertActsFor(actor, clientId);
  const row = await db()
    .selectFrom('fiscal_mail_addresses')
    .select(['token_key', 'token'])
    .where('client_id', '=', clientId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row || !mailbox) return undefined;
  const token = decryptFrom('fiscal_mail_addresses.token', row.token_key, row.token);
  return mailbox.address.replace('@', `+${token}@`);
}

/**
 * Gives a client a new address; those that it had stop working. FORBIDDEN for who may not send documents for it,
 * NOT_FOUND for a client of others, GONE for an archived one.
 */
export async function replaceMailAddress(actor: Actor, clientId: string): Promise<void> {
  if (isReadOnly(actor)) throw new PortalError('FORBIDDEN');
  const { companyId, contactId } = actor;
  const token = newMailToken();
  const tokenKey = await keyOf(token);
  await inTransaction(async () => {
    await assertTakesDocuments(actor, clientId);
    await db().deleteFrom('fiscal_mail_addresses').where('client_id', '=', clientId).execute();
    await db()
      .insertInto('fiscal_mail_addresses')
      .values({
        token_key: tokenKey,
        company_id: companyId,
        client_id: clientId,
        token: encryptFor('fiscal_mail_addresses.token', tokenKey, token),
        created_at: now(),
        created_by: contactId,
      })
      .execute();
    await audit({ companyId, actor: contactId, action: 'fiscal.address', target: clientId, clientId });
  });
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const TOKEN_LENGTH = 16;

/** A token of 80 bits that survives mail servers and people who change the case. */
const newMailToken = (): string =>
  Array.from(randomBytes(TOKEN_LENGTH), (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');

const keyOf = (token: string): Promise<string> => blindIndex(`fiscal-mail:${token}`);

/** The most clients to which one message goes. */
const MAX_RECIPIENTS = 10;

/** The clients that the addresses in the headers of a message name, and that take documents. */
export async function findRecipients(headers: string, address: string): Promise<Recipient[]> {
  const [local = '', domain = ''] = address.split('@').map((part) => RegExp.escape(part));
  const named = new RegExp(`${local}\\+([a-z2-7]{${TOKEN_LENGTH}})@${domain}(?![\\w.-]*\\w)`, 'gi');
  const tokens = [...headers.matchAll(named)].map(([, token = '']) => token.toLowerCase());
  const keys = await Promise.all([...new Set(tokens)].slice(0, MAX_RECIPIENTS).map(keyOf));
  return keys.length === 0 ? [] : recipientsAt(keys);
}
