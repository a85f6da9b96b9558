import { randomInt } from 'node:crypto';
import { firmOf } from '#features/base/firms/firms.server.ts';
import {
  isOwnContact,
  hasForeignClients,
  seesContact,
  accountsOf,
  actorOf,
  assertRecentlyAuthenticated,
} from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consume, consumeForNetwork } from '#platform/security/limits.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { networksAround } from '#platform/http/networks.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { assertManagesContacts } from '#features/identity/invitations/invitations.server.ts';
import { rescueMail } from './mails.server.ts';
import { assertGoodPassword, replacePassword } from '#features/identity/credentials/passwords.server.ts';
import { notingRefusals } from '#features/identity/credentials/refusals.server.ts';
import { forgetFactors } from '#features/identity/second-factors/second-factors.server.ts';

const LASTS = DAY;
const GROUPS = 10;
const TRIES_PER_HOUR = 5;
const NETWORK_TRIES = 60;

/** Finds the contact of the actor's own firm with this id or address; NOT_FOUND if there is none. */
export async function contactToRescue(
  actor: Actor,
  whom: { contactId: string } | { email: string },
): Promise<Actor> {
  assertManagesContacts(actor);
  const key = 'email' in whom ? await blindIndex(fold(whom.email)) : '';
  const found = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select('contacts.contact_id')
    .where(isOwnContact(actor))
    .where((e) =>
      'contactId' in whom ? e('contacts.contact_id', '=', whom.contactId) : e('users.email_key', '=', key),
    )
    .executeTakeFirst();
  if (!found) throw notFound();
  return actorOf(found.contact_id);
}

/**
 * Makes a rescue code for a contact who lost both phone and mail: ten groups of four digits to be given by
 * phone, for one day and one use. A new one replaces the previous one. STEP_UP unless recently authenticated;
 * FORBIDDEN for staff, and for people of several firms or with clients
 * that the actor does not act for: no one gives access to what they may not see.
 */
export async function issueRescueCode(
  session: Session,
  contactId: string,
): Promise<{ code: string; expiresAt: number }> {
  const { actor } = session;
  assertManagesContacts(actor);
  assertRecentlyAuthenticated(session);
  const contact = await actorOf(contactId);
  if (!(await seesContact(actor, contactId))) throw notFound();
  if ((await hasForeignClients(actor, contactId)) || !(await mayBeRescued(contact.prismGuid)))
    throw new PortalError('FORBIDDEN');
  const code = Array.from({ length: GROUPS }, () => String(randomInt(10_000)).padStart(4, '0')).join(' ');
  const expiresAt = now() + LASTS;
  const mail = rescueMail(await firmOf(actor.companyId), actor, contact, expiresAt);
  const row = { code_hash: hashOf(code), issued_by: actor.contactId, expires_at: expiresAt };
  await inTransaction(async () => {
    await db()
      .insertInto('rescue_codes')
      .values({ contact_id: contactId, prism_guid: contact.prismGuid, ...row })
      .onConflict((conflict) => conflict.column('contact_id').doUpdateSet(row))
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'rescue.issue',
      target: contactId,
    });
    await queueMail(mail, newId('rescue'));
  });
  return { code, expiresAt };
}

/**
 * True for a contact of one firm alone. Checked when a code is made and again when it is used: the person may
 * have joined another firm.
 */
async function mayBeRescued(prismGuid: string): Promise<boolean> {
  const [account, ...others] = await accountsOf(prismGuid);
  return account !== undefined && !account.staff && others.length === 0;
}

const hashOf = (code: string): string => sha256(code.replace(/\D/g, ''));

interface Rescue {
  email: string;
  code: string;
  password: string;
  network: string;
}

/**
 * Sets a new password with a rescue code, and removes the second factors, which are set up again where
 * required. SIGN_IN_FAILED alike for a wrong code, an expired one, and an unknown address; TOO_MANY after
 * five tries in an hour for one address from one network; INVALID with `password` if it is not allowed.
 */
export async function rescue(given: Rescue): Promise<void> {
  assertGoodPassword(given.password, [given.email]);
  await notingRefusals({ email: given.email }, 'rescue', () => rescueBy(given));
}

async function rescueBy({ email, code, password, network }: Rescue): Promise<void> {
  await consumeForNetwork('rescue-network', network, NETWORK_TRIES, MINUTE);
  await consume(`rescue:${sha256(`${fold(email)}|${networksAround(network).prefix}`)}`, TRIES_PER_HOUR, HOUR);
  const found = await db()
    .selectFrom('rescue_codes')
    .innerJoin('users', 'users.prism_guid', 'rescue_codes.prism_guid')
    .innerJoin('contacts', 'contacts.contact_id', 'rescue_codes.contact_id')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select(['rescue_codes.contact_id', 'rescue_codes.prism_guid', 'contacts.company_id'])
    .where('users.email_key', '=', await blindIndex(fold(email)))
    .where('rescue_codes.code_hash', '=', hashOf(code))
    .where('rescue_codes.expires_at', '>', now())
    .where('firms.locked', '=', 0)
    .executeTakeFirst();
  if (!found || !(await mayBeRescued(found.prism_guid))) throw new PortalError('SIGN_IN_FAILED');
  await replacePassword({ prismGuid: found.prism_guid, password, network }, async () => {
    if (!(await mayBeRescued(found.prism_guid))) throw new PortalError('SIGN_IN_FAILED');
    const taken = await db()
      .deleteFrom('rescue_codes')
      .where('contact_id', '=', found.contact_id)
      .where('code_hash', '=', hashOf(code))
      .executeTakeFirst();
    if (taken.numDeletedRows === 0n) throw new PortalError('SIGN_IN_FAILED');
    await forgetFactors(found.prism_guid);
    await audit({
      companyId: found.company_id,
      actor: found.contact_id,
      action: 'rescue.use',
      target: found.prism_guid,
    });
  });
}
