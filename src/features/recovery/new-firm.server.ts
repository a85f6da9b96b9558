import { linkTo } from '#features/credentials/mails.server.ts';
import { userByEmail, userByGuid } from '#features/credentials/users.server.ts';
import { createFirm, firmOf } from '#features/firms/firms.server.ts';
import { ownerInvitationLink } from '#features/invitations/invitations.server.ts';
import { actorOf, createContact, createUser } from '#features/people/people.server.ts';
import { audit } from '#platform/audit.server.ts';
import { HOUR, now } from '#platform/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { DEFAULT_LANG } from '#platform/languages.ts';
import { queueMail } from '#platform/mail.server.ts';
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
 * by signing in at the issuer, once, within 72 hours, which is mailed, too; undefined for someone who has an account
 * already, and signs in with it.
 */
export function createFirmFor(
  { firmName, email, firstName, lastName }: NewFirm,
  { isEmbedded = true }: { isEmbedded?: boolean } = {},
): Promise<string | undefined> {
  return inTransaction(async () => {
    const companyId = await createFirm({ name: firmName, phone: '', email, language: DEFAULT_LANG });
    const known = (await userByEmail(email))?.prism_guid;
    const user = known === undefined ? undefined : await userByGuid(known);
    const names = user ?? { first_name: firstName, last_name: lastName };
    const prismGuid =
      known ?? (await createUser({ email, firstName, lastName, language: DEFAULT_LANG, passwordHash: null }));
    const fullName = `${names.first_name} ${names.last_name}`.trim();
    const contactId = await createContact({ companyId, prismGuid, fullName, role: 'owner' });
    await audit({ companyId, actor: 'operator', action: 'firm.create', target: contactId });
    const newLink = async (): Promise<string> =>
      isEmbedded
        ? linkTo(DEFAULT_LANG, `reset/${await passwordToken(prismGuid)}`)
        : ownerInvitationLink(await actorOf(contactId));
    const link = known === undefined ? await newLink() : undefined;
    await queueMail(newFirmMail(await firmOf(companyId), { email, link, isEmbedded }), newId('firm'));
    return link;
  });
}

async function passwordToken(prismGuid: string): Promise<string> {
  const token = newToken();
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
