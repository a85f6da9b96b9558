import { firmOf } from '#features/base/firms/firms.server.ts';
import { readCheckCode } from '#platform/mail/check-codes.server.ts';
import type { MailKind } from '#platform/mail/mail-kinds.ts';
import { db } from '#platform/database/database.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { consumeForNetwork, refundNetwork } from '#platform/security/limits.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';

/** Codes that are not ours, from one network. */
const MISSES_AN_HOUR = 10;

/** What anyone who has the code of an email may know about it. */
export interface CheckedMail {
  kind: MailKind;
  /** Undefined for emails to people of several firms, or of none. */
  firm: { name: string; timeZone: string } | undefined;
  sentAt: number;
  /** The first letter of the recipient’s address; undefined once the recipient has left the firm. */
  initial: string | undefined;
}

/**
 * Finds the email that the portal sent with a code, as somebody typed it; undefined if there is none, or if it was
 * deleted by age. TOO_MANY after ten wrong codes an hour from one network.
 */
export async function checkMail(typed: string, network: string): Promise<CheckedMail | undefined> {
  await consumeForNetwork('mail-check', network, MISSES_AN_HOUR, HOUR);
  const code = readCheckCode(typed);
  const row = code === undefined ? undefined : await mailWithCode(code);
  if (!row) return undefined;
  await refundNetwork('mail-check', network);
  const firm = row.company_id === null ? undefined : await firmOf(row.company_id);
  const [initial] = decryptFrom('mails.recipient', row.mail_id, row.recipient);
  return {
    kind: row.kind,
    firm: firm && { name: firm.name, timeZone: firm.timeZone },
    sentAt: row.accepted_at ?? row.queued_at,
    initial: row.removed_at === null ? initial : undefined,
  };
}

const mailWithCode = (code: string) =>
  db()
    .selectFrom('mails')
    .leftJoin('contacts', 'contacts.contact_id', 'mails.contact_id')
    .select([
      'mails.mail_id',
      'mails.company_id',
      'mails.kind',
      'mails.recipient',
      'mails.queued_at',
      'mails.accepted_at',
      'contacts.removed_at',
    ])
    .where('mails.check_code', '=', code)
    .where('mails.state', '!=', 'canceled')
    .orderBy('mails.queued_at', 'desc')
    .limit(1)
    .executeTakeFirst();
