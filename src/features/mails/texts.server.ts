import type { Actor } from '#features/people/people.ts';
import { bounceMailboxProblem } from '#platform/bounce-mailbox.server.ts';
import type { Lang } from '#platform/languages.ts';
import { OPTIONAL_KINDS, type MailKind, type MailState, type OptionalKind } from '#platform/mail-kinds.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ListedMail } from './mails.ts';
import { meaningOf, type ReasonMeaning } from './rules.ts';

export const KINDS = {
  invitation: 'kindInvitation',
  documents: 'kindDocuments',
  comment: 'kindComment',
  task: 'kindTask',
  'task-reminder': 'kindTaskReminder',
  share: 'kindShare',
  'share-request': 'kindShareRequest',
  'share-opened': 'kindShareOpened',
  signature: 'kindSignature',
  'signature-link': 'kindSignatureLink',
  reset: 'kindReset',
  'email-change': 'kindEmailChange',
  'access-code': 'kindAccessCode',
  security: 'kindSecurity',
  test: 'kindTest',
} as const satisfies Record<MailKind, string>;

export const STATES = {
  queued: 'stateQueued',
  accepted: 'stateAccepted',
  bounced: 'stateBounced',
  opened: 'stateOpened',
  done: 'stateDone',
  canceled: 'stateCanceled',
} as const satisfies Record<MailState, string>;

const REASONS = {
  noMailbox: 'reasonNoMailbox',
  mailboxFull: 'reasonMailboxFull',
  mailboxDisabled: 'reasonMailboxDisabled',
  unreachable: 'reasonUnreachable',
  rejected: 'reasonRejected',
  ourServer: 'reasonOurServer',
  refused: 'reasonRefused',
} as const satisfies Record<ReasonMeaning, string>;

const MAILBOX_PROBLEMS = { refused: 'mailboxRefused', unreachable: 'mailboxUnreachable' } as const;

export const kindText = (lang: Lang, kind: MailKind): string => translationsFor(lang, 'mails')(KINDS[kind]);
export const stateText = (lang: Lang, state: MailState): string =>
  translationsFor(lang, 'mails')(STATES[state]);

/** What prevents a mail from arriving, and what to do about it; undefined if nothing does. */
export function reasonText(lang: Lang, { state, reason }: ListedMail): string | undefined {
  if (reason === undefined || (state !== 'bounced' && state !== 'queued')) return undefined;
  return translationsFor(lang, 'mails')(REASONS[meaningOf(reason)]);
}

/**
 * Why reports of emails that were not delivered cannot be read, for those who manage the firm; undefined if they can.
 */
export async function mailboxProblemText(lang: Lang, { access }: Actor): Promise<string | undefined> {
  if (!access.permissions.has('ManageFirm')) return undefined;
  const problem = await bounceMailboxProblem();
  return problem && translationsFor(lang, 'mails')(MAILBOX_PROBLEMS[problem]);
}

/** The optional kinds that a person may get: nobody reminds staff of tasks. */
export const kindsFor = (isStaff: boolean): OptionalKind[] =>
  OPTIONAL_KINDS.filter((kind) => !isStaff || kind !== 'task-reminder');

/** What emails of a kind are about, for the person who gets them. */
export function notificationText(
  lang: Lang,
  kind: OptionalKind,
  { isStaff, firm }: { isStaff: boolean; firm: string },
): string {
  const t = translationsFor(lang, 'mails');
  switch (kind) {
    case 'documents':
      return isStaff ? t('notifyUploads') : t('notifyDocuments', { firm });
    case 'comment':
      return t('notifyComments');
    case 'task':
      return isStaff ? t('notifySubmitted') : t('notifyTasks', { firm });
    case 'task-reminder':
      return t('notifyReminders');
    case 'share-request':
      return t('notifyLinkRequests');
    case 'share-opened':
      return t('notifyLinksOpened');
  }
}
