import { accountsOf, endSessionsOf } from '#features/base/people/people.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { linkTo } from '#features/identity/credentials/mails.server.ts';
import { ownerResetMail } from './mails.server.ts';
import { forgetPendingOf } from '#features/identity/second-factors/pending.server.ts';
import { forgetFactors } from '#features/identity/second-factors/second-factors.server.ts';
import { userByEmail, userByGuid } from '#features/identity/credentials/users.server.ts';

const LASTS = HOUR;

/**
 * Resets the access of a staff member who lost password, phone and codes, for the operator: returns a link
 * that sets a new password once, within an hour. Until then no one can sign in as them: password, second
 * factors and sessions are removed. They are notified by mail, and it is in the audit log of their firms.
 * Undefined if the address belongs to no staff; contacts are helped by their firm.
 */
export async function resetOwner(email: string): Promise<string | undefined> {
  const prismGuid = (await userByEmail(email))?.prism_guid;
  const user = prismGuid === undefined ? undefined : await userByGuid(prismGuid);
  const accounts = user ? await accountsOf(user.prism_guid) : [];
  if (!user || !accounts.some(({ staff }) => staff)) return undefined;
  const token = newToken();
  const reader = { prismGuid: user.prism_guid, email: user.email, language: user.language };
  const notice = await ownerResetMail(reader);
  const reset = {
    reset_id: newId('reset'),
    prism_guid: user.prism_guid,
    token_hash: sha256(token),
    expires_at: now() + LASTS,
  };
  await inTransaction(async () => {
    await db()
      .updateTable('users')
      .set({ password_hash: null })
      .where('prism_guid', '=', user.prism_guid)
      .execute();
    await db().deleteFrom('password_resets').where('prism_guid', '=', user.prism_guid).execute();
    await db().insertInto('password_resets').values(reset).execute();
    await forgetFactors(user.prism_guid);
    await forgetPendingOf(user.prism_guid);
    await endSessionsOf(user.prism_guid);
    for (const { companyId } of accounts) {
      await audit({ companyId, actor: 'operator', action: 'owner.reset', target: user.prism_guid });
    }
    await queueMail(notice, newId('reset'));
  });
  return linkTo(languageOf(user.language) ?? DEFAULT_LANG, `reset/${token}`);
}
