import { firmOf } from '#features/base/firms/firms.server.ts';
import { accountsOf, endSessionsOf } from '#features/base/people/people.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { isCommon } from './common-passwords.server.ts';
import { forgetGuesses } from './brute-force.server.ts';
import { changedMail } from './mails.server.ts';
import { passwordProblem } from './rules.ts';
import { userByGuid } from './users.server.ts';

/**
 * Throws INVALID with the reason in `password` (see passwordProblem) if somebody with these names, address
 * and firms may not use this password.
 */
export function assertGoodPassword(password: string, words: readonly string[]): void {
  const problem = passwordProblem(password, { words, isCommon });
  if (problem) throw new PortalError('INVALID', { password: problem });
}

/** The words of which a person's password may not consist. */
export async function wordsAbout(prismGuid: string): Promise<string[]> {
  const user = await userByGuid(prismGuid);
  const firms = await Promise.all((await accountsOf(prismGuid)).map(({ companyId }) => firmOf(companyId)));
  return user ? [user.first_name, user.last_name, user.email, ...firms.map(({ name }) => name)] : [];
}

/**
 * Replaces a lost password. `prove` runs in the same transaction and throws if the proof was used meanwhile.
 * Ends all sessions and other password reset links, resets wrong attempts, and notifies the owner by mail.
 * Nobody is signed in by it, and no second factor is skipped.
 */
export async function replacePassword(
  { prismGuid, password, network }: { prismGuid: string; password: string; network: string },
  prove: () => Promise<void>,
): Promise<void> {
  assertGoodPassword(password, await wordsAbout(prismGuid));
  const hash = await hashSecret(password);
  const user = await userByGuid(prismGuid);
  if (!user) throw new PortalError('GONE');
  const notice = await changedMail({ prismGuid, email: user.email, language: user.language });
  await inTransaction(async () => {
    await prove();
    await db()
      .updateTable('users')
      .set({ password_hash: hash })
      .where('prism_guid', '=', prismGuid)
      .execute();
    await db().deleteFrom('password_resets').where('prism_guid', '=', prismGuid).execute();
    await db().deleteFrom('rescue_codes').where('prism_guid', '=', prismGuid).execute();
    await endSessionsOf(prismGuid);
    await forgetGuesses({ email: user.email, network }, prismGuid);
    await queueMail(notice, newId('changed'));
  });
}
