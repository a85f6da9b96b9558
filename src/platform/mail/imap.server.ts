import type { ImapFlow } from 'imapflow';
import { z } from 'zod';
import { SECOND } from '../runtime/clock.server.ts';
import { isLoopback } from '../runtime/config.server.ts';
import { changeSetting, setting } from '../runtime/settings.server.ts';

/* Mailboxes that the portal reads by IMAP, at addresses like `imaps://USER:PASSWORD@host`. */

/** Does something with the messages of a mailbox, in one connection. */
export async function inMailbox(address: string, work: (client: ImapFlow) => Promise<void>): Promise<void> {
  const client = await clientFor(new URL(address));
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

/** A remote mailbox requires TLS: its password and what others write to us pass by. */
async function clientFor({ protocol, hostname, port, username, password }: URL): Promise<ImapFlow> {
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

/** Marks a message as read. */
export async function markAsRead(client: ImapFlow, uid: number): Promise<void> {
  if (!(await client.messageFlagsAdd(uid, ['\\Seen'], { uid: true }))) throw new Error('STORE failed');
}

/** Finds messages by their ids; imapflow reports some failures only by `false`. */
export async function findMessages(
  client: ImapFlow,
  query: Parameters<ImapFlow['search']>[0],
): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  if (!found) throw new Error('SEARCH failed');
  return found;
}

/** Checks that a mailbox can be read; throws an error if not. */
export const verifyMailbox = (address: string): Promise<void> => inMailbox(address, () => Promise.resolve());

/** Whether a mailbox refused the user name or the password. */
export const isSignInRefused = (error: unknown): boolean =>
  error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true;

const problem = z.enum(['refused', 'unreachable']);
/** Why a mailbox could not be read: its sign-in was refused, or anything else. */
type MailboxProblem = z.infer<typeof problem>;

export const problemOf = (error: unknown): MailboxProblem =>
  isSignInRefused(error) ? 'refused' : 'unreachable';

/** Why a mailbox could not be read the last time, by the name of the setting that says so. */
export const mailboxProblem = async (name: string): Promise<MailboxProblem | undefined> =>
  problem.safeParse(await setting(name)).data;

export async function recordMailboxProblem(name: string, found: MailboxProblem | undefined): Promise<void> {
  if ((await mailboxProblem(name)) !== found) await changeSetting(name, found ?? '');
}
