import { Readable } from 'node:stream';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import PostalMime, { type Attachment } from 'postal-mime';
import { z } from 'zod';
import { db } from '#platform/database/database.server.ts';
import { findMessages, inMailbox, markAsRead } from '#platform/mail/imap.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { HOUR, MINUTE } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { changeSetting, setting } from '#platform/runtime/settings.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { exclusively, hasStarted, resetLimits, startOnce } from '#platform/security/limits.server.ts';
import { MAX_FILES } from './fiscal-intake.ts';
import { ArrivingIntake, readArrival, type Arrival } from './internal/arrivals.server.ts';
import { findRecipients } from './mail-addresses.server.ts';
import type { Recipient } from './recipients.server.ts';

/*
 * The mailbox of fiscal documents (FISCAL_IMAP_URL). Messages are read in the order of their numbers (UIDs). The transaction
 * that stores what is attached notes the digest of the message, and the number is noted after it: a connection that breaks off,
 * a node that dies, and a mailbox that renumbers its messages (UIDVALIDITY) lead to nothing twice. The sender is ignored, since
 * anyone can forge it; what counts is the address, and what is in the files.
 */

type Mailbox = NonNullable<typeof config.fiscalMailbox>;

/** Larger messages are not fetched. */
const MAX_MESSAGE = 40 * 1024 ** 2;
/** The rest waits for the next poll. */
const MESSAGES_PER_POLL = 1000;
/** How often a message is tried that cannot be stored. */
const MAX_TRIES = 3;
const PAUSED = 'fiscal-mailbox-paused';
const FAILURES = 'fiscal-mailbox-failures';

/** Reads what has come to the mailbox; one node at a time, and after failures at longer and longer intervals. */
export async function readMailbox(signal?: AbortSignal, mailbox = config.fiscalMailbox): Promise<void> {
  if (!mailbox || (await hasStarted(PAUSED))) return;
  await exclusively('fiscal-mailbox', async () => {
    try {
      await inMailbox(mailbox.url, (client) => readNew(client, mailbox, signal));
    } catch (error) {
      await pause();
      throw error;
    }
    await changeSetting(FAILURES, '0');
  });
}

/** Waits a minute after the first failure, twice as long after each further one, and at most an hour. */
async function pause(): Promise<void> {
  const failures = Number((await setting(FAILURES)) ?? 0) + 1;
  await changeSetting(FAILURES, String(failures));
  await resetLimits(PAUSED);
  await startOnce(PAUSED, Math.min(HOUR, MINUTE * 2 ** Math.min(failures - 1, 10)));
}

const CURSOR = 'fiscal-mailbox-cursor';
const cursorSchema = z.object({
  /** Which mailbox numbers its messages so. */
  mailbox: z.string(),
  /** The number of the last message that is done. */
  uid: z.number(),
  /** It was taken, and must be marked as read. */
  isTaken: z.boolean(),
  /** How often the next one could not be stored. */
  tries: z.number(),
});
type Cursor = z.infer<typeof cursorSchema>;

async function loadCursor(mailbox: string): Promise<Cursor> {
  const stored = cursorSchema.safeParse(JSON.parse((await setting(CURSOR)) ?? 'null'));
  if (stored.success && stored.data.mailbox === mailbox) return stored.data;
  return { mailbox, uid: 0, isTaken: false, tries: 0 };
}

const saveCursor = (cursor: Cursor): Promise<void> => changeSetting(CURSOR, JSON.stringify(cursor));

async function readNew(client: ImapFlow, { url, address }: Mailbox, signal?: AbortSignal): Promise<void> {
  if (!client.mailbox) throw new Error('SELECT failed');
  const { host, username } = new URL(url);
  let cursor = await loadCursor(sha256(`${username}@${host} ${client.mailbox.uidValidity}`));
  const uids = await findMessages(client, { uid: `${cursor.uid + 1}:*` });
  // the range always has the last message
  const fresh = uids.filter((uid) => uid > cursor.uid).toSorted((one, other) => one - other);
  for (const uid of fresh.slice(0, MESSAGES_PER_POLL)) {
    if (signal?.aborted) break;
    await markTaken(client, cursor);
    cursor = await readMessage(client, { uid, address, cursor });
  }
  await markTaken(client, cursor);
  if (cursor.isTaken) await saveCursor({ ...cursor, isTaken: false });
}

/** Marks the last message as read, also one that a lost connection has left. */
async function markTaken(client: ImapFlow, { uid, isTaken }: Cursor): Promise<void> {
  if (isTaken) await markAsRead(client, uid);
}

interface Next {
  uid: number;
  address: string;
  cursor: Cursor;
}

/** Stores the files of a message, and moves the cursor. A message for no client stays unread, for whoever maintains the mailbox. */
async function readMessage(client: ImapFlow, { uid, address, cursor }: Next): Promise<Cursor> {
  const passed = { ...cursor, uid, isTaken: false, tries: 0 };
  const headers = ['delivered-to', 'x-original-to', 'envelope-to', 'to', 'cc'];
  const about = await client.fetchOne(uid, { size: true, envelope: true, headers }, { uid: true });
  const recipients = about ? await findRecipients(about.headers?.toString('latin1') ?? '', address) : [];
  if (!about || recipients.length === 0) {
    if (about) log.info({ event: 'fiscal.mail-for-nobody' });
    await saveCursor(passed);
    return passed;
  }
  const message = await fetchMessage(client, about);
  try {
    await storeMessage(recipients, message);
    const taken = { ...passed, isTaken: true };
    await saveCursor(taken);
    return taken;
  } catch (error) {
    if (refusal(error)?.code === 'UNAVAILABLE') throw error;
    const tries = cursor.tries + 1;
    if (tries < MAX_TRIES) {
      await saveCursor({ ...cursor, tries });
      throw error;
    }
    log.error({ err: error, event: 'fiscal.mail-not-stored' });
    await saveCursor(passed);
    return passed;
  }
}

interface Message {
  subject: string;
  digest: string;
  attachments: readonly Attachment[];
  isTooLarge: boolean;
}

async function fetchMessage(client: ImapFlow, about: FetchMessageObject): Promise<Message> {
  const subject = about.envelope?.subject?.trim() ?? '';
  if ((about.size ?? 0) > MAX_MESSAGE) {
    const digest = sha256(`${about.size} ${about.envelope?.messageId} ${about.headers?.toString('latin1')}`);
    return { subject, digest, attachments: [], isTooLarge: true };
  }
  const whole = await client.fetchOne(about.uid, { source: true }, { uid: true });
  if (!whole || !whole.source) throw new Error('FETCH failed');
  // what cannot be parsed has no attachments for us, and must not keep those after it from being read
  const parsed = await PostalMime.parse(whole.source).catch(() => undefined);
  return {
    subject,
    digest: sha256(whole.source),
    attachments: parsed?.attachments ?? [],
    isTooLarge: false,
  };
}

/** Stores a message for each client that does not have it yet. */
async function storeMessage(recipients: readonly Recipient[], message: Message): Promise<void> {
  for (const recipient of recipients) {
    const origin = sha256(`${recipient.clientId} ${message.digest}`);
    if (await isKnown(origin)) continue;
    const arrivals = await arrivalsIn(recipient, message);
    const name = arrivals[0]?.name ?? message.subject;
    const intake = new ArrivingIntake(recipient, { source: 'mail', name, origin });
    try {
      await intake.add(arrivals);
    } catch (error) {
      // the storage was switched off in the meantime
      if (!['FORBIDDEN', 'GONE', 'NOT_FOUND'].includes(refusal(error)?.code ?? '')) throw error;
    }
  }
}

const isKnown = async (origin: string): Promise<boolean> =>
  (await db()
    .selectFrom('fiscal_intakes')
    .select('intake_id')
    .where('origin', '=', origin)
    .executeTakeFirst()) !== undefined;

/**
 * The XML and ZIP files of a message, also in signed envelopes; other attachments, such as printed invoices and the
 * signature of the message itself, are left out.
 */
async function arrivalsIn(
  recipient: Recipient,
  { subject, attachments, isTooLarge }: Message,
): Promise<Arrival[]> {
  const name = subject === '' ? '-' : subject;
  if (isTooLarge) return [{ name, refused: 'mailTooLarge' }];
  const files = attachments.flatMap((attachment) => {
    const type =
      /(?<!^smime)\.(xml|zip|p7m)$/i.exec(attachment.filename ?? '') ??
      /\b(xml|zip)\b/.exec(attachment.mimeType);
    return type ? [{ name: nameOf(attachment, type[1] ?? 'xml'), content: attachment.content }] : [];
  });
  if (files.length === 0) return [{ name, refused: 'noFiles' }];
  const arrivals: Arrival[] = [];
  for (const { name: fileName, content } of files.slice(0, MAX_FILES)) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
    arrivals.push(await readArrival(recipient, fileName, Readable.from([bytes])));
  }
  return arrivals;
}

function nameOf({ filename }: Attachment, type: string): string {
  const name = (filename ?? '').trim();
  return /\.(xml|zip|p7m)$/i.test(name) ? name : `${name === '' ? 'document' : name}.${type}`;
}
