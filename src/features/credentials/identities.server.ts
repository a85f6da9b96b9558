import { now } from '#platform/clock.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

/*
 * Who a person of an external issuer is here. The key is issuer and subject, never an e-mail address
 * (threat-model.md T28); nobody is made by signing in.
 */

const keyOf = (issuer: string, subject: string): Promise<string> =>
  blindIndex(JSON.stringify([issuer, subject]));

/** The user that a subject of an issuer is, by its PrismGuid. */
export async function identityOf(issuer: string, subject: string): Promise<string | undefined> {
  const row = await db()
    .selectFrom('identities')
    .select('prism_guid')
    .where('issuer', '=', issuer)
    .where('subject_key', '=', await keyOf(issuer, subject))
    .executeTakeFirst();
  return row?.prism_guid;
}

/**
 * Makes a subject of an issuer this user; false, and nothing changes, when one of the two is linked to
 * somebody else already.
 */
export async function linkIdentity(prismGuid: string, issuer: string, subject: string): Promise<boolean> {
  await db()
    .insertInto('identities')
    .values({ issuer, subject_key: await keyOf(issuer, subject), prism_guid: prismGuid, linked_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await identityOf(issuer, subject)) === prismGuid;
}

/** Somebody at an issuer. */
export interface IssuersSubject {
  issuer: string;
  subject: string;
}

/** Whom a sign-in made, or connected with a firm. */
export interface Joined {
  prismGuid: string;
  companyId: string;
}

/** FORBIDDEN, with `because: 'other'`, unless this user is, or can become, that subject. */
export async function assertLinked(prismGuid: string, { issuer, subject }: IssuersSubject): Promise<void> {
  if (!(await linkIdentity(prismGuid, issuer, subject)))
    throw new PortalError('FORBIDDEN', { because: 'other' });
}

/**
 * Links the user whose address this is, where there is exactly one and no subject of this issuer is that user
 * yet. The caller has made sure that the address is verified.
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
