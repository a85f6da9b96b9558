import { now } from '#platform/runtime/clock.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

/*
 * Links between people of an external issuer and users. The key is issuer and subject, never an email address
 * (threat-model.md T28); signing in creates no users.
 */

const keyOf = (issuer: string, subject: string): Promise<string> =>
  blindIndex(JSON.stringify([issuer, subject]));

/** Finds the user of a subject at an issuer, by PrismGuid. */
export async function identityOf(issuer: string, subject: string): Promise<string | undefined> {
  const row = await db()
    .selectFrom('identities')
    .select('prism_guid')
    .where('issuer', '=', issuer)
    .where('subject_key', '=', await keyOf(issuer, subject))
    .executeTakeFirst();
  return row?.prism_guid;
}

/** Tells whether a user is linked to a subject of this issuer. */
export async function isLinked(prismGuid: string, issuer: string): Promise<boolean> {
  const row = await db()
    .selectFrom('identities')
    .select('issuer')
    .where('issuer', '=', issuer)
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Links a subject of an issuer to this user; false, without changes, if either is linked to somebody else.
 */
export async function linkIdentity(prismGuid: string, issuer: string, subject: string): Promise<boolean> {
  await db()
    .insertInto('identities')
    .values({ issuer, subject_key: await keyOf(issuer, subject), prism_guid: prismGuid, linked_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await identityOf(issuer, subject)) === prismGuid;
}

/** A person at an issuer. */
export interface IssuersSubject {
  issuer: string;
  subject: string;
}

/** The user that a sign-in created or added to a firm. */
export interface Joined {
  prismGuid: string;
  companyId: string;
}

/** Throws FORBIDDEN, with `because: 'other'`, unless this user is, or can be linked to, that subject. */
export async function assertLinked(prismGuid: string, { issuer, subject }: IssuersSubject): Promise<void> {
  if (!(await linkIdentity(prismGuid, issuer, subject)))
    throw new PortalError('FORBIDDEN', { because: 'other' });
}

/**
 * Links the user with this address, if there is exactly one and it is not linked to a subject of this issuer.
 * The caller has checked that the address is verified.
 */
export async function linkByEmail(
  email: string,
  issuer: string,
  subject: string,
): Promise<string | undefined> {
  const users = await db()
    .selectFrom('users')
    .select('prism_guid')
    .where('email_key', '=', await blindIndex(fold(email)))
    .limit(2)
    .execute();
  const [user] = users;
  return user && users.length === 1 && (await linkIdentity(user.prism_guid, issuer, subject))
    ? user.prism_guid
    : undefined;
}
