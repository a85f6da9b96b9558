import { defineEvent } from '../runtime/events.server.ts';
import type { MailWords } from './mail-layout.server.ts';
import type { Mail } from './mail.server.ts';

export interface QueuedMail {
  mail: Mail;
  /** What is never sent twice. */
  key: string;
  /** Its recipient knows already what it says: it is not sent. */
  stop: () => void;
  /** The firm has words of its own for it: a subject, and lines before its text. */
  reword: (words: MailWords) => void;
}

/** A mail is about to be queued, whether its recipient wants it or not; announced in the transaction. */
export const mailBeingQueued = defineEvent<QueuedMail>();

/** A mail was queued; announced in the transaction. */
export const mailRecorded = defineEvent<{ mail: Mail }>();
