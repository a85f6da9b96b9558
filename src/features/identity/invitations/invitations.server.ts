import { firmOf } from '#features/base/firms/firms.server.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Firm } from '#features/base/firms/firms.ts';
import { assignClient, insertLink, restoreContact } from '#features/base/people/rights.server.ts';
import {
  actorNow,
  actorOf,
  actsForClient,
  clientIdsOf,
  createContact,
  createUser,
} from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor, type StaffRole } from '#features/base/people/people.ts';
import { audit, auditAll } from '#platform/security/audit.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import { consume } from '#platform/security/limits.server.ts';
import { recordDone, recordLinkOpened } from '#platform/mail/mail-log.server.ts';
import { mailStatuses, queueMail, type MailStatus } from '#platform/mail/mail.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import {
  assertLinked,
  identityOf,
  type IssuersSubject,
  type Joined,
} from '#features/identity/credentials/identities.server.ts';
import { linkTo } from '#features/identity/credentials/mails.server.ts';
import { invitationSettled } from './events.server.ts';
import type { Invitation, InvitationRequest } from './invitations.ts';
import { clientsIn, responsibleIdsIn } from './invited-staff.server.ts';
import { invitationMac } from './mac.server.ts';
import { invitationMail } from './mails.server.ts';
import { assertGoodPassword } from '#features/identity/credentials/passwords.server.ts';

const LASTS = 72 * HOUR;
const MAX_PER_DAY = 200;
const MAX_LISTED = 200;

/** Throws FORBIDDEN unless the actor may invite and help the contacts of their firm. */
export function assertManagesContacts({ staff, access }: Actor): void {
  if (!staff || !access.permissions.has('ManageContacts')) throw new PortalError('FORBIDDEN');
}

/** Throws FORBIDDEN unless the actor may invite contacts, or for a role, staff, which only owners may. */
function assertMayInvite(actor: Actor, role?: StaffRole): void {
  if (role === undefined) assertManagesContacts(actor);
  else if (!actor.staff || !actor.access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
}

/**
 * Invites somebody to become a contact of the actor's firm, or staff with a role, by a mail with a link that
 * is valid for 72 hours and once. A repeated invitation gets a new link and invalidates the previous one.
 * NAME_CONFLICT if the address belongs to somebody of this firm; whether another firm has it is not revealed.
 * NOT_FOUND for a client that is not theirs. INVALID with `clientIds` if staff who act for their assigned
 * clients only name none, since they would not see the person.
 */
export async function invite(actor: Actor, request: InvitationRequest): Promise<Invitation> {
  const prepared = await assertInvitable(actor, [request]);
  await consume(`invite:${actor.contactId}`, MAX_PER_DAY, DAY);
  const firm = await firmOf(actor.companyId);
  return inTransaction(async () => {
    assertMayInvite(await actorNow(actor), request.role);
    const [id = ''] = await insertInvitations(actor, prepared);
    await sendInvitation(actor, firm, await ownRow(actor, id));
    return presentOne(await ownRow(actor, id));
  });
}

/** Does the same without sending it: {@link sendAgain} does, or a batch. */
export async function prepareInvitation(actor: Actor, request: InvitationRequest): Promise<Invitation> {
  const [id = ''] = await prepareInvitations(actor, [request]);
  return presentOne(await ownRow(actor, id));
}

/** Prepares many with few statements. If one is refused, none is prepared. Returns their ids. */
export async function prepareInvitations(
  actor: Actor,
  requests: readonly InvitationRequest[],
): Promise<string[]> {
  const prepared = await assertInvitable(actor, requests);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    for (const { role } of requests) assertMayInvite(current, role);
    const ids = await insertInvitations(actor, prepared);
    await auditAll(
      actor.companyId,
      ids.map((target) => ({ actor: actor.contactId, action: 'invitation.prepare', target })),
    );
    return ids;
  });
}

interface Prepared {
  request: Pick<
    InvitationRequest,
    'emailAddress' | 'firstName' | 'lastName' | 'language' | 'role' | 'hasAllClients'
  >;
  emailKey: string;
  clientIds: readonly string[];
  batchId?: string;
}

async function assertInvitable(actor: Actor, requests: readonly InvitationRequest[]): Promise<Prepared[]> {
  for (const { role } of requests) assertMayInvite(actor, role);
  const prepared = await Promise.all(
    requests.map(async (request) => ({
      request,
      emailKey: await blindIndex(fold(request.emailAddress)),
      clientIds: [...new Set(request.clientIds)],
    })),
  );
  const clientIds = [...new Set(prepared.flatMap(({ clientIds: each }) => each))];
  if ((await ownClients(actor, clientIds)).length < clientIds.length) throw notFound();
  const isUnseen = ({ request, clientIds: each }: (typeof prepared)[number]): boolean =>
    each.length === 0 && request.role === undefined && !actor.hasAllClients;
  if (prepared.some(isUnseen)) throw new PortalError('INVALID', { field: 'clientIds' });
  const keys = prepared.map(({ emailKey }) => emailKey);
  if (new Set(keys).size < keys.length || (await contactKeys(actor.companyId, keys)).size > 0)
    throw new PortalError('NAME_CONFLICT', { field: 'emailAddress' });
  return prepared;
}

/** Stores invitations that are not sent yet, and revokes open ones for the same addresses. Returns their ids. */
export async function insertInvitations(
  actor: Pick<Actor, 'companyId' | 'contactId'>,
  prepared: readonly Prepared[],
): Promise<string[]> {
  const replaced = await revokeOpen(
    actor.companyId,
    prepared.map(({ emailKey }) => emailKey),
  );
  const rows = await Promise.all(
    prepared.map(async ({ request, emailKey, clientIds, batchId = null }) => {
      const id = newId('invitation');
      const granted = {
        invitation_id: id,
        company_id: actor.companyId,
        email_key: emailKey,
        role: request.role ?? '',
        all_clients: request.hasAllClients === false ? 0 : 1,
        client_ids: JSON.stringify(clientIds),
        // a new invitation to the team keeps what its reader will be responsible for
        responsible_ids: (request.role !== undefined && replaced.get(emailKey)) || '[]',
      } as const;
      return {
        ...granted,
        mac: await invitationMac(granted),
        email: encryptFor('invitations.email', id, request.emailAddress),
        first_name: request.firstName,
        last_name: request.lastName,
        name_key: fold(`${request.firstName} ${request.lastName}`),
        language: request.language,
        token_hash: sha256(newToken()), // no link leads there: sending it makes one
        invited_by: actor.contactId,
        created_at: now(),
        sent_at: 0,
        expires_at: 0,
        accepted_at: null,
        revoked_at: null,
        batch_id: batchId,
      };
    }),
  );
  for (const some of inBatches(rows)) await db().insertInto('invitations').values(some).execute();
  return rows.map(({ invitation_id: id }) => id);
}

/** Lets open invitations to a client that was merged follow it. */
export async function followMergedClient({
  companyId,
  from,
  into,
}: {
  companyId: string;
  from: string;
  into: string;
}): Promise<void> {
  const rows = await db()
    .selectFrom('invitations')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('accepted_at', 'is', null)
    .where((e) => e.or([e('client_ids', 'like', `%${from}%`), e('responsible_ids', 'like', `%${from}%`)]))
    .execute();
  const follow = (ids: readonly string[]): string =>
    JSON.stringify([...new Set(ids.map((id) => (id === from ? into : id)))]);
  for (const row of rows) {
    const change = { client_ids: follow(clientsIn(row)), responsible_ids: follow(responsibleIdsIn(row)) };
    await db()
      .updateTable('invitations')
      .set({ ...change, mac: await invitationMac({ ...row, ...change }) })
      .where('invitation_id', '=', row.invitation_id)
      .execute();
  }
}

/** Sends an invitation with a new link for 72 hours, in the transaction of the caller. */
export async function sendInvitation(
  actor: Pick<Actor, 'companyId' | 'contactId' | 'fullName' | 'emailAddress'>,
  firm: Firm,
  row: Row,
): Promise<string> {
  const id = row.invitation_id;
  await invitationSettled.announce({ invitationId: id });
  const { token, expiresAt } = await renewLink(actor, id);
  const to = {
    invitationId: id,
    email: decryptFrom('invitations.email', id, row.email),
    language: row.language,
    isStaff: row.role !== '',
  };
  await queueMail(invitationMail(firm, actor, to, { token, expiresAt }), mailKey(id, sha256(token)));
  return token;
}

/**
 * Makes the link with which the owner of a new firm, who is its contact already, joins it by signing in at the
 * issuer: an invitation by themselves. The caller mails it.
 */
export async function ownerInvitationLink(owner: Actor): Promise<string> {
  const [id = ''] = await insertInvitations(owner, [
    {
      request: { ...owner, language: DEFAULT_LANG, role: 'owner', hasAllClients: true },
      emailKey: await blindIndex(fold(owner.emailAddress)),
      clientIds: [],
    },
  ]);
  const { token } = await renewLink(owner, id);
  return linkTo(DEFAULT_LANG, `invitation/${token}`);
}

/** Gives an invitation a new link for 72 hours, which invalidates the previous one. */
async function renewLink(
  actor: Pick<Actor, 'companyId' | 'contactId'>,
  id: string,
): Promise<{ token: string; expiresAt: number }> {
  const [token, instant] = [newToken(), now()];
  const expiresAt = instant + LASTS;
  await db()
    .updateTable('invitations')
    .set({ token_hash: sha256(token), sent_at: instant, expires_at: expiresAt })
    .where('invitation_id', '=', id)
    .execute();
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'invitation.send',
    target: id,
  });
  return { token, expiresAt };
}

/**
 * Sends an invitation, or sends it again, with a new link for 72 hours, and invalidates the previous one. GONE if
 * it was accepted or revoked.
 */
export async function sendAgain(actor: Actor, invitationId: string): Promise<Invitation> {
  await ownRow(actor, invitationId);
  await consume(`invite:${actor.contactId}`, MAX_PER_DAY, DAY);
  const firm = await firmOf(actor.companyId);
  await inTransaction(async () => {
    const row = await ownRow(await actorNow(actor), invitationId);
    if (row.accepted_at !== null || row.revoked_at !== null) throw new PortalError('GONE');
    await sendInvitation(actor, firm, row);
  });
  return presentOne(await ownRow(actor, invitationId));
}

/** Sets the clients of an invitation that was not accepted yet. GONE if it was; NOT_FOUND for a foreign client. */
export async function setInvitationClients(
  actor: Actor,
  invitationId: string,
  change: (clientIds: readonly string[]) => readonly string[],
): Promise<void> {
  await inTransaction(async () => {
    const row = await ownRow(await actorNow(actor), invitationId);
    if (row.accepted_at !== null || row.revoked_at !== null) throw new PortalError('GONE');
    const [assigned, responsible] = [clientsIn(row), responsibleIdsIn(row)];
    const before = [...new Set([...assigned, ...responsible])];
    const clientIds = [...new Set(change(before))];
    const changed = [
      ...clientIds.filter((id) => !before.includes(id)),
      ...before.filter((id) => !clientIds.includes(id)),
    ];
    if ((await ownClients(actor, changed)).length < changed.length) throw notFound();
    const grants = {
      client_ids: JSON.stringify(
        clientIds.filter((id) => assigned.includes(id) || !responsible.includes(id)),
      ),
      responsible_ids: JSON.stringify(responsible.filter((id) => clientIds.includes(id))),
    };
    await db()
      .updateTable('invitations')
      .set({ ...grants, mac: await invitationMac({ ...row, ...grants }) })
      .where('invitation_id', '=', invitationId)
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'invitation.clients',
      target: invitationId,
    });
  });
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
      await invitationSettled.announce({ invitationId });
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

/** Lists the invitations of the actor's firm that they may manage, the newest first, at most 200. */
export async function listInvitations(actor: Actor): Promise<Invitation[]> {
  assertManagesContacts(actor);
  const rows = await invitationsOf(actor)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('invitation_id')
    .limit(MAX_LISTED)
    .execute();
  return present(rows);
}

/** Lists the invitations that wait for sending or acceptance, or those of them with these ids. */
export async function listPending(actor: Actor, ids?: readonly string[]): Promise<Invitation[]> {
  if (ids?.length === 0) return [];
  const rows = await db()
    .selectFrom('invitations')
    .selectAll()
    .where(isOwnPending(actor))
    .$if(ids !== undefined, (found) => found.where('invitation_id', 'in', ids ?? []))
    .execute();
  return present(rows);
}

/** The clients that each invitation names which waits for sending or acceptance. */
export async function pendingClients(actor: Actor): Promise<{ id: string; clientIds: string[] }[]> {
  const rows = await db()
    .selectFrom('invitations')
    .select(['invitation_id', 'client_ids'])
    .where(isOwnPending(actor))
    .execute();
  return rows.map((row) => ({ id: row.invitation_id, clientIds: clientsIn(row) }));
}

/** Finds those for these addresses that wait for sending or acceptance. */
export async function pendingByEmail(actor: Actor, emails: readonly string[]): Promise<Invitation[]> {
  if (!actor.access.permissions.has('ManageContacts')) return [];
  const keys = await Promise.all([...new Set(emails.map(fold))].map(blindIndex));
  const rows: Row[] = [];
  for (const some of inBatches(keys))
    rows.push(
      ...(await invitationsOf(actor)
        .selectAll()
        .where('email_key', 'in', some)
        .where('accepted_at', 'is', null)
        .where('revoked_at', 'is', null)
        .execute()),
    );
  return present(rows);
}

/** Finds an invitation that the actor may manage; NOT_FOUND otherwise. */
export const invitationOf = async (actor: Actor, invitationId: string): Promise<Invitation> =>
  presentOne(await ownRow(actor, invitationId));

type Row = Selectable<Tables['invitations']>;

/**
 * The condition that the actor may manage an invitation of the table `invitations`: those of their firm, those of
 * staff for owners only; with assigned clients, those that they sent or that name one of these.
 */
const isOwn = (actor: Actor): RawBuilder<boolean> => {
  const isForThem = actor.access.permissions.has('ManageFirm') ? sql`` : sql`and invitations.role = ''`;
  const isAboutOwnClients = actor.hasAllClients
    ? sql``
    : sql`and (invitations.invited_by = ${actor.contactId} or exists (
        select 1 from clients where ${actsForClient(actor)}
        and invitations.client_ids like '%"' || clients.client_id || '"%'))`;
  return sql<boolean>`(invitations.company_id = ${actor.companyId} ${isForThem} ${isAboutOwnClients})`;
};

/** The same for invitations that wait for sending or acceptance; none for those who manage no contacts. */
export const isOwnPending = (actor: Actor): RawBuilder<boolean> =>
  actor.staff && actor.access.permissions.has('ManageContacts')
    ? sql<boolean>`(${isOwn(actor)} and invitations.accepted_at is null and invitations.revoked_at is null)`
    : sql<boolean>`1 = 0`;

const invitationsOf = (actor: Actor) => db().selectFrom('invitations').where(isOwn(actor));

async function ownRow(actor: Actor, invitationId: string): Promise<Row> {
  assertManagesContacts(actor);
  const row = await invitationsOf(actor)
    .selectAll()
    .where('invitation_id', '=', invitationId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Identifies the mail of the current link. */
const mailKey = (invitationId: string, tokenHash: string): string =>
  `${invitationId}-${tokenHash.slice(0, 16)}`;

export async function present(rows: readonly Row[]): Promise<Invitation[]> {
  const invitations: Invitation[] = [];
  for (const batch of inBatches(rows)) {
    const mails = await mailStatuses(batch.map((row) => mailKey(row.invitation_id, row.token_hash)));
    for (const row of batch)
      invitations.push(withMail(row, mails.get(mailKey(row.invitation_id, row.token_hash)) ?? 'sent'));
  }
  return invitations;
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
    clientIds: clientsIn(row),
    ...(row.role !== '' && {
      role: row.role,
      hasAllClients: row.all_clients === 1,
      responsibleIds: responsibleIdsIn(row),
    }),
    state: stateOf(row),
    mail,
    sentAt: new Date(row.sent_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}

function stateOf(row: Row): Invitation['state'] {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  if (row.sent_at === 0) return 'prepared';
  return row.expires_at <= now() ? 'expired' : 'open';
}

async function ownClients(actor: Actor, clientIds: readonly string[]): Promise<{ client_id: string }[]> {
  const found = [];
  for (const some of inBatches(clientIds))
    found.push(...(await clientIdsOf(actor).where('clients.client_id', 'in', some).execute()));
  return found;
}

/** Those of the blind indexes of addresses that belong to people of the firm. */
export async function contactKeys(companyId: string, emailKeys: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inBatches(emailKeys))
    for (const { email_key: key } of await db()
      .selectFrom('contacts')
      .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
      .select('users.email_key')
      .where('contacts.company_id', '=', companyId)
      .where('contacts.removed_at', 'is', null)
      .where('users.email_key', 'in', some)
      .execute())
      found.add(key);
  return found;
}

/** Revokes open invitations, and returns the clients that their readers would have been responsible for. */
async function revokeOpen(companyId: string, emailKeys: readonly string[]): Promise<Map<string, string>> {
  const replaced = new Map<string, string>();
  for (const some of inBatches(emailKeys)) {
    const revoked = await db()
      .updateTable('invitations')
      .set({ revoked_at: now() })
      .where('company_id', '=', companyId)
      .where('email_key', 'in', some)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .returningAll()
      .execute();
    for (const row of revoked) {
      if (row.mac === (await invitationMac(row))) replaced.set(row.email_key, row.responsible_ids);
      await invitationSettled.announce({ invitationId: row.invitation_id });
    }
  }
  return replaced;
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
  /** Whether it is for staff. */
  isStaff: boolean;
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
    isStaff: row.role !== '',
  };
}

/** Finds the invitation of a link that can be accepted; undefined, too, if what it grants was tampered with. */
async function openRow(token: string) {
  const row = await rowOf(token);
  if (!row || row.mac !== (await invitationMac(row))) return undefined;
  return row.role === '' || (await isStillGranted(row)) ? row : undefined;
}

/** Staff become staff only while those who invited them may still invite staff. */
async function isStillGranted(row: Row): Promise<boolean> {
  const inviter = await actorOf(row.invited_by);
  return canAccessPortal(inviter) && inviter.access.permissions.has('ManageFirm');
}

const rowOf = (token: string) =>
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
  await invitationSettled.announce({ invitationId: row.invitation_id });
}

/** Makes a user a contact of the inviting firm, or its staff. Somebody who was removed comes back. */
async function join(row: OpenRow, prismGuid: string): Promise<void> {
  const fullName = `${row.first_name} ${row.last_name}`.trim();
  const known = await db()
    .selectFrom('contacts')
    .select(['contact_id', 'removed_at'])
    .where('company_id', '=', row.company_id)
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  const { company_id: companyId } = row;
  const hasAllClients = row.role === '' || row.all_clients === 1;
  const as = { fullName, hasAllClients, ...(row.role !== '' && { role: row.role }) };
  const contactId = known?.contact_id ?? (await createContact({ companyId, prismGuid, ...as }));
  if (known && known.removed_at !== null) await restoreContact(contactId, as);
  await actFor(row, contactId);
  // A code made by another firm would open this firm's documents too.
  await db().deleteFrom('rescue_codes').where('prism_guid', '=', prismGuid).execute();
  await recordLinkOpened(row.invitation_id);
  await recordDone([row.invitation_id]);
  await audit({
    companyId,
    actor: contactId,
    action: 'invitation.accept',
    target: row.invitation_id,
    ...(row.role !== '' && { details: { role: row.role } }),
  });
}

/** Lets a contact act for those of the clients that the firm still has; staff get them assigned, or are responsible. */
async function actFor(row: OpenRow, contactId: string): Promise<void> {
  const [clientIds, responsibleIds] = [clientsIn(row), new Set(responsibleIdsIn(row))];
  for (const some of inBatches([...new Set([...clientIds, ...responsibleIds])])) {
    const there = await db()
      .selectFrom('clients')
      .select('client_id')
      .where('company_id', '=', row.company_id)
      .where('client_id', 'in', some)
      .execute();
    for (const { client_id: clientId } of there) {
      if (row.role === '') await insertLink(clientId, contactId);
      else await assignClient(clientId, contactId, responsibleIds.has(clientId) || undefined);
    }
  }
}
