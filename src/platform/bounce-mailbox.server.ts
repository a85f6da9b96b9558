import { ImapFlow } from 'imapflow';
import { recordReport } from './bounces.server.ts';
import { SECOND } from './clock.server.ts';
import { config, isLoopback } from './config.server.ts';

const MAX_BYTES = 1024 * 1024;
/** The rest is read at the next time. */
const MAX_AT_ONCE = 200;

/**
 * Reads the unread messages of the mailbox for bounces (BOUNCE_IMAP_URL), records the reports among them, and
 * marks all as read. Several nodes may do it at the same time: a report has no effect the second time.
 */
export async function readBounces(address = config.bounceImapUrl): Promise<void> {
  if (address === undefined) return;
  const client = clientOf(new URL(address));
  await client.connect();
  try {
    const lock = await client.getMailboxLock('INBOX');
    try {
      await readUnread(client);
    } finally {
      lock.release();
    }
  } finally {
    await client.logout().catch(() => undefined); // it has been read by then
  }
}

/** A remote mailbox requires TLS: its password and reports about people pass by. */
function clientOf({ protocol, hostname, port, username, password }: URL): ImapFlow {
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
  const unread = (await client.search({ seen: false }, { uid: true })) || [];
  for (const uid of unread.slice(0, MAX_AT_ONCE)) {
    const message = await client.fetchOne(uid, { source: { maxLength: MAX_BYTES } }, { uid: true });
    if (message && message.source) await recordReport(message.source);
    await client.messageFlagsAdd(uid, ['\\Seen'], { uid: true });
  }
}
