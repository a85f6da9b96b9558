import type { Actor } from '#features/base/people/people.ts';
import { bounceMailboxProblem } from '#platform/mail/bounce-mailbox.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { mailKind, mailKinds, optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import type { MailKind, MailState, OptionalKind } from '#platform/mail/mail-kinds.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { ListedMail } from './mails.ts';
import { meaningOf, type ReasonMeaning } from './rules.ts';

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

export const listedKinds = (): [kind: MailKind, label: Text][] =>
  mailKinds().flatMap((kind) => {
    const label = mailKind(kind)?.label;
    return label ? [[kind, label]] : [];
  });

/** What an email is about; the name of a kind that is no longer known. */
export function kindText(lang: Lang, kind: MailKind): string {
  const label = mailKind(kind)?.label;
  return label ? translate(lang, label) : kind;
}

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

const textFor = (kind: OptionalKind, isStaff: boolean): Text | undefined =>
  mailKind(kind)?.optional?.[isStaff ? 'staff' : 'contact'];

/** The optional kinds that a person may get: nobody reminds staff of tasks. */
export const kindsFor = (isStaff: boolean): OptionalKind[] =>
  optionalKinds().filter((kind) => textFor(kind, isStaff) !== undefined);

/** What emails of a kind are about, for the person who gets them. */
export function notificationText(
  lang: Lang,
  kind: OptionalKind,
  { isStaff, firm }: { isStaff: boolean; firm: string },
): string {
  const text = textFor(kind, isStaff) ?? textFor(kind, !isStaff);
  return text ? translate(lang, text, { firm }) : kind;
}
