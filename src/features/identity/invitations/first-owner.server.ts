import { createFirm } from '#features/base/firms/firms.server.ts';
import { createContact, createUser } from '#features/base/people/people.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, type Lang } from '#platform/text/languages.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { changeSetting, setting } from '#platform/runtime/settings.server.ts';
import {
  assertLinked,
  type IssuersSubject,
  type Joined,
} from '#features/identity/credentials/identities.server.ts';
import { timeZoneNamed } from '#platform/text/time-zones.ts';
import type { FirstOwner, OwnerDetails } from './invitations.ts';
import { linkTo } from '#features/identity/credentials/mails.server.ts';
import { assertGoodPassword } from '#features/identity/credentials/passwords.server.ts';

const SETTING = 'first-owner';

const hasFirm = async (): Promise<boolean> =>
  (await db().selectFrom('firms').select('company_id').limit(1).executeTakeFirst()) !== undefined;

/**
 * Creates a new link with which the first owner of an empty portal names the firm and themselves, and
 * invalidates the previous one; undefined if there is a firm.
 */
export async function firstOwnerLink(): Promise<string | undefined> {
  if (await hasFirm()) return undefined;
  const token = newToken();
  await changeSetting(SETTING, sha256(token));
  return linkTo(DEFAULT_LANG, `first-owner/${token}`);
}

/** Tells whether the link is valid, without using it. */
export const firstOwnerIsOpen = async (token: string): Promise<boolean> =>
  (await setting(SETTING)) === sha256(token) && !(await hasFirm());

/**
 * Creates the first firm with its owner, once. GONE if the link is not valid (any more), INVALID with
 * `password` if it is not allowed. Nobody is signed in by it.
 */
export async function createFirstOwner(token: string, lang: Lang, owner: FirstOwner): Promise<string> {
  if (!(await firstOwnerIsOpen(token))) throw new PortalError('GONE');
  assertGoodPassword(owner.password, [owner.firmName, owner.firstName, owner.lastName, owner.email]);
  const passwordHash = await hashSecret(owner.password);
  return inTransaction(async () => (await makeOwner(token, lang, owner, passwordHash)).companyId);
}

/** Does the same for somebody who has just signed in at the issuer and signs in there from now on. GONE. */
export function createOwnerOf(
  subject: IssuersSubject,
  { token, lang, owner }: { token: string; lang: Lang; owner: OwnerDetails },
): Promise<Joined> {
  return inTransaction(async () => {
    const made = await makeOwner(token, lang, owner, null);
    await assertLinked(made.prismGuid, subject);
    return made;
  });
}

async function makeOwner(
  token: string,
  lang: Lang,
  owner: OwnerDetails,
  passwordHash: string | null,
): Promise<Joined> {
  const taken = await db()
    .deleteFrom('settings')
    .where('name', '=', SETTING)
    .where('value', '=', sha256(token))
    .executeTakeFirst();
  if (taken.numDeletedRows === 0n || (await hasFirm())) throw new PortalError('GONE');
  const companyId = await createFirm({
    name: owner.firmName,
    phone: owner.phone,
    email: owner.email,
    language: lang,
    timeZone: timeZoneNamed(owner.timeZone ?? ''),
  });
  const prismGuid = await createUser({
    email: owner.email,
    firstName: owner.firstName,
    lastName: owner.lastName,
    language: lang,
    passwordHash,
  });
  const contactId = await createContact({
    companyId,
    prismGuid,
    fullName: `${owner.firstName} ${owner.lastName}`,
    role: 'owner',
  });
  await audit({ companyId, actor: contactId, action: 'owner.create', target: contactId });
  return { companyId, prismGuid };
}
