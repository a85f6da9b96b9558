import { firmOf } from '#features/base/firms/firms.server.ts';
import { sendAgain } from '#features/identity/invitations/invitations.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { consume } from '#platform/security/limits.server.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import { queueMailAgain, type MailContent } from '#platform/mail/mail.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Selectable } from 'kysely';
import { mailResent } from './events.server.ts';
import type { ListedMail, MailDetails, MailEvent, Resending } from './mails.ts';
import { mailsOf } from './scope.server.ts';

const MAX_RESENT_A_DAY = 200;

/** Loads the emails with these ids that the actor may see, in any order. FORBIDDEN for contacts. */
export async function listedMails(actor: Actor, ids: readonly (string | number)[]): Promise<ListedMail[]> {
  const rows = await mailsOf(actor)
    .where('mails.mail_id', 'in', ids.map(String))
    .leftJoin('clients as named', 'named.client_id', 'mails.client_id')
    .selectAll('mails')
    .select('named.name as client_name')
    .execute();
  return rows.map(present);
}

const LATEST = 5;

/** Lists the latest mails about a client. FORBIDDEN for contacts. */
export async function latestMailsOf(actor: Actor, clientId: string): Promise<ListedMail[]> {
  const rows = await mailsOf(actor)
    .where('mails.client_id', '=', clientId)
    .leftJoin('clients as named', 'named.client_id', 'mails.client_id')
    .selectAll('mails')
    .select('named.name as client_name')
    .orderBy('mails.queued_at', 'desc')
    .limit(LATEST)
    .execute();
  return rows.map(present);
}

type Row = Selectable<Tables['mails']> & { client_name: string | null };

const present = (row: Row): ListedMail => ({
  mailId: row.mail_id,
  kind: row.kind,
  state: row.state,
  reason: row.reason ?? undefined,
  recipient: decryptFrom('mails.recipient', row.mail_id, row.recipient),
  subject: decryptFrom('mails.subject', row.mail_id, row.subject),
  clientName: row.client_name ?? undefined,
  queuedAt: row.queued_at,
});

async function rowOf(actor: Actor, mailId: string) {
  const row = await mailsOf(actor)
    .leftJoin('clients as named', 'named.client_id', 'mails.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'mails.contact_id')
    .selectAll('mails')
    .select(['named.name as client_name', 'contacts.full_name'])
    .where('mails.mail_id', '=', mailId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Finds a mail with everything that happened to it; NOT_FOUND for one that the actor may not see. */
export async function mailOf(actor: Actor, mailId: string): Promise<MailDetails> {
  const row = await rowOf(actor, mailId);
  return {
    ...present(row),
    events: eventsOf(row),
    language: row.language,
    recipientName: row.full_name ?? undefined,
    clientId: row.client_id ?? undefined,
    link: contentOf(row)?.button.link,
    resending: resendingOf(row),
    heldUntil: row.state === 'queued' ? (row.held_until ?? undefined) : undefined,
  };
}

function eventsOf(row: Selectable<Tables['mails']>): MailEvent[] {
  const events = [
    { state: 'queued', at: row.queued_at },
    { state: 'accepted', at: row.accepted_at },
    { state: 'bounced', at: row.bounced_at },
    { state: 'opened', at: row.opened_at },
    { state: 'done', at: row.done_at },
  ] as const;
  return events
    .flatMap(({ state, at }) => (at === null ? [] : [{ state, at }]))
    .toSorted((a, b) => a.at - b.at);
}

function contentOf(row: Selectable<Tables['mails']>): MailContent | undefined {
  if (row.content === null) return undefined;
  return JSON.parse(decryptFrom('mails.content', row.mail_id, row.content)) as MailContent;
}

const resendingOf = ({ kind, content }: Selectable<Tables['mails']>): Resending =>
  kind === 'invitation'
    ? 'new-link'
    : kind === 'share'
      ? 'by-sender'
      : content === null
        ? 'by-recipient'
        : 'same';

/**
 * Sends a mail again, and returns the id of the new one: an invitation with a new link, a mail without secrets
 * as it was. NOT_FOUND for a mail that the actor may not see, FORBIDDEN for one that only its sender or
 * recipient can have again or that the recipient has turned off, GONE for an invitation that is over, TOO_MANY beyond 200 a day.
 */
export async function resendMail(actor: Actor, mailId: string): Promise<string> {
  const row = await rowOf(actor, mailId);
  const resending = resendingOf(row);
  if (resending === 'new-link') return resendInvitation(actor, mailId);
  const content = contentOf(row);
  if (resending !== 'same' || content === undefined) throw new PortalError('FORBIDDEN');
  await consume(`resend:${actor.contactId}`, MAX_RESENT_A_DAY, DAY);
  const mail = firmMail({
    ...content,
    firm: await firmOf(actor.companyId),
    to: decryptFrom('mails.recipient', mailId, row.recipient),
    subject: decryptFrom('mails.subject', mailId, row.subject),
    lang: languageOf(row.language) ?? DEFAULT_LANG,
    about: {
      kind: row.kind,
      clientId: row.client_id ?? undefined,
      ...(row.contact_id !== null && { contactId: row.contact_id }),
      targets: await targetsOf(mailId),
    },
  });
  await inTransaction(async () => {
    await rowOf(await actorNow(actor), mailId);
    const { kind } = await queueMailAgain(mail, newId('resend'));
    if (kind === 'turned-off') throw new PortalError('FORBIDDEN', { because: kind });
    await noteResent(actor, mailId, row.client_id);
  });
  return mail.mailId;
}

async function resendInvitation(actor: Actor, mailId: string): Promise<string> {
  const [invitationId] = await targetsOf(mailId);
  if (invitationId === undefined) throw new PortalError('GONE');
  await sendAgain(actor, invitationId);
  await inTransaction(() => noteResent(actor, mailId, null));
  const { mail_id: newest } = await db()
    .selectFrom('mails')
    .innerJoin('mail_targets', 'mail_targets.mail_id', 'mails.mail_id')
    .select('mails.mail_id')
    .where('mail_targets.target', '=', invitationId)
    .orderBy('mails.queued_at', 'desc')
    .executeTakeFirstOrThrow();
  return newest;
}

async function noteResent(actor: Actor, mailId: string, clientId: string | null): Promise<void> {
  await mailResent.announce({ mailId });
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'mail.resend',
    target: mailId,
    ...(clientId !== null && { clientId }),
  });
}

const targetsOf = async (mailId: string): Promise<string[]> =>
  (await db().selectFrom('mail_targets').select('target').where('mail_id', '=', mailId).execute()).map(
    ({ target }) => target,
  );
