import '../../../src/app.server.ts';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { mailOf } from '#features/clients/mails/mails.server.ts';
import { mailboxProblemText } from '#features/clients/mails/texts.server.ts';
import { bounceMailboxProblem, readBounces } from '#platform/mail/bounce-mailbox.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { queueMail, useMailServer } from '#platform/mail/mail.server.ts';
import { startDovecot } from '../../../scripts/services.mjs';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { mailboxesOf } from '../../support/mailboxes.ts';

/*
 * Bounces from end to end: the portal delivers an email by SMTP, the mail server puts a report (RFC 3464) into a mailbox
 * of Dovecot, and the portal reads it there by IMAP.
 */

const { firmOne, sam } = await makeCast();
const grace = await person(firmOne, 'Grace Gate', 'grace@one.example', { role: 'owner' });
const close: (() => void)[] = [];
const dovecot = await startDovecot();
const { newMailbox, wire } = mailboxesOf(dovecot, close);

interface Accepted {
  to: string;
  envelopeId: string;
  raw: Buffer;
}
const accepted: Accepted[] = [];
/** A mail server that accepts every email, and learns later that it cannot be delivered. */
const mailServer = new SMTPServer({
  authOptional: true,
  hideDSN: false,
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData: (stream, { envelope }, done) => {
    void buffer(stream)
      .then((raw) =>
        accepted.push({
          to: envelope.rcptTo[0]?.address ?? '',
          envelopeId: envelope.dsn?.envid ?? '',
          raw,
        }),
      )
      .then(() => done(), done);
  },
});
const listening = mailServer.listen(0, '127.0.0.1');
await once(listening, 'listening');
useMailServer(`smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`);

beforeEach(async () => {
  await db().deleteFrom('inbox_items').execute();
});
afterEach(() => {
  for (const end of close.splice(0)) end();
});
afterAll(async () => {
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
  await dovecot.stop();
});

/** Sends an email of the firm, which the mail server accepts; returns its id and what arrived there. */
async function sendTo(to: string): Promise<{ mailId: string; arrived: Accepted }> {
  const mailId = newId('mail');
  await queueMail(
    {
      mailId,
      about: { kind: 'documents' },
      companyId: firmOne,
      to,
      from: { name: 'Firm One' },
      subject: 'New documents',
      html: '<p>New documents</p>',
      text: 'New documents',
      language: 'en-US',
    },
    newId('notice'),
  );
  await runDueJobs();
  const arrived = accepted.splice(0).find((one) => one.to === to);
  if (!arrived) throw new Error(`The mail server got no email to ${to}.`);
  return { mailId, arrived };
}

/** The report of an email that could not be delivered, as Postfix writes it (RFC 3464 and 3462). */
const reportOf = ({ to, envelopeId, raw }: Accepted): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        'Return-Path: <>',
        'From: MAILER-DAEMON@mx.example (Mail Delivery System)',
        'To: portal@firm.example',
        'Subject: Undelivered Mail Returned to Sender',
        'Auto-Submitted: auto-replied',
        'MIME-Version: 1.0',
        'Content-Type: multipart/report; report-type=delivery-status;',
        '\tboundary="4F2B5C0123.1764000000/mx.example"',
        '',
        'This is a MIME-encapsulated message.',
        '',
        '--4F2B5C0123.1764000000/mx.example',
        'Content-Description: Notification',
        'Content-Type: text/plain; charset=us-ascii',
        '',
        "I'm sorry to have to inform you that your message could not be delivered.",
        '',
        '--4F2B5C0123.1764000000/mx.example',
        'Content-Description: Delivery report',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.example',
        `Original-Envelope-Id: ${envelopeId}`,
        'X-Postfix-Queue-ID: 4F2B5C0123',
        'Arrival-Date: Mon, 23 Nov 2026 10:00:00 +0000 (UTC)',
        '',
        `Final-Recipient: rfc822; ${to}`,
        `Original-Recipient: rfc822;${to}`,
        'Action: failed',
        'Status: 5.1.1',
        'Remote-MTA: dns; mx.recipient.example',
        `Diagnostic-Code: smtp; 550 5.1.1 <${to}>: user unknown`,
        '',
        '--4F2B5C0123.1764000000/mx.example',
        'Content-Description: Undelivered Message',
        'Content-Type: message/rfc822',
        '',
        '',
      ].join('\r\n'),
    ),
    raw,
    Buffer.from('\r\n--4F2B5C0123.1764000000/mx.example--\r\n'),
  ]);

const ANSWER = 'From: nora@client.example\r\nSubject: Re: New documents\r\n\r\nThank you.\r\n';

const stateOf = async (mailId: string): Promise<string> => {
  const { state, reason } = await mailOf(grace, mailId);
  return [state, reason].filter(Boolean).join(' ');
};
/** The emails in the inbox of the firm that did not arrive. */
const failedInInbox = async (): Promise<string[]> =>
  (await listInbox(grace, inboxQuery.parse({ of: 'all' }))).items
    .filter(({ kind }) => kind === 'mail')
    .map(({ kind, count }) => `${kind} ${count}`);

test('an email that comes back is marked as not delivered, and is in the inbox of the firm', async () => {
  const mailbox = newMailbox();
  const [failed, fine] = [await sendTo('nobody@client.example'), await sendTo('nora@client.example')];
  expect([await stateOf(failed.mailId), await failedInInbox()]).toEqual(['accepted', []]);
  await mailbox.deliver(ANSWER, reportOf(failed.arrived));
  await readBounces(mailbox.url);
  expect(await stateOf(failed.mailId)).toBe('bounced 5.1.1');
  expect(await stateOf(fine.mailId)).toBe('accepted');
  expect(await failedInInbox()).toEqual(['mail 1']);
  expect(await mailbox.unread()).toBe(0);
});

test('a report that is read twice has its effect once', async () => {
  const mailbox = newMailbox();
  const { mailId, arrived } = await sendTo('twice@client.example');
  await mailbox.deliver(reportOf(arrived));
  await readBounces(mailbox.url);
  const { events } = await mailOf(grace, mailId);
  standAt(now() + HOUR);
  await mailbox.deliver(reportOf(arrived)); // mail servers repeat reports, too
  await readBounces(mailbox.url);
  expect((await mailOf(grace, mailId)).events).toEqual(events);
  expect(await failedInInbox()).toEqual(['mail 1']);
});

test('a mailbox with a thousand messages is read to its end, and a report among them is found', async () => {
  const mailbox = newMailbox();
  const { mailId, arrived } = await sendTo('last@client.example');
  await mailbox.deliver(...Array.from({ length: 999 }, () => ANSWER), reportOf(arrived));
  let unread = 1000;
  while (unread > 0) {
    const before = unread;
    await readBounces(mailbox.url);
    unread = await mailbox.unread();
    expect(unread).toBeLessThan(before);
  }
  expect(await stateOf(mailId)).toBe('bounced 5.1.1');
});

test('a connection that is cut in the middle of a message loses no report, and the next reading continues there', async () => {
  const mailbox = newMailbox();
  const sent = [await sendTo('a@cut.example'), await sendTo('b@cut.example'), await sendTo('c@cut.example')];
  await mailbox.deliver(...sent.map(({ arrived }) => reportOf(arrived)));
  let messages = 0;
  const { port } = await wire({
    onReceived: (piece, { cut }) => {
      if (piece.includes('BODY[]')) messages += 1;
      if (messages < 2) return piece;
      setImmediate(cut); // after half of it
      return piece.subarray(0, piece.length / 2);
    },
  });
  await expect(readBounces(mailbox.urlAt(port))).rejects.toThrow();
  expect(await Promise.all(sent.map(({ mailId }) => stateOf(mailId)))).toEqual([
    'bounced 5.1.1',
    'accepted',
    'accepted',
  ]);
  expect(await bounceMailboxProblem()).toBe('unreachable');
  await readBounces(mailbox.url);
  expect(await Promise.all(sent.map(({ mailId }) => stateOf(mailId)))).toEqual(
    sent.map(() => 'bounced 5.1.1'),
  );
  expect(await failedInInbox()).toEqual(['mail 1', 'mail 1', 'mail 1']);
  expect(await bounceMailboxProblem()).toBeUndefined();
});

test('a report whose connection is cut before it is marked as read has its effect once', async () => {
  const mailbox = newMailbox();
  const { mailId, arrived } = await sendTo('unmarked@client.example');
  await mailbox.deliver(reportOf(arrived));
  const { port } = await wire({
    onSent: (piece, { cut }) => {
      if (!piece.includes('UID STORE')) return piece;
      cut();
      return Buffer.alloc(0);
    },
  });
  await expect(readBounces(mailbox.urlAt(port))).rejects.toThrow();
  expect([await stateOf(mailId), await mailbox.unread()]).toEqual(['bounced 5.1.1', 1]);
  const { events } = await mailOf(grace, mailId);
  standAt(now() + HOUR);
  await readBounces(mailbox.url);
  expect([(await mailOf(grace, mailId)).events, await mailbox.unread()]).toEqual([events, 0]);
  expect(await failedInInbox()).toEqual(['mail 1']);
});

test('a message that cannot be parsed does not keep the reports after it from being read', async () => {
  const mailbox = newMailbox();
  const { mailId, arrived } = await sendTo('after@client.example');
  const nested = Array.from(
    { length: 300 },
    (_, depth) => `Content-Type: multipart/mixed; boundary="b${depth}"\r\n\r\n--b${depth}\r\n`,
  ).join('');
  await mailbox.deliver(nested, reportOf(arrived));
  await readBounces(mailbox.url);
  expect([await stateOf(mailId), await mailbox.unread()]).toEqual(['bounced 5.1.1', 0]);
});

test('a wrong password is recorded for the owner, until the mailbox can be read again', async () => {
  const mailbox = newMailbox();
  await expect(readBounces(mailbox.urlAt(dovecot.port, { password: 'wrong' }))).rejects.toMatchObject({
    authenticationFailed: true,
  });
  expect(await mailboxProblemText('en-us', grace)).toMatch(/refused the portal’s user name or password/);
  expect(await mailboxProblemText('en-us', sam), 'who does not manage the firm').toBeUndefined();
  await expect(readBounces(mailbox.urlAt(1))).rejects.toThrow();
  expect(await mailboxProblemText('pt', grace)).toMatch(/está inacessível/);
  await readBounces(mailbox.url);
  expect(await mailboxProblemText('en-us', grace)).toBeUndefined();
  await expect(readBounces(mailbox.urlAt(1))).rejects.toThrow();
  await readBounces(undefined); // BOUNCE_IMAP_URL was removed
  expect(await mailboxProblemText('en-us', grace)).toBeUndefined();
});

test('a mailbox is read over TLS when its certificate is trusted, and not when it is not', async () => {
  const mailbox = newMailbox();
  const { mailId, arrived } = await sendTo('secure@client.example');
  await mailbox.deliver(reportOf(arrived));
  const url = mailbox.urlAt(dovecot.tlsPort, { protocol: 'imaps' });
  await expect(readBounces(url)).rejects.toThrow(/self-signed certificate/);
  expect(await stateOf(mailId)).toBe('accepted');
  const trusted = tls.getCACertificates('default');
  close.push(() => tls.setDefaultCACertificates(trusted));
  tls.setDefaultCACertificates([...trusted, readFileSync(dovecot.certificate, 'utf8')]);
  await readBounces(url);
  expect(await stateOf(mailId)).toBe('bounced 5.1.1');
});

test('a remote mailbox that offers no TLS gets no password', async () => {
  const mailbox = newMailbox();
  // someone on the way removes the offer
  const { port, connections } = await wire({
    host: '0.0.0.0',
    onReceived: (piece) => Buffer.from(piece.toString('latin1').replaceAll('STARTTLS', 'XXXXXXXX'), 'latin1'),
  });
  await expect(readBounces(mailbox.urlAt(port, { host: '0.0.0.0' }))).rejects.toThrow(/TLS/);
  expect(connections.length).toBeGreaterThan(0);
  for (const { sent } of connections) expect(sent).not.toMatch(/LOGIN|AUTHENTICATE/i);
});
