import type { ImapFlow } from 'imapflow';
import { recordReport } from './bounces.server.ts';
import {
  findMessages,
  inMailbox,
  mailboxProblem,
  markAsRead,
  problemOf,
  recordMailboxProblem,
} from './imap.server.ts';
import { config } from '../runtime/config.server.ts';

const MAX_BYTES = 1024 * 1024;
/** The rest is read at the next time. */
const MAX_AT_ONCE = 200;
const PROBLEM = 'bounces-problem';

/**
 * Reads the unread messages of the mailbox for bounces (BOUNCE_IMAP_URL), records the reports among them, and
 * marks all as read. Several nodes may do it at the same time: a report has no effect the second time.
 */
export async function readBounces(address = config.bounceImapUrl): Promise<void> {
  try {
    if (address !== undefined) await inMailbox(address, readUnread);
    await recordMailboxProblem(PROBLEM, undefined);
  } catch (error) {
    await recordMailboxProblem(PROBLEM, problemOf(error));
    throw error;
  }
}

/** Why the mailbox for bounces could not be read the last time. */
export const bounceMailboxProblem = () => mailboxProblem(PROBLEM);

async function readUnread(client: ImapFlow): Promise<void> {
  const unread = await findMessages(client, { seen: false });
  for (const uid of unread.slice(0, MAX_AT_ONCE)) {
    const message = await client.fetchOne(uid, { source: { maxLength: MAX_BYTES } }, { uid: true });
    if (message === false) continue; // someone removed it meanwhile
    if (message.source) await recordReport(message.source);
    await markAsRead(client, uid);
  }
}
