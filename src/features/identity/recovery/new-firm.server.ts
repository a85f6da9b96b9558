import { isLinked } from '#features/identity/credentials/identities.server.ts';
import { linkTo } from '#features/identity/credentials/mails.server.ts';
import { passwordOf, userByEmail, userByGuid } from '#features/identity/credentials/users.server.ts';
import { createFirm, firmOf } from '#features/base/firms/firms.server.ts';
import { firmsCalled } from '#features/base/firms/lookup.server.ts';
import { ownerInvitationLink } from '#features/identity/invitations/invitations.server.ts';
import { accountsOf, actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { newFirmMail } from './mails.server.ts';

const LASTS = 72 * HOUR;

/** A firm that the operator creates, and its owner. */
export interface NewFirm {
  firmName: string;
  email: string;
  firstName: string;
  lastName: string;
}

/**
 * Creates a firm with its owner, for the operator. Returns the link with which the owner sets their password, or joins
 * by signing in at the issuer, once, within 72 hours, which is mailed, too; undefined for someone who can sign in
 * already. If they own a firm of this name and cannot sign in yet, they get a new link to that one; NAME_CONFLICT if
 * they can.
 */
export function createFirmFor(
  { firmName, email, firstName, lastName }: NewFirm,
  { issuer }: { issuer?: Issuer | undefined } = {},
): Promise<string | undefined> {
  return inTransaction(async () => {
    const known = (await userByEmail(email))?.prism_guid;
    const canSignIn = known !== undefined && (await hasWayIn(known, issuer));
    const earlier = known === undefined ? undefined : await ownFirm(known, firmName);
    if (earlier && canSignIn) throw new PortalError('NAME_CONFLICT');
    const language = DEFAULT_LANG;
    const prismGuid =
      known ?? (await createUser({ email, firstName, lastName, language, passwordHash: null }));
    const owner = earlier ?? (await createFirmOf(prismGuid, firmName));
    const newLink = async (): Promise<string> =>
      issuer
        ? ownerInvitationLink(await actorOf(owner.contactId))
        : linkTo(language, `reset/${await passwordToken(prismGuid)}`);
    const link = canSignIn ? undefined : await newLink();
    const firm = await firmOf(owner.companyId);
    await queueMail(newFirmMail(firm, { email, link, issuerHost: issuer?.host }), newId('firm'));
    return link;
  });
}

/** The external issuer at which people sign in. */
interface Issuer {
  address: string;
  host: string;
}

const hasWayIn = async (prismGuid: string, issuer: Issuer | undefined): Promise<boolean> =>
  issuer ? isLinked(prismGuid, issuer.address) : (await passwordOf(prismGuid)) !== null;

async function ownFirm(prismGuid: string, firmName: string): Promise<Owner | undefined> {
  const named = new Set((await firmsCalled(firmName)).map(({ companyId }) => companyId));
  return (await accountsOf(prismGuid)).find(
    ({ companyId, role }) => role === 'owner' && named.has(companyId),
  );
}

type Owner = Pick<Actor, 'companyId' | 'contactId'>;

async function createFirmOf(prismGuid: string, name: string): Promise<Owner> {
  const user = await userByGuid(prismGuid);
  const { email = '', first_name: firstName = '', last_name: lastName = '' } = user ?? {};
  const companyId = await createFirm({ name, phone: '', email, language: DEFAULT_LANG });
  const fullName = `${firstName} ${lastName}`.trim();
  const contactId = await createContact({ companyId, prismGuid, fullName, role: 'owner' });
  await audit({ companyId, actor: 'operator', action: 'firm.create', target: contactId });
  return { companyId, contactId };
}

/** Makes the link's token; an earlier link to a password no longer works. */
async function passwordToken(prismGuid: string): Promise<string> {
  const token = newToken();
  await db().deleteFrom('password_resets').where('prism_guid', '=', prismGuid).execute();
  await db()
    .insertInto('password_resets')
    .values({
      reset_id: newId('reset'),
      prism_guid: prismGuid,
      token_hash: sha256(token),
      expires_at: now() + LASTS,
    })
    .execute();
  return token;
}
