import PostalMime, { type Email } from 'postal-mime';
import { recordBounce } from './mail-log.server.ts';

/*
 * Bounces: reports of mail servers that a mail could not be delivered (RFC 3464). They are matched by the id of
 * the mail, which only its recipient and the servers on its way know: whoever forges a report can only change
 * the mail that they got themselves (docs/decisions/0055).
 */

/** A mail that could not be delivered, and its enhanced status code (RFC 3463). */
interface Bounce {
  mail: { mail_id: string } | { mail_key: string };
  status: string;
}

const MAX_REPORT = 1024 * 1024;
const ID = /\bmail_[0-9a-f]{32}\b/;

/** Records what a report says about a mail of the portal. Returns whether it is about one. */
export async function recordReport(raw: Uint8Array): Promise<boolean> {
  const bounce = await bounceIn(raw);
  if (!bounce) return false;
  await recordBounce(bounce.mail, bounce.status);
  return true;
}

/** Finds the mail that a report declares as failed for good; undefined for any other message. */
async function bounceIn(raw: Uint8Array): Promise<Bounce | undefined> {
  if (raw.byteLength > MAX_REPORT) return undefined;
  // what cannot be parsed is no report, and must not keep those after it from being read
  const report = await PostalMime.parse(raw, { attachmentEncoding: 'utf8' }).catch(() => undefined);
  if (!report) return undefined;
  const status = textOf(report, 'message/delivery-status');
  if (!/^action:\s*failed\b/im.test(status)) return undefined;
  const code = /^status:\s*([45]\.\d{1,3}\.\d{1,3})\b/im.exec(status)?.[1] ?? '5.0.0';
  const mail = mailNamedBy(report, status);
  return mail && { mail, status: code };
}

/** The mail, by the envelope id, by the return path, or by the headers of the message that comes back. */
function mailNamedBy(report: Email, status: string): Bounce['mail'] | undefined {
  const envelope = ID.exec(/^original-envelope-id:(.*)$/im.exec(status)?.[1] ?? '');
  const path = ID.exec(
    [...(report.to ?? []), ...recipientsIn(report)].map(({ address }) => address).join(' '),
  );
  const id = (envelope ?? path)?.[0];
  if (id !== undefined) return { mail_id: id };
  const returned = textOf(report, 'message/rfc822') || textOf(report, 'text/rfc822-headers');
  const key = /^message-id:\s*<([\w-]{10,200})@[^>]*>/im.exec(returned)?.[1];
  return key === undefined ? undefined : { mail_key: key };
}

const recipientsIn = ({ headers }: Email): { address: string }[] =>
  headers
    .filter(({ key }) => key === 'delivered-to' || key === 'x-original-to')
    .map(({ value }) => ({ address: value }));

function textOf({ attachments }: Email, type: string): string {
  const content = attachments.find(({ mimeType }) => mimeType === type)?.content ?? '';
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}
