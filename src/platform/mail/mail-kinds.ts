/** The types of what mails are about, and the states of a mail. What runs is in mail-kinds.server.ts. */

import type { Text } from '../text/texts.ts';

/** A kind of emails, as the feature that sends them declares it. */
interface MailKindDeclaration {
  /** What the list of emails calls it. */
  label: Text;
  /**
   * What it is about, for the people who can turn it off; {{firm}} is their firm. Absent for necessary emails: somebody
   * asked for them, or they protect an account.
   */
  optional?: { contact?: Text; staff?: Text };
  /** Its feature decides when it is sent: it is never part of the daily email. */
  isScheduled?: true;
  /** Its link works without signing in: neither the link nor the text is stored. */
  isSecret?: true;
}

export type MailKindDeclarations = Readonly<Record<string, MailKindDeclaration>>;

/**
 * The kinds of emails of each feature, which features add in feature.server.ts.
 *
 * @public
 */
export interface MailKinds {
  platform: object; // none of its own: an interface needs a member to be merged with
}

export type MailKind = { [F in keyof MailKinds]: keyof MailKinds[F] & string }[keyof MailKinds];

type OptionalIn<Kinds> = {
  [Kind in keyof Kinds]: Kinds[Kind] extends { optional: object } ? Kind & string : never;
}[keyof Kinds];

/** Kinds that their recipient can turn off. */
export type OptionalKind = { [F in keyof MailKinds]: OptionalIn<MailKinds[F]> }[keyof MailKinds];

/**
 * `accepted` by the next mail server, which is not yet the recipient's mailbox; `bounced` if a mail server
 * refused it for good; `opened` if its recipient followed the link; `done` if what it is about has happened
 * (docs/decisions/0055).
 */
export const MAIL_STATES = ['queued', 'accepted', 'bounced', 'opened', 'done', 'canceled'] as const;
export type MailState = (typeof MAIL_STATES)[number];
