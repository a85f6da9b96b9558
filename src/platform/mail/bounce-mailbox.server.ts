import type { ImapFlow } from 'imapflow';
import { z } from 'zod';
import { recordReport } from './bounces.server.ts';
import { SECOND } from '../runtime/clock.server.ts';
import { config, isLoopback } from '../runtime/config.server.ts';
import { changeSetting, setting } from '../runtime/settings.server.ts';

const MAX_BYTES = 1024 * 1024;
/** The rest is read at the next time. */
const MAX_AT_ONCE = 200;

/**
 * Reads the unread messages of the mailbox for bounces (BOUNCE_IMAP_URL), records the reports among them, and
 * marks all as read. Several nodes may do it at the same time: a report has no effect the second time.
 */
export async function readBounces(address = config.bounceImapUrl): Promise<void> {
  try {
    if (address !== undefined) await inMailbox(address, readUnread);
    await recordProblem(undefined);
  } catch (error) {
    await recordProblem(isSignInRefused(error) ? 'refused' : 'unreachable');
    throw error;
  }
}

/** Checks that the mailbox for bounces can be read; throws an error if not. */
export const verifyBounceMailbox = (address: string): Promise<void> =>
  inMailbox(address, () => Promise.resolve());

const PROBLEM = 'bounces-problem';
const problem = z.enum(['refused', 'unreachable']);
type MailboxProblem = z.infer<typeof problem>;

/** Why the mailbox for bounces could not be read the last time: its sign-in was refused, or anything else. */
export const bounceMailboxProblem = async (): Promise<MailboxProblem | undefined> =>
  problem.safeParse(await setting(PROBLEM)).data;

async function recordProblem(found: MailboxProblem | undefined): Promise<void> {
  if ((await bounceMailboxProblem()) !== found) await changeSetting(PROBLEM, found ?? '');
}

/** Whether the mailbox refused the user name or the password. */
export const isSignInRefused = (error: unknown): boolean =>
  error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true;

async function inMailbox(address: string, work: (client: ImapFlow) => Promise<void>): Promise<void> {
  const client = await clientOf(new URL(address));
  client.on('error', () => undefined); // a lost connection rejects the command that is under way, too
  await client.connect();
  try {
    const lock = await client.getMailboxLock('INBOX');
    try {
      await work(client);
    } finally {
      lock.release();
    }
  } finally {
    await client.logout().catch(() => undefined); // it has been read by then
  }
}

/** A remote mailbox requires TLS: its password and reports about people pass by. */
async function clientOf({ protocol, hostname, port, username, password }: URL): Promise<ImapFlow> {
  const { ImapFlow } = await import('imapflow'); // large, and few portals have such a mailbox
  const secure = protocol === 'imaps:';
  return new ImapFlow({
    host: hostname,
    port: port === '' ? (secure ? 993 : 143) : Number(port),
    secure,
    ...(!secure && { doSTARTTLS: !isLoopback(hostname) }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: 10 * SECOND,
    greetingTimeout: 10 * SECOND,
    socketTimeout: 30 * SECOND,
  });
}

async function readUnread(client: ImapFlow): Promise<void> {
  const unread = await client.search({ seen: false }, { uid: true });
  if (!unread) throw new Error('SEARCH failed'); // imapflow reports some failures only by `false`
  for (const uid of unread.slice(0, MAX_AT_ONCE)) {
    const message = await client.fetchOne(uid, { source: { maxLength: MAX_BYTES } }, { uid: true });
    if (message === false) continue; // someone removed it meanwhile
    if (message.source) await recordReport(message.source);
    if (!(await client.messageFlagsAdd(uid, ['\\Seen'], { uid: true }))) throw new Error('STORE failed');
  }
}
