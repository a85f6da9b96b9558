import nodemailer, { type Transporter } from 'nodemailer';
import { now } from '../runtime/clock.server.ts';
import { config, isLoopback } from '../runtime/config.server.ts';
import { db, inBatches, inTransaction } from '../database/database.server.ts';
import { enqueue, FinalError, jobOutcomes, cancelJobs } from '../jobs/jobs.server.ts';
import { mailBeingQueued, mailRecorded } from './mail-events.server.ts';
import { loadPhrase } from './mail-phrases.server.ts';
import { isPracticeFirm } from '../runtime/practice.server.ts';
import { deliveryOf, type Delivery } from './mail-delivery.server.ts';
import type { MailKind } from './mail-kinds.ts';
import { reworded, withPhrase, type MailWords } from './mail-layout.server.ts';
import { recordAccepted, recordBounce, recordCanceled, recordDelay, recordMail } from './mail-log.server.ts';
import type { ShortLink } from './short-links.server.ts';

/** What a mail is about, for the list of mails. */
export interface MailAbout {
  kind: MailKind;
  /** The recipient, where it is a contact or staff of the firm. */
  contactId?: string;
  clientId?: string | undefined;
  /** Ids of what it is about; `recordDone` names them when it has happened. */
  targets?: readonly string[];
  /** The kind of notifications that it makes, where mails of its kind make none or another one. */
  notification?: string;
}

/** The text of a mail without secrets, from which it can be built again. */
export interface MailContent {
  title: string;
  text: string[];
  button: { label: string; link: string };
  reason: string;
}

/** A queued mail. Addresses are objects, not header text, to prevent header injection. */
export interface Mail {
  mailId: string;
  about: MailAbout;
  content?: MailContent;
  /** The short links in its text. */
  shortLinks?: readonly ShortLink[];
  to: string;
  from: { name: string };
  replyTo?: { name: string; address: string };
  subject: string;
  html: string;
  text: string;
  language: string;
  /** The page that turns off mails of this kind, and accepts a POST (RFC 8058); absent for necessary ones. */
  unsubscribeUrl?: string;
  /** The sending firm; its mails wait while it is locked. */
  companyId?: string;
}

let transport: Transporter | undefined;
let smtpUrl = config.smtpUrl;

/** Switches to another mail server; the demo uses its own mailbox. */
export function useMailServer(url: string): void {
  smtpUrl = url;
  transport = undefined;
}

/** Requires TLS for a remote mail server, unless SMTP_TLS=optional: mails contain links and names. */
const tlsFor = (url: string) => ({
  requireTLS: config.smtpTls === 'required' && !isLoopback(new URL(url).hostname),
});

/** Checks connection and credentials of the mail server; throws its error. */
export async function verifyMailServer(): Promise<void> {
  if (smtpUrl === undefined) throw new Error('SMTP_URL is not set');
  const connection = nodemailer.createTransport({
    url: smtpUrl,
    ...tlsFor(smtpUrl),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 10_000,
  });
  await connection.verify();
  connection.close();
}

/**
 * Queues a mail, within the open transaction, unless its recipient has turned off its kind, or has read in the portal
 * what it says; one that comes in their quiet hours is held until these end. A mail with the same `key` is never sent
 * twice.
 */
export async function queueMail(mail: Mail, key: string): Promise<Delivery> {
  return inTransaction(async () => {
    let isKnown = false;
    let words: MailWords | undefined;
    await mailBeingQueued.announce({
      mail,
      key,
      stop: () => (isKnown = true),
      reword: (own) => (words = own),
    });
    const delivery = await deliveryOf(mail.about);
    if (delivery.kind === 'turned-off') return delivery;
    if (isKnown) return { kind: 'read' };
    await record(words ? reworded(mail, words) : mail, key, delivery.kind === 'held' ? delivery.until : null);
    return delivery;
  });
}

/** Queues a mail again that its recipient may have read about meanwhile. */
export async function queueMailAgain(mail: Mail, key: string): Promise<Delivery> {
  return inTransaction(async () => {
    const delivery = await deliveryOf(mail.about);
    if (delivery.kind !== 'turned-off')
      await record(mail, key, delivery.kind === 'held' ? delivery.until : null);
    return delivery;
  });
}

/** Queues what was held, to be sent at once. */
export const queueHeldMail = (mail: Mail, key: string): Promise<void> =>
  inTransaction(() => record(mail, key, null));

async function record(mail: Mail, key: string, heldUntil: number | null): Promise<void> {
  if (!(await recordMail(mail, key, heldUntil))) return;
  if (await isPracticeFirm(mail.companyId)) return recordCanceled([key]); // to be read in the list of emails only
  const phrase = await loadPhrase(mail.about.contactId);
  const { content: _, shortLinks: __, ...sent } = phrase === undefined ? mail : withPhrase(mail, phrase);
  await enqueue(
    heldUntil === null ? 'mail' : HELD_MAIL,
    { ...sent, key },
    jobKey(key),
    mail.companyId,
    heldUntil ?? now(),
  );
  await mailRecorded.announce({ mail });
}

/** The kind of the job that sends a held mail, which the feature `mails` runs. */
export const HELD_MAIL = 'held-mail';

export type MailStatus = 'queued' | 'sent' | 'failed';

/** The delivery status of mails by their keys. `sent` means accepted by the mail server. */
export async function mailStatuses(keys: readonly string[]): Promise<Map<string, MailStatus>> {
  const outcomes = await jobOutcomes(keys.map(jobKey));
  const bounced = await bouncedAmong(keys);
  return new Map(
    keys.map((key) => [key, bounced.has(key) ? 'failed' : STATUS[outcomes.get(jobKey(key)) ?? 'done']]),
  );
}

/** Those mails that a mail server accepted and another one refused later. */
async function bouncedAmong(keys: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inBatches(keys)) {
    const rows = await db()
      .selectFrom('mails')
      .select('mail_key')
      .where('mail_key', 'in', some)
      .where('state', '=', 'bounced')
      .execute();
    for (const { mail_key: key } of rows) found.add(key);
  }
  return found;
}

/** Cancels those of these mails that have not been sent. */
export const cancelMails = (keys: readonly string[]): Promise<void> =>
  inTransaction(async () => {
    await cancelJobs(keys.map(jobKey));
    await recordCanceled(keys);
  });

const STATUS = { waiting: 'queued', done: 'sent', 'given up': 'failed' } as const;
const jobKey = (key: string): string => `mail:${key}`;

/** Sends a queued mail. */
export async function sendMail(payload: unknown, { isLast } = { isLast: false }): Promise<void> {
  const mail = payload as Mail & { key: string };
  // whatever is queued in another way does not get past this either
  if (await isPracticeFirm(mail.companyId)) return recordCanceled([mail.key]);
  try {
    await transmit(mail);
  } catch (error) {
    const isFinal = isPermanentRejection(error);
    const record =
      isFinal || isLast
        ? recordBounce({ mail_key: mail.key }, reasonOf(error))
        : recordDelay(mail.key, reasonOf(error));
    await record;
    throw isFinal ? new FinalError('REFUSED', error) : error;
  }
  await recordAccepted(mail.key);
}

async function transmit(mail: Mail & { key: string }): Promise<void> {
  if (smtpUrl === undefined)
    throw Object.assign(new Error('No mail server: set SMTP_URL'), { code: 'NO_SMTP_URL' });
  transport ??= nodemailer.createTransport({
    url: smtpUrl,
    ...tlsFor(smtpUrl),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = {
    from: { name: mail.from.name, address: config.mailFrom },
    to: { name: '', address: mail.to },
    ...(mail.replyTo && { replyTo: mail.replyTo }),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    // the same key gives the same Message-ID, so a mail that is sent again after a lost response is recognized
    messageId: `<${mail.key}@${new URL(config.origin).hostname}>`,
    envelope: { from: returnPathOf(mail.mailId), to: { name: '', address: mail.to } },
    // a server that knows RFC 3461 reports a failure with this id, whatever its report looks like otherwise
    dsn: { id: mail.mailId, return: 'headers' as const, notify: 'failure' as const },
    headers: {
      'Content-Language': mail.language,
      'Auto-Submitted': 'auto-generated',
      ...(mail.unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${mail.unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
  await transport.sendMail(message);
}

/** The address for bounces, with the id of the mail in it (VERP), where they have a mailbox of their own. */
export function returnPathOf(mailId: string | undefined): string {
  const { mailReturnPath, mailFrom } = config;
  if (mailReturnPath === undefined || mailId === undefined) return mailFrom;
  const at = mailReturnPath.lastIndexOf('@');
  return `${mailReturnPath.slice(0, at)}+${mailId}${mailReturnPath.slice(at)}`;
}

/** The enhanced status code of a reply (RFC 3463), else its code, else the code of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'ERROR';
  const response = 'response' in error && typeof error.response === 'string' ? error.response : '';
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const basic = 'responseCode' in error ? error.responseCode : undefined;
  const code = 'code' in error ? error.code : undefined;
  return enhanced ?? String(basic ?? code ?? 'ERROR').slice(0, 40);
}

/**
 * True when the server rejected the recipient or the message with a 5yz reply, which is permanent (RFC 5321
 * section 4.2.1). A rejected password or sender is a configuration error: those mails wait until it is fixed.
 */
function isPermanentRejection(error: unknown): boolean {
  if (!(error instanceof Error) || !('responseCode' in error) || typeof error.responseCode !== 'number')
    return false;
  const command = 'command' in error ? error.command : undefined;
  return error.responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
