import type { MailKind, MailState } from '#platform/mail/mail-kinds.ts';

export interface ListedMail {
  mailId: string;
  kind: MailKind;
  state: MailState;
  /** Why it was not accepted so far, or bounced: a status code or the code of an error. */
  reason: string | undefined;
  recipient: string;
  subject: string;
  clientName: string | undefined;
  queuedAt: number;
}

/** What happened to a mail, the earliest first. */
export interface MailEvent {
  state: MailState;
  at: number;
}

/** How staff can send a mail again: as it was, with a new link, or by the sender of a share only. */
export type Resending = 'same' | 'new-link' | 'by-sender' | 'by-recipient';

export interface MailDetails extends ListedMail {
  events: MailEvent[];
  /** The language of its recipient. */
  language: string;
  recipientName: string | undefined;
  clientId: string | undefined;
  /** A page of the portal that needs a session; without one, the mail led to a secret link. */
  link: string | undefined;
  resending: Resending;
  /** The end of the quiet hours that it waits for. */
  heldUntil: number | undefined;
}
