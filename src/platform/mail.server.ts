import nodemailer, { type Transporter } from 'nodemailer';
import { config } from './config.server.ts';
import { enqueue, handle, outcomesOf, withdraw } from './jobs.server.ts';

/** A mail as it waits in the outbox. Addresses are objects, never header text, so that no input can add a header. */
export interface Mail {
  to: string;
  from: { name: string };
  replyTo?: { name: string; address: string };
  subject: string;
  html: string;
  text: string;
  language: string;
  /** The firm on whose stationery it is: it waits while that firm is locked. */
  companyId?: string;
}

let transport: Transporter | undefined;
let smtpUrl = config.smtpUrl;

/** Points the outbox at another mail server; the demo does, at its own mailbox. */
export function useMailServer(url: string): void {
  smtpUrl = url;
  transport = undefined;
}

/** Asks the mail server whether it would take a mail from us; throws what it says. */
export async function tryMailServer(): Promise<void> {
  if (smtpUrl === undefined) throw new Error('SMTP_URL is not set');
  const connection = nodemailer.createTransport({ url: smtpUrl, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 10_000 });
  await connection.verify();
  connection.close();
}

/** Puts a mail into the outbox, within the open transaction. `key` names it for good: the same key is never sent twice. */
export async function queueMail(mail: Mail, key: string): Promise<void> {
  await enqueue('mail', { ...mail, key }, jobKey(key), mail.companyId);
}

export type MailStatus = 'queued' | 'sent' | 'failed';

/** Whether mails wait, were taken by the mail server, or were given up, by their keys. */
export async function mailStatuses(keys: readonly string[]): Promise<Map<string, MailStatus>> {
  const outcomes = await outcomesOf(keys.map(jobKey));
  return new Map(keys.map((key) => [key, STATUS[outcomes.get(jobKey(key)) ?? 'done']]));
}

/** Takes back those of these mails that were not sent yet. */
export const takeBackMails = (keys: readonly string[]): Promise<void> => withdraw(keys.map(jobKey));

const STATUS = { waiting: 'queued', done: 'sent', 'given up': 'failed' } as const;
const jobKey = (key: string): string => `mail:${key}`;

handle('mail', async (payload) => {
  const mail = payload as Mail & { key: string };
  if (smtpUrl === undefined) throw Object.assign(new Error('No mail server: set SMTP_URL'), { code: 'NO_SMTP_URL' });
  transport ??= nodemailer.createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  await transport.sendMail({
    from: { name: mail.from.name, address: config.mailFrom },
    to: { name: '', address: mail.to },
    ...(mail.replyTo && { replyTo: mail.replyTo }),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    // The same key gives the same id: a mail sent again after a lost answer is known to be the same one.
    messageId: `<${mail.key}@${new URL(config.origin).hostname}>`,
    headers: { 'Content-Language': mail.language, 'Auto-Submitted': 'auto-generated' },
  });
});
