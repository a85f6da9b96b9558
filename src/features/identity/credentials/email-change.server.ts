import { firmOf } from '#features/base/firms/firms.server.ts';
import { accountsOf, actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { emailChangeMail, emailChangeNotice } from './mails.server.ts';

/*
 * A person's email address changes when somebody opens the link that was sent to the new one. The old address is
 * told when it is requested, so that its owner can object.
 */

const LASTS = 3 * DAY;

/**
 * Sends the link to the new address, in the transaction of the caller, who checked that `requester` may change the
 * address of `person`. A later request replaces an earlier one. Whether somebody has the new address already is not
 * revealed: their link does not work.
 */
export async function startEmailChange(requester: Actor, person: Actor, email: string): Promise<void> {
  const [id, token, expiresAt] = [newId('change'), newToken(), now() + LASTS];
  const firm = await firmOf(person.companyId);
  await db().deleteFrom('email_changes').where('prism_guid', '=', person.prismGuid).execute();
  await db()
    .insertInto('email_changes')
    .values({
      change_id: id,
      company_id: person.companyId,
      prism_guid: person.prismGuid,
      email: encryptFor('email_changes.email', id, email),
      email_key: await blindIndex(fold(email)),
      token_hash: sha256(token),
      requested_by: requester.contactId,
      expires_at: expiresAt,
    })
    .execute();
  await audit({
    companyId: person.companyId,
    actor: requester.contactId,
    action: 'email.request',
    target: person.contactId,
  });
  await queueMail(emailChangeMail(firm, person, { email, token, expiresAt }), `${id}-new`);
  await queueMail(emailChangeNotice(firm, person, requester), `${id}-old`);
}

/** What the link of a change shows, without using it; undefined if it does not work (any more). */
export async function viewEmailChange(
  token: string,
): Promise<{ companyId: string; email: string; firstName: string } | undefined> {
  const change = await openChange(token);
  if (!change) return undefined;
  const { firstName } = change.person;
  return { companyId: change.row.company_id, email: change.email, firstName };
}

/** Changes the address of the link's person. GONE if it does not work (any more), or somebody has this address. */
export async function confirmEmailChange(token: string): Promise<void> {
  await inTransaction(async () => {
    const change = await openChange(token);
    if (!change) throw new PortalError('GONE');
    const { row, person, email } = change;
    await db().deleteFrom('email_changes').where('change_id', '=', row.change_id).execute();
    await db()
      .updateTable('users')
      .set({ email: encryptFor('users.email', row.prism_guid, email), email_key: row.email_key })
      .where('prism_guid', '=', row.prism_guid)
      .execute();
    // links and codes that went to the old address
    for (const table of ['password_resets', 'rescue_codes'] as const)
      await db().deleteFrom(table).where('prism_guid', '=', row.prism_guid).execute();
    await audit({
      companyId: row.company_id,
      actor: person.contactId,
      action: 'email.change',
      target: person.contactId,
    });
  });
}

async function openChange(token: string) {
  const row = await db()
    .selectFrom('email_changes')
    .innerJoin('firms', 'firms.company_id', 'email_changes.company_id')
    .leftJoin('users', 'users.email_key', 'email_changes.email_key')
    .selectAll('email_changes')
    .select('users.prism_guid as taken_by')
    .where('token_hash', '=', sha256(token))
    .where('expires_at', '>', now())
    .where('firms.locked', '=', 0)
    .executeTakeFirst();
  if (!row || (row.taken_by !== null && row.taken_by !== row.prism_guid)) return undefined;
  const accounts = await accountsOf(row.prism_guid);
  const person = accounts.find(({ companyId }) => companyId === row.company_id);
  if (!person) return undefined;
  const requester = await actorOf(row.requested_by);
  // A firm changes the address only of people who are nowhere else, and while its staff may do so.
  const isOwn = requester.prismGuid === row.prism_guid;
  if (!isOwn && (accounts.length > 1 || !canAccessPortal(requester))) return undefined;
  return { row, person, email: decryptFrom('email_changes.email', row.change_id, row.email) };
}
