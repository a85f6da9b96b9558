import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { sql, type RawBuilder } from 'kysely';
import { untyped } from '#platform/http/api.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import {
  optimizationFence,
  comparedColumn,
  db,
  fold,
  inTransaction,
} from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { safeRedirect } from '#platform/http/safe-redirect.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { accessFrom } from './access-settings.server.ts';
import { contactSessionEnded } from './events.server.ts';
import { accessMac, contactMac } from './rights-macs.server.ts';
import { hasTermsDue } from './terms-due.server.ts';
import {
  ACCESS_KINDS,
  canAccessPortal,
  type Access,
  type AccessSetting,
  type Actor,
  type ApiRoute,
  type Named,
  type Permission,
  type Session,
  type StaffRole,
} from './people.ts';

interface NewUser {
  email: string;
  firstName: string;
  lastName: string;
  language: string;
  /**
   * The result of `hashSecret` for the password, computed before the transaction begins: hashing takes long,
   * and nobody else can write meanwhile.
   */
  /** Null if an external issuer signs people in. */
  passwordHash: string | null;
  mfaRequired?: boolean;
}

/** Creates a user and returns the PrismGuid. */
export async function createUser(input: NewUser): Promise<string> {
  const prismGuid = newId('user');
  await db()
    .insertInto('users')
    .values({
      prism_guid: prismGuid,
      email: encryptFor('users.email', prismGuid, input.email),
      email_key: await blindIndex(fold(input.email)),
      first_name: input.firstName,
      last_name: input.lastName,
      language: input.language,
      password_hash: input.passwordHash,
      mfa_required: input.mfaRequired ? 1 : 0,
      created_at: now(),
    })
    .execute();
  return prismGuid;
}

/** Makes a user a contact of a firm, or staff with a role, and returns the contact id. */
export async function createContact(input: {
  companyId: string;
  prismGuid: string;
  fullName: string;
  role?: StaffRole;
  /** False for staff who act only for the clients assigned to them. */
  hasAllClients?: boolean;
}): Promise<string> {
  const { companyId, prismGuid, fullName, role, hasAllClients = true } = input;
  const row = {
    contact_id: newId('contact'),
    company_id: companyId,
    prism_guid: prismGuid,
    full_name: fullName,
    name_key: fold(fullName),
    staff: role === undefined ? 0 : 1,
    role: role ?? '',
    all_clients: hasAllClients ? 1 : 0,
    suspended_at: null,
    removed_at: null,
    created_at: now(),
  } as const;
  await db()
    .insertInto('contacts')
    .values({ ...row, mac: await contactMac(row) })
    .execute();
  return row.contact_id;
}

const actors = () =>
  db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select([
      'contacts.contact_id',
      'contacts.company_id',
      'contacts.staff',
      'contacts.role',
      'contacts.all_clients',
      'contacts.suspended_at',
      'contacts.full_name',
      'users.prism_guid',
      'users.email',
      'users.first_name',
      'users.last_name',
      'users.language',
      'firms.locked',
      'firms.second_step',
      'firms.second_step_from',
      hasTermsDue.as('terms_due'),
      hasOtherAccounts.as('has_other_accounts'),
      hasManyClients.as('has_many_clients'),
      accessSettings.as('settings'),
    ])
    .orderBy('contacts.created_at');

/** The access settings for everybody of the firm, then those for the contact, in the form of {@link settingsIn}. */
const accessSettings = sql<string | null>`(
  select string_agg(kind || ' ' || name || ' ' || granted, ',' order by contact_id) from access_settings
  where access_settings.company_id = contacts.company_id and access_settings.contact_id in ('', contacts.contact_id))`;

const hasOtherAccounts = sql<number>`case when exists (
  select 1 from contacts as others where others.prism_guid = contacts.prism_guid
    and others.contact_id <> contacts.contact_id and others.removed_at is null) then 1 else 0 end`;

/** With more clients than this a contact has many: to look up rows by each of them takes longer than to find a page. */
const FEW_CLIENTS = 300;

const hasManyClients = sql<number>`case when (
  select 1 from client_contacts as links where links.contact_id = contacts.contact_id and contacts.staff = 0
    limit 1 offset ${sql.lit(FEW_CLIENTS)}) is null then 0 else 1 end`;

type ActorRow = Awaited<ReturnType<ReturnType<typeof actors>['execute']>>[number];

/** The role of staff; undefined for contacts of clients. */
const roleOf = ({ staff, role }: Pick<ActorRow, 'staff' | 'role'>): StaffRole | undefined =>
  staff === 0 ? undefined : role === '' ? 'member' : role;

/** Somebody's access; the suspended have none of the permissions to enter the portal. */
function accessOf(row: ActorRow): Access {
  const access = accessFrom(roleOf(row), settingsIn(row.settings ?? ''));
  if (row.suspended_at === null) return access;
  const permissions = new Set(access.permissions);
  permissions.delete('DefaultClient');
  permissions.delete('DefaultStaff');
  return { ...access, permissions };
}

/** Reads `control DocumentUpload 1,flag HideTasks 0`; names and kinds have neither spaces nor commas. */
const settingsIn = (text: string): AccessSetting[] =>
  text.split(',').flatMap((setting) => {
    const [kind, name = '', granted] = setting.split(' ');
    const known = ACCESS_KINDS.find((one) => one === kind);
    return known ? [{ kind: known, name, granted: granted === '1' }] : [];
  });

/** Loads the access settings of the firm for everybody and for one contact. */
export async function decisionsOf(
  companyId: string,
  contactId: string,
): Promise<(AccessSetting & { for: 'everybody' | 'contact' })[]> {
  const rows = await db()
    .selectFrom('access_settings')
    .select(['contact_id', 'kind', 'name', 'granted'])
    .where('company_id', '=', companyId)
    .where('contact_id', 'in', ['', contactId])
    .orderBy('contact_id')
    .execute();
  return rows.map(({ contact_id, kind, name, granted }) => ({
    kind,
    name,
    granted: granted === 1,
    for: contact_id === '' ? 'everybody' : 'contact',
  }));
}

/**
 * Changes an access setting for everybody in the firm, or for one contact of it; undefined removes the
 * setting.
 */
export async function decideAccess(
  companyId: string,
  contactId: string | undefined,
  { kind, name }: Pick<AccessSetting, 'kind' | 'name'>,
  granted: boolean | undefined,
): Promise<void> {
  const key = { company_id: companyId, contact_id: contactId ?? '', kind, name };
  if (granted === undefined) {
    await db()
      .deleteFrom('access_settings')
      .where((e) => e.and(key))
      .execute();
    return;
  }
  const decided = { granted: granted ? 1 : 0 } as const;
  const row = { ...decided, mac: await accessMac({ ...key, ...decided }) };
  await db()
    .insertInto('access_settings')
    .values({ ...key, ...row })
    .onConflict((conflict) => conflict.columns(['company_id', 'contact_id', 'kind', 'name']).doUpdateSet(row))
    .execute();
}

/** An actor as loaded just now. */
export interface CurrentActor extends Actor {
  firmLocked: boolean;
  /** True until the newest terms of the firm are accepted. */
  termsDue: boolean;
  /** True if the firm requires a second factor of them now. */
  secondStepRequired: boolean;
  /** True if the person has accounts at other firms, locked ones included. */
  hasOtherAccounts: boolean;
}

const present = (row: ActorRow): CurrentActor => ({
  prismGuid: row.prism_guid,
  contactId: row.contact_id,
  companyId: row.company_id,
  staff: row.staff === 1,
  role: roleOf(row),
  hasAllClients: row.all_clients === 1,
  hasManyClients: row.has_many_clients === 1,
  firstName: row.first_name,
  lastName: row.last_name,
  fullName: row.full_name,
  emailAddress: decryptFrom('users.email', row.prism_guid, row.email),
  language: row.language,
  access: accessOf(row),
  firmLocked: row.locked === 1,
  termsDue: row.terms_due === 1,
  secondStepRequired: isRequired(row),
  hasOtherAccounts: row.has_other_accounts === 1,
});

/** Whether the firm of a contact requires a second factor of them now. */
const isRequired = (row: ActorRow): boolean =>
  row.second_step_from <= now() &&
  (row.second_step === 'everybody' || (row.second_step === 'staff' && row.staff === 1));

/**
 * Lists the accounts of a user, one per firm: the last one used first, then the oldest. One in a firm to practice in is none:
 * nobody signs in there.
 */
export async function accountsOf(prismGuid: string) {
  const accounts = (
    await actors()
      .where('contacts.prism_guid', '=', prismGuid)
      .where('contacts.removed_at', 'is', null)
      .where('firms.practice_of', 'is', null)
      .execute()
  ).map(present);
  const last = (
    await db()
      .selectFrom('users')
      .select('last_contact_id')
      .where('prism_guid', '=', prismGuid)
      .executeTakeFirst()
  )?.last_contact_id;
  return accounts.toSorted((one, other) => Number(other.contactId === last) - Number(one.contactId === last));
}

/**
 * Finds the first of these accounts that is in the named firm and acts for the named client; undefined if
 * there is none.
 */
export async function accountNamed<Account extends Actor>(
  accounts: readonly Account[],
  { firm, client }: Named,
): Promise<Account | undefined> {
  for (const account of accounts) {
    if (firm !== undefined && account.companyId !== firm) continue;
    if (
      client === undefined ||
      (await clientIdsOf(account).where('clients.client_id', '=', client).executeTakeFirst())
    )
      return account;
  }
  return undefined;
}

/** Loads contacts with these ids as actors, in any order. */
export async function actorsOf(contactIds: readonly string[]): Promise<Actor[]> {
  if (contactIds.length === 0) return [];
  return (await actors().where('contacts.contact_id', 'in', contactIds).execute()).map(present);
}

/** Loads the contact with this id as an actor; NOT_FOUND if there is none. */
export async function actorOf(contactId: string): Promise<CurrentActor> {
  const row = await actors().where('contacts.contact_id', '=', contactId).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

/**
 * Reloads the actor: long operations check the rights again, inside the transaction that writes their result,
 * so that nothing is stored after a right or session was revoked. UNAUTHENTICATED if the session was ended,
 * FIRM_LOCKED_OUT, FORBIDDEN and TERMS_REQUIRED as at the start of a call. A session that merely expired
 * meanwhile was ended by nobody: operations started in it may finish.
 */
export async function actorNow(actor: Actor): Promise<Actor> {
  const { contactId, sessionId, viewedBy } = actor;
  if (sessionId !== undefined) await assertSessionGoesOn(sessionId);
  const { firmLocked, termsDue, secondStepRequired: _, ...current } = await actorOf(contactId);
  if (firmLocked) throw new PortalError('FIRM_LOCKED_OUT');
  if (!canAccessPortal(current)) throw new PortalError('FORBIDDEN');
  if (viewedBy !== undefined) await assertMayViewAs(viewedBy);
  else if (termsDue) throw new PortalError('TERMS_REQUIRED');
  return {
    ...current,
    ...(sessionId !== undefined && { sessionId }),
    ...(viewedBy !== undefined && { viewedBy }),
  };
}

async function assertSessionGoesOn(sessionId: string): Promise<void> {
  const session = await db()
    .selectFrom('sessions')
    .select('view_until')
    .where((e) => e.or([e('session_hash', '=', sessionId), e('first_hash', '=', sessionId)]))
    .executeTakeFirst();
  if (session && (session.view_until ?? Infinity) >= now()) return;
  const token = await db()
    .selectFrom('long_tokens')
    .select('token_id')
    .where('token_hash', '=', sessionId)
    .executeTakeFirst();
  const ranOut = await db()
    .selectFrom('ended_sessions')
    .select('session_hash')
    .where('session_hash', '=', sessionId)
    .executeTakeFirst();
  if (session || (!token && !ranOut)) throw new PortalError('UNAUTHENTICATED');
}

async function assertMayViewAs(contactId: string): Promise<void> {
  const { staff, firmLocked, access } = await actorOf(contactId);
  if (!staff || firmLocked || !access.permissions.has('ViewAs')) throw new PortalError('UNAUTHENTICATED');
}

/** Lists the staff of a firm who hold a permission. */
export async function staffWith(companyId: string, permission: Permission): Promise<Actor[]> {
  const staff = (
    await actors()
      .where('contacts.company_id', '=', companyId)
      .where('contacts.staff', '=', sql.lit<1>(1)) // SQLite uses the index of staff for a literal only
      .where('contacts.removed_at', 'is', null)
      .execute()
  ).map(present);
  return staff.filter(({ access }) => access.permissions.has(permission));
}

/**
 * Tells whether a user must use a second factor: by their own choice, or because one of their firms that are
 * not locked requires it now; with `contactId` only that firm counts.
 */
export async function needsSecondStep(prismGuid: string, contactId?: string): Promise<boolean> {
  const row = await db()
    .selectFrom('users')
    .innerJoin('contacts', 'contacts.prism_guid', 'users.prism_guid')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select('users.prism_guid')
    .where('users.prism_guid', '=', prismGuid)
    .where('contacts.removed_at', 'is', null)
    .$if(contactId !== undefined, (rows) => rows.where('contacts.contact_id', '=', contactId ?? ''))
    .where((e) => {
      const isAsked = e.or([
        e('firms.second_step', '=', 'everybody'),
        e.and([e('firms.second_step', '=', 'staff'), e('contacts.staff', '=', 1)]),
      ]);
      const byFirm = e.and([e('firms.locked', '=', 0), e('firms.second_step_from', '<=', now()), isAsked]);
      return e.or([e('users.mfa_required', '=', 1), byFirm]);
    })
    .executeTakeFirst();
  return row !== undefined;
}

const MAX_TOLD = 20;

/**
 * Lists the recipients of a notification about a client's documents: the staff who see the client, or the
 * contacts who act for it; the first 20, without those who may not enter the portal.
 */
export async function readersOf(
  companyId: string,
  clientId: string,
  side: 'staff' | 'contacts',
): Promise<Actor[]> {
  const ofClient = db()
    .selectFrom('client_contacts')
    .select('client_contacts.contact_id')
    .where('client_contacts.client_id', '=', clientId);
  const rows = await actors()
    .where('contacts.company_id', '=', companyId)
    .where('contacts.staff', '=', side === 'staff' ? 1 : 0)
    .$if(side === 'contacts', (all) => all.where('contacts.contact_id', 'in', ofClient))
    .$if(side === 'staff', (all) =>
      all.where((e) =>
        e.or([
          e('contacts.all_clients', '=', 1),
          e(
            'contacts.contact_id',
            'in',
            e
              .selectFrom('staff_clients')
              .select('staff_clients.contact_id')
              .where('staff_clients.client_id', '=', clientId),
          ),
        ]),
      ),
    )
    .limit(MAX_TOLD)
    .execute();
  return rows.map(present).filter(canAccessPortal);
}

const MAX_FOUND = 25;

/**
 * Finds contacts of a firm by part of the name, without regard to case, or by the whole email address; the
 * first 25 by name.
 */
export async function contactsOf(
  companyId: string,
  words: string,
): Promise<{ contactId: string; fullName: string; staff: boolean }[]> {
  const wanted = fold(words.trim());
  const emailKey = await blindIndex(wanted);
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id', 'contacts.full_name', 'contacts.staff', 'users.email_key'])
    .where('contacts.company_id', '=', companyId)
    .where('contacts.removed_at', 'is', null)
    .execute();
  return rows
    .filter((row) => fold(row.full_name).includes(wanted) || row.email_key === emailKey)
    .toSorted((a, b) => a.full_name.localeCompare(b.full_name))
    .slice(0, MAX_FOUND)
    .map((row) => ({ contactId: row.contact_id, fullName: row.full_name, staff: row.staff === 1 }));
}

/**
 * The condition that an actor may act for a client of the table `clients`: staff for those of their firm, or
 * of these the assigned ones, contacts for those linked to them that are not archived. Nobody acts for a client
 * that was merged into another one. The firm is looked up for staff who act for
 * all clients only: for others it is compared, so that the query planner walks through their few clients and
 * not through all of the firm. Of contacts with many clients each client is compared.
 */
export const actsForClient = (actor: Actor): RawBuilder<boolean> => {
  if (actor.staff && actor.hasAllClients)
    return sql<boolean>`(clients.company_id = ${actor.companyId} and clients.merged_into is null)`;
  const links = sql.table(actor.staff ? 'staff_clients' : 'client_contacts');
  const isCurrent = sql`and ${sql.ref(actor.staff ? 'clients.merged_into' : 'clients.archived_at')} is null`;
  const isLinked = actor.hasManyClients
    ? sql`exists (select 1 from ${links} as links where links.contact_id = ${actor.contactId} and links.client_id = clients.client_id ${optimizationFence})`
    : sql`clients.client_id in (select links.client_id from ${links} as links where links.contact_id = ${actor.contactId})`;
  return sql<boolean>`(clients.company_id || '' = ${actor.companyId} ${isCurrent} and ${isLinked})`;
};

/**
 * The same condition for staff on the client of an assignment, a row of `staff_clients` as `links`, which has a copy of the
 * client's firm and state: of clients that are not archived, no row is read.
 */
export const actsForAssigned = (actor: Actor): RawBuilder<boolean> => {
  const isUnmerged = sql`(links.is_archived = 0 or exists (select 1 from clients where clients.client_id = links.client_id and clients.merged_into is null))`;
  const isOwn = actor.hasAllClients
    ? sql``
    : sql`and exists (select 1 from staff_clients as own where own.contact_id = ${actor.contactId} and own.client_id = links.client_id)`;
  return sql<boolean>`(links.company_id = ${actor.companyId} and ${isUnmerged} ${isOwn})`;
};

/**
 * The clients that an actor may act for, as a subquery. Those of a contact with many clients are joined with the links, so
 * that the query planner finds one of them as soon as all.
 */
export const clientIdsOf = (actor: Actor) =>
  db()
    .selectFrom('clients')
    .select('clients.client_id')
    .$if(!actor.hasManyClients, (clients) => clients.where(actsForClient(actor)))
    .$if(actor.hasManyClients, (clients) =>
      clients
        .innerJoin('client_contacts as links', 'links.client_id', 'clients.client_id')
        .where('links.contact_id', '=', actor.contactId)
        .where('links.is_archived', '=', 0)
        .where(sql<boolean>`clients.company_id || '' = ${actor.companyId}`)
        .where('clients.archived_at', 'is', null),
    );

/**
 * Tells whether a row belongs to a client that the actor may act for: every query on clients' data is scoped
 * by it. For staff who act for all clients the condition is on the row's client, since a list of all the
 * firm's clients costs more with each of them. For documents the client is compared, not looked up: those of
 * a page are found by their row ids, not among all of the client's.
 */
export const isOfOwnClient = (
  actor: Actor,
  column: `${'client_messages' | 'containers' | 'documents' | 'receipts' | 'shares' | 'tasks' | 'task_groups'}.client_id`,
) => {
  if (actor.staff && actor.hasAllClients)
    return sql<boolean>`exists (select 1 from clients where clients.client_id = ${sql.ref(column)} and clients.company_id = ${actor.companyId})`;
  if (actor.hasManyClients) return isOneOfMany(actor, column);
  const clientId = column === 'documents.client_id' ? comparedColumn(column) : sql.ref(column);
  const ids = clientIdsOf(actor);
  if (column !== 'receipts.client_id') return sql<boolean>`${clientId} in (${ids})`;
  return sql<boolean>`(${clientId} in (${ids}) or ${clientId} in (select merged.client_id from clients as merged where merged.merged_into in (${ids})))`;
};

/** The same for the row of a contact with many clients, which is compared with its client alone. */
function isOneOfMany(actor: Actor, column: string): RawBuilder<boolean> {
  const isOf = (id: RawBuilder<unknown>): RawBuilder<boolean> =>
    sql<boolean>`exists (select 1 from clients where clients.client_id = ${id} and ${actsForClient(actor)} ${optimizationFence})`;
  if (column !== 'receipts.client_id') return isOf(sql.ref(column));
  const survivor = sql`(select merged.merged_into from clients as merged where merged.client_id = ${sql.ref(column)})`;
  return sql<boolean>`(${isOf(sql.ref(column))} or ${isOf(survivor)})`;
}

/**
 * The condition that staff may see a contact of the table `contacts`: everybody of their firm, or with
 * assigned clients, the contacts of these, and other staff.
 */
export const isOwnContact = (actor: Actor): RawBuilder<boolean> =>
  actor.hasAllClients
    ? sql<boolean>`(contacts.company_id = ${actor.companyId} and contacts.removed_at is null)`
    : sql<boolean>`(contacts.company_id = ${actor.companyId} and contacts.removed_at is null and (contacts.staff = 1 or exists (
        select 1 from client_contacts join staff_clients on staff_clients.client_id = client_contacts.client_id
        where client_contacts.contact_id = contacts.contact_id and staff_clients.contact_id = ${actor.contactId})))`;

/** Tells whether a staff member may see this contact. */
export async function seesContact(actor: Actor, contactId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('contacts.contact_id', '=', contactId)
    .where(isOwnContact(actor))
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Tells whether a contact acts for clients that the actor does not: who takes over or views the contact's account sees
 * these, too.
 */
export async function hasForeignClients(actor: Actor, contactId: string): Promise<boolean> {
  if (actor.hasAllClients) return false;
  const row = await db()
    .selectFrom('client_contacts')
    .select('client_id')
    .where('contact_id', '=', contactId)
    .where('client_id', 'not in', clientIdsOf(actor))
    .executeTakeFirst();
  return row !== undefined;
}

/** Throws NOT_FOUND unless the actor may act for this client. */
export async function assertActsFor(actor: Actor, clientId: string): Promise<void> {
  if (!(await actsFor(actor, clientId))) throw notFound();
}

const actsFor = sharedRead(
  (actor: Actor, clientId: string) =>
    clientIdsOf(actor).where('clients.client_id', '=', clientId).executeTakeFirst(),
  ({ contactId }, clientId) => `${contactId} ${clientId}`,
);

/** Notes that a client was found among those of the actor, so that the same request need not ask again. */
export const noteActsFor = (actor: Actor, clientId: string): void =>
  actsFor.found({ client_id: clientId }, actor, clientId);

/**
 * Ends the sessions of a user, except one if it is named, and all their tokens; returns the number of
 * sessions. Sessions in which they view as a contact are theirs too.
 */
export async function endSessionsOf(prismGuid: string, except = ''): Promise<number> {
  return inTransaction(async () => {
    const ended = await db()
      .deleteFrom('sessions')
      .where('prism_guid', '=', prismGuid)
      .where('session_hash', '!=', except)
      .returning(ENDED_SESSION)
      .execute();
    await db().deleteFrom('long_tokens').where('prism_guid', '=', prismGuid).execute();
    for (const one of ended) await noteSessionEnd(one);
    return ended.length;
  });
}

/** What {@link noteSessionEnd} is told of a session. */
export const ENDED_SESSION = [
  'session_hash',
  'first_hash',
  'company_id',
  'contact_id',
  'prism_guid',
  'viewer_contact_id',
] as const;

/**
 * Audits and announces the end of a session, and of a view as a contact with it. `byItself`: it expired.
 */
export async function noteSessionEnd(
  {
    session_hash: id,
    first_hash: firstId,
    company_id: companyId,
    contact_id: contactId,
    prism_guid: prismGuid,
    viewer_contact_id: viewer,
  }: Pick<Tables['sessions'], (typeof ENDED_SESSION)[number]>,
  { byItself = false } = {},
): Promise<void> {
  if (viewer !== null)
    await audit({
      companyId,
      actor: viewer,
      action: 'view.end',
      target: contactId,
      details: { subject: contactId },
    });
  await audit({ companyId, actor: viewer ?? contactId, action: 'session.end', target: prismGuid });
  if (viewer === null)
    await contactSessionEnded.announce({ contactId, ...(!byItself && { sessionId: firstId ?? id }) });
}

const PROOF_LASTS = 5 * MINUTE;

/** In a firm to practice in there is nothing to harm, and no password to prove oneself with. */
export const isRecentlyAuthenticated = ({ authenticatedAt, practicedBy }: Session): boolean =>
  practicedBy !== undefined || now() - authenticatedAt <= PROOF_LASTS;

/**
 * Throws STEP_UP unless the person authenticated within the last five minutes: checked before actions that
 * would do harm in the wrong hands (threat-model.md T35).
 */
export function assertRecentlyAuthenticated(session: Session): void {
  if (!isRecentlyAuthenticated(session)) throw new PortalError('STEP_UP');
}

/** The state of a request, kept with it until the response is sent. */
export interface RequestState {
  requestId: string;
  /** The caller's network address, as reported by a trusted proxy if there is one. */
  network: string;
  session: Session | undefined;
  /** True if a session ended with this request because its firm is locked. */
  lockedOut?: boolean;
  /**
   * Called if the response belongs to a firm that the session does not name, such as that of a link: it is
   * aborted when that firm is locked.
   */
  belongsTo?: (companyId: string) => void;
}

/** The environment of every API call: the raw request with its state, and the raw response for streams. */
export interface Env {
  Bindings: { incoming: IncomingMessage & { portal: RequestState }; outgoing?: ServerResponse };
}

/** The calls of a feature, and who may make each: a call missing from `routes` is not served. */
export interface FeatureApi {
  app: OpenAPIHono<Env>;
  routes: readonly ApiRoute[];
}

export const stateOf = (c: Context<Env>): RequestState => c.env.incoming.portal;

/** Returns the session of a call; UNAUTHENTICATED if nobody is signed in. */
export function sessionIn(c: Context<Env>): Session {
  const { session } = stateOf(c);
  if (!session) throw new PortalError('UNAUTHENTICATED');
  return session;
}

/** Returns the actor of a call; UNAUTHENTICATED if nobody is signed in. */
export const actorIn = (c: Context<Env>): Actor => sessionIn(c).actor;

/**
 * Answers a download, or if it requires a step-up, redirects people who follow a link to the step-up page;
 * programs get the error (threat-model.md T67).
 */
export async function orStepUp(c: Context<Env>, answer: () => Promise<never>): Promise<never> {
  try {
    return await answer();
  } catch (error) {
    const isLink = c.req.header('accept')?.includes('text/html') ?? false;
    if (refusal(error)?.code !== 'STEP_UP' || !isLink || sessionIn(c).byToken !== undefined) throw error;
    const home = `/${config.base}/${languageOf(actorIn(c).language) ?? DEFAULT_LANG}/`;
    const back = safeRedirect(c.req.header('referer'), config.origin, `${home}documents`);
    return untyped(
      new Response(null, {
        status: 303,
        headers: {
          Location: `${home}auth/confirm?${new URLSearchParams({ because: 'downloads', r: back })}`,
        },
      }),
    );
  }
}
