/** What mails are about, and the states of a mail, for lists and filters. */

export const MAIL_KINDS = [
  'invitation',
  'documents',
  'comment',
  'task',
  'task-reminder',
  'share',
  'share-request',
  'share-opened',
  'signature',
  'signature-link',
  'reset',
  'email-change',
  'access-code',
  'security',
  'test',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/**
 * Kinds that their recipient can turn off. All others are necessary: someone asked for them, or they protect
 * an account.
 */
export const OPTIONAL_KINDS = [
  'documents',
  'comment',
  'task',
  'task-reminder',
  'share-request',
  'share-opened',
] as const satisfies MailKind[];
export type OptionalKind = (typeof OPTIONAL_KINDS)[number];

export const isOptional = (kind: MailKind): kind is OptionalKind =>
  OPTIONAL_KINDS.some((optional) => optional === kind);

/**
 * `accepted` by the next mail server, which is not yet the recipient's mailbox; `bounced` if a mail server
 * refused it for good; `opened` if its recipient followed the link; `done` if what it is about has happened
 * (docs/decisions/0055).
 */
export const MAIL_STATES = ['queued', 'accepted', 'bounced', 'opened', 'done', 'canceled'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** Kinds whose links work without signing in: neither their links nor their texts are stored. */
export const SECRET_KINDS: ReadonlySet<MailKind> = new Set<MailKind>([
  'invitation',
  'share',
  'signature-link',
  'reset',
  'email-change',
]);
