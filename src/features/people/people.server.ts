import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { hashSecret } from '#platform/passwords.server.ts';
import { sealFor, unsealFrom } from '#platform/sealed.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import type { Actor, Session } from './people.ts';

interface NewUser {
  email: string;
  firstName: string;
  lastName: string;
  language: string;
  password: string;
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
      password_hash: await hashSecret(input.password),
      mfa_required: input.mfaRequired ? 1 : 0,
      created_at: now(),
    })
    .execute();
  return prismGuid;
}

/** Makes a user a contact (or staff) of a firm and answers the contact id. */
export async function createContact(input: { companyId: string; prismGuid: string; fullName: string; staff?: boolean }): Promise<string> {
  const contactId = newId('contact');
  await db()
    .insertInto('contacts')
    .values({ contact_id: contactId, company_id: input.companyId, prism_guid: input.prismGuid, full_name: input.fullName, staff: input.staff ? 1 : 0, created_at: now() })
    .execute();
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

const present = (row: ActorRow): Actor & { firmLocked: boolean } => ({
  prismGuid: row.prism_guid,
  contactId: row.contact_id,
  companyId: row.company_id,
  staff: row.staff === 1,
  firstName: row.first_name,
  lastName: row.last_name,
  fullName: row.full_name,
  emailAddress: unsealFrom('users.email', row.prism_guid, row.email),
  language: row.language,
  firmLocked: row.locked === 1,
});

/** The contacts that a user is, one per firm, the oldest first. */
export const accountsOf = async (prismGuid: string) => (await actors().where('contacts.prism_guid', '=', prismGuid).execute()).map(present);

/** The contact behind an id, as the one who acts; NOT_FOUND when there is none. */
export async function actorOf(contactId: string): Promise<Actor & { firmLocked: boolean }> {
  const row = await actors().where('contacts.contact_id', '=', contactId).executeTakeFirst();
  if (!row) throw notFound();
  return present(row);
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

/** What the front door knows of a request; it hangs on the request until the answer is sent. */
export interface RequestState {
  requestId: string;
  /** The caller's network address, by the trusted proxies' word where there are any. */
  network: string;
  session: Session | undefined;
}

/** The environment of every API call: the raw request with its state, and the raw response for streams. */
export interface Env {
  Bindings: { incoming: IncomingMessage & { portal: RequestState }; outgoing?: ServerResponse };
}

export const stateOf = (c: Context<Env>): RequestState => c.env.incoming.portal;

/** Who calls; UNAUTHENTICATED when nobody is signed in. */
export function actorIn(c: Context<Env>): Actor {
  const { session } = stateOf(c);
  if (!session) throw new PortalError('UNAUTHENTICATED');
  return session.actor;
}
