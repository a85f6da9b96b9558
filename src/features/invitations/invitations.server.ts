import { firmOf } from '#features/firms/firms.server.ts';
import { accountsOf, clientIdsOf, createContact, createUser } from '#features/people/people.server.ts';
import { linkMac } from '#features/people/rights-macs.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/crypto.server.ts';
import { db, fold, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { consume } from '#platform/limits.server.ts';
import { recordDone, recordLinkOpened } from '#platform/mail-log.server.ts';
import { mailStatuses, queueMail, type MailStatus } from '#platform/mail.server.ts';
import { hashSecret } from '#platform/passwords.server.ts';
import { encryptFor, decryptFrom } from '#platform/encryption.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import {
  assertLinked,
  identityOf,
  type IssuersSubject,
  type Joined,
} from '#features/credentials/identities.server.ts';
import type { Invitation, InvitationRequest } from './invitations.ts';
import { invitationMail } from './mails.server.ts';
import { assertGoodPassword } from '#features/credentials/passwords.server.ts';

const LASTS = 72 * HOUR;
const MAX_PER_DAY = 200;
const MAX_LISTED = 200;

/** Throws FORBIDDEN unless the actor may invite and help the contacts of their firm. */
export function assertManagesContacts({ staff, access }: Actor): void {
  if (!staff || !access.permissions.has('ManageContacts')) throw new PortalError('FORBIDDEN');
}

/**
 * Invites somebody to become a contact of the actor's firm, by a mail with a link that is valid for 72 hours
 * and once. A repeated invitation gets a new link and invalidates the previous one. NAME_CONFLICT if the
 * address belongs to a contact of this firm; whether another firm has it is not revealed. NOT_FOUND for a
 * client that is not theirs.
 */
export async function invite(actor: Actor, request: InvitationRequest): Promise<Invitation> {
  assertManagesContacts(actor);
  const emailKey = await blindIndex(fold(request.emailAddress));
  const clientIds = [...new Set(request.clientIds)];
  if ((await ownClients(actor, clientIds)).length < clientIds.length) throw notFound();
  if (await isContact(actor.companyId, emailKey))
    throw new PortalError('NAME_CONFLICT', { field: 'emailAddress' });
  await consume(`invite:${actor.contactId}`, MAX_PER_DAY, DAY);
  const firm = await firmOf(actor.companyId);
  const [id, token, instant] = [newId('invitation'), newToken(), now()];
  await inTransaction(async () => {
    await revokeOpen(actor.companyId, emailKey);
    await db()
      .insertInto('invitations')
      .values({
        invitation_id: id,
        company_id: actor.companyId,
        email: encryptFor('invitations.email', id, request.emailAddress),
        email_key: emailKey,
        first_name: request.firstName,
        last_name: request.lastName,
        language: request.language,
        client_ids: JSON.stringify(clientIds),
        token_hash: sha256(token),
        invited_by: actor.contactId,
        created_at: instant,
        sent_at: instant,
        expires_at: instant + LASTS,
        accepted_at: null,
        revoked_at: null,
      })
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'invitation.send',
      target: id,
    });
    await queueMail(
      invitationMail(
        firm,
        actor,
        { invitationId: id, email: request.emailAddress, language: request.language },
        token,
        instant + LASTS,
      ),
      mailKey(id, sha256(token)),
    );
  });
  return presentOne(await ownRow(actor, id));
}

/**
 * Sends an invitation again, with a new link for 72 hours, and invalidates the previous one. GONE if it was
 * accepted or revoked.
 */
export async function sendAgain(actor: Actor, invitationId: string): Promise<Invitation> {
  const row = await ownRow(actor, invitationId);
  if (row.accepted_at !== null || row.revoked_at !== null) throw new PortalError('GONE');
  await consume(`invite:${actor.contactId}`, MAX_PER_DAY, DAY);
  const [firm, token, instant] = [await firmOf(actor.companyId), newToken(), now()];
  await inTransaction(async () => {
    await db()
      .updateTable('invitations')
      .set({ token_hash: sha256(token), sent_at: instant, expires_at: instant + LASTS })
      .where('invitation_id', '=', invitationId)
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'invitation.send',
      target: invitationId,
    });
    await queueMail(
      invitationMail(
        firm,
        actor,
        {
          invitationId,
          email: decryptFrom('invitations.email', invitationId, row.email),
          language: row.language,
        },
        token,
        instant + LASTS,
      ),
      mailKey(invitationId, sha256(token)),
    );
  });
  return presentOne(await ownRow(actor, invitationId));
}

/** Revokes an invitation and its link. An accepted one stays; revoking twice has no further effect. */
export async function revokeInvitation(actor: Actor, invitationId: string): Promise<Invitation> {
  const row = await ownRow(actor, invitationId);
  if (row.accepted_at === null && row.revoked_at === null) {
    await inTransaction(async () => {
      await db()
        .updateTable('invitations')
        .set({ revoked_at: now() })
        .where('invitation_id', '=', invitationId)
        .where('accepted_at', 'is', null)
        .execute();
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'invitation.revoke',
        target: invitationId,
      });
    });
  }
  return presentOne(await ownRow(actor, invitationId));
}

/** Lists the invitations of the actor's firm, the newest first, at most 200. */
export async function listInvitations(actor: Actor): Promise<Invitation[]> {
  assertManagesContacts(actor);
  const rows = await db()
    .selectFrom('invitations')
    .selectAll()
    .where('company_id', '=', actor.companyId)
    .orderBy('created_at', 'desc')
    .orderBy('invitation_id')
    .limit(MAX_LISTED)
    .execute();
  return present(rows);
}

type Row = Awaited<ReturnType<typeof ownRow>>;

async function ownRow(actor: Actor, invitationId: string) {
  assertManagesContacts(actor);
  const row = await db()
    .selectFrom('invitations')
    .selectAll()
    .where('invitation_id', '=', invitationId)
    .where('company_id', '=', actor.companyId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Identifies the mail of the current link. */
const mailKey = (invitationId: string, tokenHash: string): string =>
  `${invitationId}-${tokenHash.slice(0, 16)}`;

async function present(rows: readonly Row[]): Promise<Invitation[]> {
  const mails = await mailStatuses(rows.map((row) => mailKey(row.invitation_id, row.token_hash)));
  return rows.map((row) => withMail(row, mails.get(mailKey(row.invitation_id, row.token_hash)) ?? 'sent'));
}

async function presentOne(row: Row): Promise<Invitation> {
  const mails = await mailStatuses([mailKey(row.invitation_id, row.token_hash)]);
  return withMail(row, mails.get(mailKey(row.invitation_id, row.token_hash)) ?? 'sent');
}

function withMail(row: Row, mail: MailStatus): Invitation {
  return {
    invitationId: row.invitation_id,
    emailAddress: decryptFrom('invitations.email', row.invitation_id, row.email),
    firstName: row.first_name,
    lastName: row.last_name,
    language: row.language,
    clientIds: JSON.parse(row.client_ids) as string[],
    state:
      row.accepted_at !== null
        ? 'accepted'
        : row.revoked_at !== null
          ? 'revoked'
          : row.expires_at <= now()
            ? 'expired'
            : 'open',
    mail,
    sentAt: new Date(row.sent_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}

const ownClients = (actor: Actor, clientIds: readonly string[]) =>
  clientIds.length === 0
    ? Promise.resolve([])
    : clientIdsOf(actor).where('clients.client_id', 'in', clientIds).execute();

async function isContact(companyId: string, emailKey: string): Promise<boolean> {
  const found = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select('contacts.contact_id')
    .where('contacts.company_id', '=', companyId)
    .where('users.email_key', '=', emailKey)
    .executeTakeFirst();
  return found !== undefined;
}

async function revokeOpen(companyId: string, emailKey: string): Promise<void> {
  await db()
    .updateTable('invitations')
    .set({ revoked_at: now() })
    .where('company_id', '=', companyId)
    .where('email_key', '=', emailKey)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/**
 * The public view of an invitation: `account` if the address belongs to a person who has a password already,
 * and then signs in with it.
 */
export interface InvitationView {
  kind: 'new' | 'account';
  companyId: string;
  emailAddress: string;
  firstName: string;
}

/** Finds the invitation of a link while it is valid, without using it. */
export async function viewInvitation(token: string): Promise<InvitationView | undefined> {
  const row = await openRow(token);
  if (!row) return undefined;
  return {
    kind: row.prism_guid === null ? 'new' : 'account',
    companyId: row.company_id,
    emailAddress: decryptFrom('invitations.email', row.invitation_id, row.email),
    firstName: row.first_name,
  };
}

const openRow = (token: string) =>
  db()
    .selectFrom('invitations')
    .innerJoin('firms', 'firms.company_id', 'invitations.company_id')
    .leftJoin('users', 'users.email_key', 'invitations.email_key')
    .selectAll('invitations')
    .select(['users.prism_guid', 'firms.name as firm_name'])
    .where('token_hash', '=', sha256(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .where('firms.locked', '=', 0)
    .executeTakeFirst();

/**
 * Accepts an invitation: for a new person with this password, or for the signed-in owner of the address as
 * another account. Nobody is signed in by it. GONE if the link is not valid (any more), INVALID with
 * `password`, UNAUTHENTICATED if the owner has to sign in first.
 */
export async function acceptInvitation(
  token: string,
  by: { password: string } | { actor: Actor | undefined },
): Promise<void> {
  const row = await openRow(token);
  if (!row) throw new PortalError('GONE');
  if (
    row.prism_guid !== null &&
    (!('actor' in by) || by.actor?.prismGuid !== row.prism_guid || by.actor.viewedBy !== undefined)
  )
    throw new PortalError('UNAUTHENTICATED');
  let passwordHash: string | null = null; // existing users keep their passwords
  if (row.prism_guid === null) {
    const password = 'password' in by ? by.password : '';
    assertGoodPassword(password, [row.first_name, row.last_name, personIn(row).email, row.firm_name]);
    passwordHash = await hashSecret(password);
  }
  await inTransaction(async () => {
    await take(row, token);
    await join(row, row.prism_guid ?? (await createUser({ ...personIn(row), passwordHash })));
  });
}

/**
 * Accepts an invitation for somebody who has just signed in at the issuer: the user already linked there,
 * else the user with this address, else a new one. The invitation sent to this address justifies linking that
 * user; a user linked to somebody else there is refused (FORBIDDEN, `because: 'other'`). GONE.
 */
export async function acceptInvitationOf(person: IssuersSubject, token: string): Promise<Joined> {
  const row = await openRow(token);
  if (!row) throw new PortalError('GONE');
  return inTransaction(async () => {
    await take(row, token);
    const known = (await identityOf(person.issuer, person.subject)) ?? row.prism_guid;
    const prismGuid = known ?? (await createUser({ ...personIn(row), passwordHash: null }));
    await assertLinked(row.prism_guid ?? prismGuid, person);
    await join(row, prismGuid);
    return { prismGuid, companyId: row.company_id };
  });
}

type OpenRow = NonNullable<Awaited<ReturnType<typeof openRow>>>;

const personIn = (row: OpenRow) => ({
  email: decryptFrom('invitations.email', row.invitation_id, row.email),
  firstName: row.first_name,
  lastName: row.last_name,
  language: row.language,
});

/** Marks an invitation as used; GONE if somebody was faster. */
async function take(row: OpenRow, token: string): Promise<void> {
  const taken = await db()
    .updateTable('invitations')
    .set({ accepted_at: now() })
    .where('invitation_id', '=', row.invitation_id)
    .where('token_hash', '=', sha256(token))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (taken.numUpdatedRows === 0n) throw new PortalError('GONE');
}

/** Makes a user a contact of the inviting firm. */
async function join(row: OpenRow, prismGuid: string): Promise<void> {
  const fullName = `${row.first_name} ${row.last_name}`.trim();
  const known = (await accountsOf(prismGuid)).find(({ companyId }) => companyId === row.company_id);
  const contactId =
    known?.contactId ?? (await createContact({ companyId: row.company_id, prismGuid, fullName }));
  await actFor(row.company_id, contactId, JSON.parse(row.client_ids) as string[]);
  // A code made by another firm would open this firm's documents too.
  await db().deleteFrom('rescue_codes').where('prism_guid', '=', prismGuid).execute();
  await recordLinkOpened(row.invitation_id);
  await recordDone([row.invitation_id]);
  await audit({
    companyId: row.company_id,
    actor: contactId,
    action: 'invitation.accept',
    target: row.invitation_id,
  });
}

/** Lets a contact act for those of the clients that the firm still has. */
async function actFor(companyId: string, contactId: string, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  const there = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('company_id', '=', companyId)
    .where('client_id', 'in', clientIds)
    .execute();
  for (const { client_id: clientId } of there) {
    const mac = await linkMac(clientId, contactId);
    await db()
      .insertInto('client_contacts')
      .values({ client_id: clientId, contact_id: contactId, mac })
      .onConflict((conflict) => conflict.columns(['contact_id', 'client_id']).doNothing())
      .execute();
  }
}
