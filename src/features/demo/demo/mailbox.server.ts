import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { useMailServer } from '#platform/mail/mail.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';

/**
 * Starts the demo's own mail server, on this machine only: the outbox sends to it by SMTP, and the mailbox
 * page shows the mails.
 */
let server: SMTPServer | undefined;

export async function startMailbox(): Promise<void> {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      void text(stream)
        .then((raw) =>
          keep(
            raw,
            session.envelope.rcptTo.map((recipient) => recipient.address),
          ),
        )
        .then(() => done(), done);
    },
  });
  server.on('error', () => undefined); // a client that disconnects
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  useMailServer(`smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`);
}

export async function stopMailbox(): Promise<void> {
  const running = server;
  server = undefined;
  if (running) await new Promise<void>((resolve) => running.close(() => resolve()));
}

async function keep(raw: string, recipients: string[]): Promise<void> {
  const id = newId('mail');
  await db()
    .insertInto('mailbox')
    .values({
      mail_id: id,
      received_at: now(),
      recipients: encryptFor('mailbox.recipients', id, recipients.join(', ')),
      raw: encryptFor('mailbox.raw', id, raw),
    })
    .execute();
}

interface DemoMail {
  id: string;
  receivedAt: number;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
}

/** Lists the received mails, the newest first. */
export async function listMails(): Promise<DemoMail[]> {
  const rows = await db()
    .selectFrom('mailbox')
    .selectAll()
    .orderBy('received_at', 'desc')
    .limit(100)
    .execute();
  return Promise.all(rows.map(present));
}

export async function readMail(id: string): Promise<DemoMail> {
  const row = await db().selectFrom('mailbox').selectAll().where('mail_id', '=', id).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

async function present(row: {
  mail_id: string;
  received_at: number;
  recipients: string;
  raw: string;
}): Promise<DemoMail> {
  const mail = await PostalMime.parse(decryptFrom('mailbox.raw', row.mail_id, row.raw));
  return {
    id: row.mail_id,
    receivedAt: row.received_at,
    to: decryptFrom('mailbox.recipients', row.mail_id, row.recipients),
    from: [mail.from?.name, mail.from?.address && `<${mail.from.address}>`].filter(Boolean).join(' '),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
  };
}
