import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { HOUR, moveClock, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction, migrate } from '#platform/database/database.server.ts';
import { readBounces } from '#platform/mail/bounce-mailbox.server.ts';
import { recordReport } from '#platform/mail/bounces.server.ts';
import { recordBounce, recordDone, recordOpened } from '#platform/mail/mail-log.server.ts';
import { failedJobsSince } from '#platform/jobs/jobs.server.ts';
import {
  type Mail,
  mailStatuses,
  queueMail,
  verifyMailServer,
  useMailServer,
} from '#platform/mail/mail.server.ts';
import '../../src/app.server.ts';
import { runDueJobs } from '../support/jobs.ts';

interface Delivered {
  from: string;
  to: string[];
  raw: string;
  mail: Email;
  envelopeId: string | undefined;
  notify: readonly string[];
}

const close: (() => Promise<void>)[] = [];

beforeAll(migrate);
afterEach(async () => {
  for (const stop of close.splice(0)) await stop();
  await db().deleteFrom('jobs').execute();
});

/**
 * A fake SMTP server that the portal uses; `refuses` is the number of mails answered with 451 at first,
 * `unknown` an address rejected permanently.
 */
async function mailServer({ refuses = 0, port = 0, unknown = '' } = {}): Promise<{
  delivered: Delivered[];
  refused: Delivered[];
  url: string;
}> {
  const delivered: Delivered[] = [];
  const refused: Delivered[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideDSN: false,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _, answer) =>
      address === unknown
        ? answer(Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }))
        : answer(),
    onData: (stream, session, answer) => {
      void buffer(stream).then(async (bytes) => {
        const { mailFrom, rcptTo } = session.envelope;
        const one = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: bytes.toString('utf8'),
          mail: await PostalMime.parse(bytes),
          envelopeId: session.envelope.dsn?.envid ?? undefined,
          notify: rcptTo.flatMap(({ dsn }) => dsn?.notify ?? []),
        };
        if (refused.length < refuses) {
          refused.push(one);
          answer(Object.assign(new Error('try again later'), { responseCode: 451 }));
        } else {
          delivered.push(one);
          answer();
        }
      });
    },
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  close.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  useMailServer(url);
  return { delivered, refused, url };
}

/** A port on which nothing listens. */
async function deadPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const letter = (changed: Partial<Mail> = {}): Mail => ({
  mailId: newId('mail'),
  about: { kind: 'documents' },
  to: 'nora@client.example',
  from: { name: 'Martín & Söhne' },
  replyTo: { name: 'Eleanor', address: 'eleanor@firm.example' },
  subject: 'Declaração de imposto',
  html: '<p>Olá 👋</p>',
  text: 'Olá 👋',
  language: 'pt-BR',
  ...changed,
});

let keys = 0;
const send = (changed?: Partial<Mail>): Promise<unknown> => queueMail(letter(changed), `test-${(keys += 1)}`);

const HEADERS = [
  'auto-submitted',
  'content-language',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'subject',
  'to',
];

test('a mail is delivered once, from the portal, to its recipient', async () => {
  const { delivered } = await mailServer();
  await send();
  await runDueJobs();
  moveClock(HOUR);
  await runDueJobs();
  expect(delivered).toHaveLength(1);
  expect(delivered[0]).toMatchObject({
    from: 'portal@firm.example',
    to: ['nora@client.example'],
    mail: {
      from: { name: 'Martín & Söhne', address: 'portal@firm.example' },
      to: [{ address: 'nora@client.example' }],
      replyTo: [{ name: 'Eleanor', address: 'eleanor@firm.example' }],
      subject: 'Declaração de imposto',
    },
  });
  expect(delivered[0]?.mail.html?.trim()).toBe('<p>Olá 👋</p>');
  expect(delivered[0]?.mail.text?.trim()).toBe('Olá 👋');
  expect(delivered[0]?.mail.headers.find(({ key }) => key === 'content-language')?.value).toBe('pt-BR');
  expect(delivered[0]?.mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe(
    'auto-generated',
  );
  expect(delivered[0]?.mail.headers.map(({ key }) => key).toSorted()).toEqual(HEADERS);
});

test('a mail queued twice with the same key is sent once', async () => {
  const { delivered } = await mailServer();
  await queueMail(letter(), 'the-same');
  await queueMail(letter(), 'the-same');
  await runDueJobs();
  await queueMail(letter(), 'the-same');
  await runDueJobs();
  expect(delivered).toHaveLength(1);
});

test('a mail of a rolled back transaction is not sent', async () => {
  const { delivered } = await mailServer();
  const failing = inTransaction(async () => {
    await send();
    throw new Error('it did not happen');
  });
  await expect(failing).rejects.toThrow('it did not happen');
  await runDueJobs();
  expect(delivered).toEqual([]);
});

test('a sent mail leaves neither address nor text in the outbox', async () => {
  await mailServer();
  await send({ subject: 'a secret subject' });
  await runDueJobs();
  expect(JSON.stringify(await db().selectFrom('jobs').selectAll().execute())).not.toMatch(/nora@|secret|Olá/);
});

const INJECTIONS = [
  '\r\nBcc: spy@evil.example',
  '\nBcc: spy@evil.example',
  '\rBcc: spy@evil.example',
  '\r\n\r\n<p>another body</p>',
  '\u2028Bcc: spy@evil.example',
  '\0',
  '>\r\nRCPT TO:<spy@evil.example>',
  ', spy@evil.example',
  '; spy@evil.example',
  '" <spy@evil.example>, "',
  ' <spy@evil.example>',
  '=?utf-8?Q?=0D=0ABcc:_spy@evil.example?=',
];
const PLACES: Record<string, (payload: string) => Partial<Mail>> = {
  'the subject': (payload) => ({ subject: `Tax${payload}` }),
  'the name of the firm': (payload) => ({ from: { name: `Firm${payload}` } }),
  'the name to answer to': (payload) => ({
    replyTo: { name: `Eleanor${payload}`, address: 'eleanor@firm.example' },
  }),
  'the language': (payload) => ({ language: `pt-BR${payload}` }),
};

test.each(Object.entries(PLACES))(
  'nobody can add a header, a recipient or text through %s',
  async (_, place) => {
    const { delivered } = await mailServer();
    for (const payload of INJECTIONS) await send(place(payload));
    await runDueJobs();
    expect(delivered).toHaveLength(INJECTIONS.length);
    for (const { from, to, mail } of delivered) {
      expect([from, ...to]).toEqual(['portal@firm.example', 'nora@client.example']);
      expect(mail.headers.map(({ key }) => key).toSorted()).toEqual(HEADERS);
      expect([
        mail.from?.address,
        mail.to?.map(({ address }) => address),
        mail.replyTo?.map(({ address }) => address),
        mail.cc,
        mail.bcc,
      ]).toEqual([
        'portal@firm.example',
        ['nora@client.example'],
        ['eleanor@firm.example'],
        undefined,
        undefined,
      ]);
      expect(mail.html?.trim()).toBe('<p>Olá 👋</p>');
    }
  },
);

test.each([
  '"x@evil.example y"@client.example',
  '"nora\\" <spy@evil.example>"@client.example',
  'nora@client.example, spy@evil.example',
  'nora@client.example\r\nRCPT TO:<spy@evil.example>',
  'nora@client.example>\r\nBcc: spy@evil.example',
  'spy@evil.example <nora@client.example>',
  '"spy@evil.example"@client.example',
  'nora@client.example;spy@evil.example',
  'group:spy@evil.example;',
  'nora@client.example\0spy@evil.example',
])('an address written as %j does not send the mail to another host', async (address) => {
  const { delivered } = await mailServer();
  await send({ to: address });
  await send({ replyTo: { name: 'Eleanor', address } });
  await runDueJobs();
  for (const { to, mail } of delivered) {
    expect(to).toHaveLength(1);
    expect(to[0]).toMatch(/@client\.example$/);
    expect(mail.headers.map(({ key }) => key).filter((key) => !HEADERS.includes(key))).toEqual([]);
    expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
  }
});

test('a mail is retried after a temporary error, and the recipient gets it once', async () => {
  const { delivered, refused } = await mailServer({ refuses: 2 });
  await send({ subject: 'patience' });
  await runDueJobs();
  expect([refused.length, delivered.length]).toEqual([1, 0]);
  moveClock(HOUR);
  await runDueJobs();
  moveClock(HOUR);
  await runDueJobs();
  moveClock(HOUR);
  await runDueJobs();
  expect([refused.length, delivered.length]).toEqual([2, 1]);
  const ids = [...refused, ...delivered].map(({ mail }) => mail.messageId);
  expect(ids[0]).toMatch(/^<[^<>@\s]+@127\.0\.0\.1>$/);
  expect(new Set(ids).size).toBe(1);
});

test('a mail queued without a mail server is delivered when there is one', async () => {
  const port = await deadPort();
  useMailServer(`smtp://127.0.0.1:${port}`);
  await send({ subject: 'later' });
  await runDueJobs();
  const { delivered } = await mailServer({ port });
  await runDueJobs();
  expect(delivered).toEqual([]);
  moveClock(HOUR);
  await runDueJobs();
  expect(delivered.map(({ mail }) => mail.subject)).toEqual(['later']);
});

test('a mail is not lost when the mail server is down for a weekend', async () => {
  const port = await deadPort();
  useMailServer(`smtp://127.0.0.1:${port}`);
  await send({ subject: 'after the weekend' });
  for (let quarter = 0; quarter < 62 * 4; quarter += 1) {
    await runDueJobs();
    moveClock(HOUR / 4);
  }
  const { delivered } = await mailServer({ port });
  moveClock(24 * HOUR);
  await runDueJobs();
  expect(delivered.map(({ mail }) => mail.subject)).toEqual(['after the weekend']);
});

test('a queued mail survives a restart of the portal', async () => {
  const script = `
    await import(${JSON.stringify(import.meta.resolve('../../src/app.server.ts'))});
    const { migrate } = await import(${JSON.stringify(import.meta.resolve('../../src/platform/database/database.server.ts'))});
    const { queueMail } = await import(${JSON.stringify(import.meta.resolve('../../src/platform/mail/mail.server.ts'))});
    await migrate();
    await queueMail(${JSON.stringify(letter({ subject: 'from before' }))}, 'survivor');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);`;
  await expect(
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: process.env }),
  ).rejects.toMatchObject({ signal: 'SIGKILL' });
  const offset = now() - Date.now();

  // A portal restarted with the same data.
  vi.resetModules();
  const clock = await import('#platform/runtime/clock.server.ts');
  const mail = await import('#platform/mail/mail.server.ts');
  clock.moveClock(offset);
  const { delivered, url } = await mailServer();
  mail.useMailServer(url);
  await runDueJobs();
  expect(delivered.map((one) => one.mail.subject)).toEqual(['from before']);
});

test('a permanently rejected address is not retried, and the mail is reported as failed', async () => {
  const { delivered } = await mailServer({ unknown: 'nobody@firm.example' });
  await queueMail(letter({ to: 'nobody@firm.example' }), 'refused');
  await queueMail(letter(), 'taken');
  await runDueJobs();
  moveClock(4 * 24 * HOUR);
  await runDueJobs();
  expect(delivered).toHaveLength(1);
  expect(await mailStatuses(['refused', 'taken'])).toEqual(
    new Map([
      ['refused', 'failed'],
      ['taken', 'sent'],
    ]),
  );
  const row = await db()
    .selectFrom('jobs')
    .select(['attempts', 'last_error', 'payload'])
    .where('unique_key', '=', 'mail:refused')
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ attempts: 1, last_error: 'REFUSED', payload: '' });
  expect(await failedJobsSince('mail', now() - 7 * 24 * HOUR)).toBe(1);
});

test('a remote mail server without TLS gets neither mails nor the password', async () => {
  const { url, delivered } = await mailServer();
  await verifyMailServer();
  // the same server, at an address that is not local
  useMailServer(url.replace('127.0.0.1', '0.0.0.0'));
  await expect(verifyMailServer()).rejects.toMatchObject({ code: 'ETLS' });
  await queueMail(letter(), 'in-clear');
  await runDueJobs();
  expect([delivered, await mailStatuses(['in-clear'])]).toEqual([[], new Map([['in-clear', 'queued']])]);
});

const rowOf = async (key: string) =>
  db().selectFrom('mails').selectAll().where('mail_key', '=', key).executeTakeFirst();
const stateOf = async (key: string): Promise<string> => {
  const row = await rowOf(key);
  return [row?.state, row?.reason].filter(Boolean).join(' ');
};

test('a mail has a row from the transaction that queues it, which names nobody in clear', async () => {
  await mailServer();
  const failing = inTransaction(async () => {
    await queueMail(letter(), 'rolled-back');
    throw new Error('it did not happen');
  });
  await expect(failing).rejects.toThrow('it did not happen');
  await queueMail(letter(), 'recorded');
  expect(await rowOf('rolled-back')).toBeUndefined();
  expect(await stateOf('recorded')).toBe('queued');
  await runDueJobs();
  expect(await stateOf('recorded')).toBe('accepted');
  expect(JSON.stringify(await rowOf('recorded'))).not.toMatch(/nora|Declara/);
});

test('a mail that is refused for good has bounced, with the code of the reply', async () => {
  await mailServer({ unknown: 'nobody@firm.example' });
  await queueMail(letter({ to: 'nobody@firm.example' }), 'no-mailbox');
  await runDueJobs();
  expect(await stateOf('no-mailbox')).toBe('bounced 5.1.1');
});

test('a mail that waits says why, until it is accepted or given up', async () => {
  const port = await deadPort();
  useMailServer(`smtp://127.0.0.1:${port}`);
  await queueMail(letter(), 'waiting');
  await queueMail(letter(), 'lost');
  await runDueJobs();
  expect(await stateOf('waiting')).toBe('queued ESOCKET');
  await db().updateTable('jobs').set({ attempts: 79 }).where('unique_key', '=', 'mail:lost').execute();
  moveClock(HOUR);
  await runDueJobs();
  expect(await stateOf('lost')).toBe('bounced ESOCKET');
  await mailServer({ port });
  moveClock(HOUR);
  await runDueJobs();
  expect([await stateOf('waiting'), await stateOf('lost')]).toEqual(['accepted', 'bounced ESOCKET']);
});

test('only its own recipient opens a mail, and a mail that was opened cannot bounce any more', async () => {
  await mailServer();
  const mail = letter({ about: { kind: 'documents', contactId: 'contact_a', targets: ['doc_1', 'doc_2'] } });
  await queueMail(mail, 'opened');
  await runDueJobs();
  await recordOpened(mail.mailId, 'contact_b');
  expect(await stateOf('opened')).toBe('accepted');
  await recordOpened(mail.mailId, 'contact_a');
  await recordBounce({ mail_id: mail.mailId }, '5.2.2');
  expect(await stateOf('opened')).toBe('opened');
});

test('a mail about two documents is done when its recipient has read both', async () => {
  await mailServer();
  const about = { kind: 'documents', contactId: 'contact_a', targets: ['doc_3', 'doc_4'] } as const;
  await queueMail(letter({ about }), 'two');
  await runDueJobs();
  await recordDone(['doc_3', 'doc_4'], 'contact_b');
  await recordDone(['doc_3'], 'contact_a');
  expect(await stateOf('two')).toBe('accepted');
  await recordDone(['doc_4'], 'contact_a');
  expect(await stateOf('two')).toBe('done');
});

/** A report of a mail server (RFC 3464) about a mail, which names it in one of three ways. */
const report = ({ envelope = '', to = 'portal@firm.example', messageId = '', action = 'failed' }): Buffer =>
  Buffer.from(
    [
      'From: MAILER-DAEMON@mx.example',
      `To: ${to}`,
      'Subject: Undelivered Mail Returned to Sender',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Your message could not be delivered.',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example',
      ...(envelope === '' ? [] : [`Original-Envelope-Id: ${envelope}`]),
      '',
      'Final-Recipient: rfc822; nora@client.example',
      `Action: ${action}`,
      'Status: 5.2.1',
      '',
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      ...(messageId === '' ? [] : [`Message-ID: <${messageId}@127.0.0.1>`]),
      'Subject: Notice',
      '',
      '--b--',
      '',
    ].join('\r\n'),
  );

test('a mail asks for a report of failures, with its id', async () => {
  const { delivered } = await mailServer();
  const mail = letter();
  await queueMail(mail, 'with-envelope');
  await runDueJobs();
  expect(delivered[0]).toMatchObject({ envelopeId: mail.mailId, notify: ['FAILURE'] });
});

test.each([
  ['the envelope id', (mailId: string) => ({ envelope: mailId })],
  ['the return path', (mailId: string) => ({ to: `bounces+${mailId}@firm.example` })],
  ['the message id', (_: string, key: string) => ({ messageId: key })],
])('a report bounces the mail that it names by %s', async (_, naming) => {
  await mailServer();
  const [mail, key] = [letter(), `notice_${newId('report')}`];
  await queueMail(mail, key);
  await runDueJobs();
  expect(await recordReport(report(naming(mail.mailId, key)))).toBe(true);
  expect(await stateOf(key)).toBe('bounced 5.2.1');
});

test.each([
  ['a report of a delay', (mailId: string) => report({ envelope: mailId, action: 'delayed' })],
  ['a report about a mail that the portal did not send', () => report({ envelope: newId('mail') })],
  ['an automatic answer', (mailId: string) => Buffer.from(`To: a+${mailId}@firm.example\r\n\r\nI am away.`)],
  ['bytes that are no message', () => Buffer.from([0, 255, 10, 13, 0])],
])('%s changes nothing', async (_, message) => {
  await mailServer();
  const [mail, key] = [letter(), newId('untouched')];
  await queueMail(mail, key);
  await runDueJobs();
  await recordReport(message(mail.mailId));
  expect(await stateOf(key)).toBe('accepted');
});

test('a mailbox that cannot be reached is an error, and is read at the next time', async () => {
  await expect(readBounces(`imap://bounces:secret@127.0.0.1:${await deadPort()}`)).rejects.toThrow();
});
