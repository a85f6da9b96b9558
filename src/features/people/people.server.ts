import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { untyped } from '#platform/api.server.ts';
import { audit } from '#platform/audit.server.ts';
import { MINUTE, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { safeRedirect } from '#platform/safe-redirect.ts';
import type { Tables } from '#platform/schema.server.ts';
import { sealFor, unsealFrom } from '#platform/sealed.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import { accessFrom, mayEnter, type Access, type AccessSetting, type Actor, type Permission, type Session } from './people.ts';

export { changeLanguage, contactOf, maySetProfile, profileOf, saveProfile } from './profile.server.ts';

interface NewUser {
  email: string;
  firstName: string;
  lastName: string;
  language: string;
  /** What `hashSecret` made of the password, before a transaction begins: it takes its time, and nobody else writes meanwhile. */
  passwordHash: string;
  mfaRequired?: boolean;
}

/** Makes a sign-in identity and answers its PrismGuid. */
export async function createUser(input: NewUser): Promise<string> {
  const prismGuid = newId('user');
  await db()
    .insertInto('users')
    .values({
      prism_guid: prismGuid,
      email: sealFor('users.email', prismGuid, input.email),
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

/** Rights of those who run the firm's portal. */
const OWNS = ['ViewAs', 'ManageContacts', 'ManageFirm'] as const;

/** Makes a user a contact (or staff) of a firm and answers the contact id; an owner is staff with every right over the portal of the firm. */
export async function createContact(input: { companyId: string; prismGuid: string; fullName: string; staff?: boolean; owner?: boolean }): Promise<string> {
  const contactId = newId('contact');
  await db()
    .insertInto('contacts')
    .values({ contact_id: contactId, company_id: input.companyId, prism_guid: input.prismGuid, full_name: input.fullName, staff: input.staff || input.owner ? 1 : 0, created_at: now() })
    .execute();
  if (input.owner) for (const name of OWNS) await decideAccess(input.companyId, contactId, { kind: 'permission', name }, true);
  return contactId;
}

const actors = () =>
  db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select(['contacts.contact_id', 'contacts.company_id', 'contacts.staff', 'contacts.full_name', 'users.prism_guid', 'users.email', 'users.first_name', 'users.last_name', 'users.language', 'firms.locked'])
    .orderBy('contacts.created_at');

type ActorRow = Awaited<ReturnType<ReturnType<typeof actors>['execute']>>[number];

/** What the firm decided about a contact; what it decided for everybody comes first. */
const accessOf = async (row: { company_id: string; contact_id: string; staff: 0 | 1 }): Promise<Access> => accessFrom(row.staff === 1, await decisionsOf(row.company_id, row.contact_id));

/** What the firm decided for everybody, and for one contact of it. */
export async function decisionsOf(companyId: string, contactId: string): Promise<(AccessSetting & { for: 'everybody' | 'contact' })[]> {
  const rows = await db().selectFrom('access_settings').select(['contact_id', 'kind', 'name', 'granted']).where('company_id', '=', companyId).where('contact_id', 'in', ['', contactId]).orderBy('contact_id').execute();
  return rows.map(({ contact_id, kind, name, granted }) => ({ kind, name, granted: granted === 1, for: contact_id === '' ? 'everybody' : 'contact' }));
}

/** Decides something for everybody in the firm, or for one contact of it; undefined takes the decision back. */
export async function decideAccess(companyId: string, contactId: string | undefined, { kind, name }: Pick<AccessSetting, 'kind' | 'name'>, granted: boolean | undefined): Promise<void> {
  const key = { company_id: companyId, contact_id: contactId ?? '', kind, name };
  if (granted === undefined) {
    await db().deleteFrom('access_settings').where((e) => e.and(key)).execute();
    return;
  }
  const row = { granted: granted ? 1 : 0 } as const;
  await db()
    .insertInto('access_settings')
    .values({ ...key, ...row })
    .onConflict((conflict) => conflict.columns(['company_id', 'contact_id', 'kind', 'name']).doUpdateSet(row))
    .execute();
}

const present = async (row: ActorRow): Promise<Actor & { firmLocked: boolean }> => ({
  prismGuid: row.prism_guid,
  contactId: row.contact_id,
  companyId: row.company_id,
  staff: row.staff === 1,
  firstName: row.first_name,
  lastName: row.last_name,
  fullName: row.full_name,
  emailAddress: unsealFrom('users.email', row.prism_guid, row.email),
  language: row.language,
  access: await accessOf(row),
  firmLocked: row.locked === 1,
});

/** The contacts that a user is, one per firm: the one they were last, then the oldest first. */
export async function accountsOf(prismGuid: string) {
  const accounts = await Promise.all((await actors().where('contacts.prism_guid', '=', prismGuid).execute()).map(present));
  const last = (await db().selectFrom('users').select('last_contact_id').where('prism_guid', '=', prismGuid).executeTakeFirst())?.last_contact_id;
  return accounts.toSorted((one, other) => Number(other.contactId === last) - Number(one.contactId === last));
}

/** The contact behind an id, as the one who acts; NOT_FOUND when there is none. */
export async function actorOf(contactId: string): Promise<Actor & { firmLocked: boolean }> {
  const row = await actors().where('contacts.contact_id', '=', contactId).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
}

/** The staff of a firm who hold a right. */
export async function staffWith(companyId: string, permission: Permission): Promise<Actor[]> {
  const staff = await Promise.all((await actors().where('contacts.company_id', '=', companyId).where('contacts.staff', '=', 1).execute()).map(present));
  return staff.filter(({ access }) => access.permissions.has(permission));
}

const MOST_TOLD = 20;

/** Whom a notice about a client's papers reaches: the staff of the firm, or the contacts who act for the client; the first 20, without those who may not enter. */
export async function readersOf(companyId: string, clientId: string, side: 'staff' | 'contacts'): Promise<Actor[]> {
  const ofClient = db().selectFrom('client_contacts').select('client_contacts.contact_id').where('client_contacts.client_id', '=', clientId);
  const rows = await actors()
    .where('contacts.company_id', '=', companyId)
    .where('contacts.staff', '=', side === 'staff' ? 1 : 0)
    .$if(side === 'contacts', (all) => all.where('contacts.contact_id', 'in', ofClient))
    .limit(MOST_TOLD)
    .execute();
  return (await Promise.all(rows.map(present))).filter(mayEnter);
}

const MOST_FOUND = 25;

/** Contacts of a firm whose name holds the words, without regard to case, or whose e-mail address they are; the first 25 by name. */
export async function contactsOf(companyId: string, words: string): Promise<{ contactId: string; fullName: string; staff: boolean }[]> {
  const wanted = fold(words.trim());
  const emailKey = await blindIndex(wanted);
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id', 'contacts.full_name', 'contacts.staff', 'users.email_key'])
    .where('contacts.company_id', '=', companyId)
    .execute();
  return rows
    .filter((row) => fold(row.full_name).includes(wanted) || row.email_key === emailKey)
    .toSorted((a, b) => a.full_name.localeCompare(b.full_name))
    .slice(0, MOST_FOUND)
    .map((row) => ({ contactId: row.contact_id, fullName: row.full_name, staff: row.staff === 1 }));
}

/** The clients that an actor may act for, as a subquery: every query on clients' things is scoped by it. */
export const clientIdsOf = (actor: Actor) =>
  db()
    .selectFrom('clients')
    .select('clients.client_id')
    .where('clients.company_id', '=', actor.companyId)
    .$if(!actor.staff, (query) =>
      query.where('clients.client_id', 'in', db().selectFrom('client_contacts').select('client_contacts.client_id').where('client_contacts.contact_id', '=', actor.contactId)),
    );

/** NOT_FOUND unless the actor may act for this client. */
export async function assertActsFor(actor: Actor, clientId: string): Promise<void> {
  if (!(await clientIdsOf(actor).where('clients.client_id', '=', clientId).executeTakeFirst())) throw notFound();
}

/** Ends the sessions of a user, all but one where one is named, and all long tokens; answers how many sessions. Sessions in which they look as a contact are theirs too. */
export async function endSessionsOf(prismGuid: string, except = ''): Promise<number> {
  return inTransaction(async () => {
    const ended = await db().deleteFrom('sessions').where('prism_guid', '=', prismGuid).where('session_hash', '!=', except).returning(['company_id', 'contact_id', 'prism_guid', 'viewer_contact_id']).execute();
    await db().deleteFrom('long_tokens').where('prism_guid', '=', prismGuid).execute();
    for (const one of ended) await noteSessionEnd(one);
    return ended.length;
  });
}

/** Writes into the audit trail that a session has ended, and with it a look as somebody else. */
export async function noteSessionEnd({ company_id: companyId, contact_id: contactId, prism_guid: prismGuid, viewer_contact_id: viewer }: Pick<Tables['sessions'], 'company_id' | 'contact_id' | 'prism_guid' | 'viewer_contact_id'>): Promise<void> {
  if (viewer !== null) await audit({ companyId, actor: viewer, action: 'view.end', target: contactId, details: { subject: contactId } });
  await audit({ companyId, actor: viewer ?? contactId, action: 'session.end', target: prismGuid });
}

const PROOF_LASTS = 5 * MINUTE;

export const isProvedLately = ({ authenticatedAt }: Session): boolean => now() - authenticatedAt <= PROOF_LASTS;

/** STEP_UP unless the person proved who they are within the last five minutes: asked before what would hurt in the wrong hands (security.md T35). */
export function assertProvedLately(session: Session): void {
  if (!isProvedLately(session)) throw new PortalError('STEP_UP');
}

/** What the front door knows of a request; it hangs on the request until the answer is sent. */
export interface RequestState {
  requestId: string;
  /** The caller's network address, by the trusted proxies' word where there are any. */
  network: string;
  session: Session | undefined;
  /** True where a session ended with this request because its firm is locked. */
  lockedOut?: boolean;
  /** Called where the answer belongs to a firm that the session does not name, such as that of a link: it is cut off when that firm is locked. */
  belongsTo?: (companyId: string) => void;
}

/** The environment of every API call: the raw request with its state, and the raw response for streams. */
export interface Env {
  Bindings: { incoming: IncomingMessage & { portal: RequestState }; outgoing?: ServerResponse };
}

export const stateOf = (c: Context<Env>): RequestState => c.env.incoming.portal;

/** The session of a call; UNAUTHENTICATED when nobody is signed in. */
export function sessionIn(c: Context<Env>): Session {
  const { session } = stateOf(c);
  if (!session) throw new PortalError('UNAUTHENTICATED');
  return session;
}

/** Who calls; UNAUTHENTICATED when nobody is signed in. */
export const actorIn = (c: Context<Env>): Actor => sessionIn(c).actor;

/** Answers a download, or where it asks for a proof first leads who follows a link to the page that does; programs get the refusal (security.md T67). */
export async function orProveFirst(c: Context<Env>, answer: () => Promise<never>): Promise<never> {
  try {
    return await answer();
  } catch (error) {
    const isLink = c.req.header('accept')?.includes('text/html') ?? false;
    if (refusal(error)?.code !== 'STEP_UP' || !isLink || sessionIn(c).byToken !== undefined) throw error;
    const home = `/${config.base}/${languageOf(actorIn(c).language) ?? DEFAULT_LANG}/`;
    const back = safeRedirect(c.req.header('referer'), config.origin, `${home}documents`);
    return untyped(new Response(null, { status: 303, headers: { Location: `${home}auth/confirm?${new URLSearchParams({ because: 'downloads', r: back })}` } }));
  }
}
