import { firmOf } from '#features/firms/firms.server.ts';
import { accountsOf, endSessionsOf } from '#features/people/people.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { queueMail } from '#platform/mail.server.ts';
import { hashSecret } from '#platform/passwords.server.ts';
import { isCommon } from './common-passwords.server.ts';
import { forgetGuesses } from './brute-force.server.ts';
import { changedMail } from './mails.server.ts';
import { passwordProblem } from './rules.ts';
import { userByGuid } from './users.server.ts';

/**
 * INVALID with the reason in `password` (see passwordProblem) unless this may be the password of somebody
 * with these names, address and firms.
 */
export function assertGoodPassword(password: string, words: readonly string[]): void {
  const problem = passwordProblem(password, { words, isCommon });
  if (problem) throw new PortalError('INVALID', { password: problem });
}

/** The words that a person's password may not be made of. */
export async function wordsAbout(prismGuid: string): Promise<string[]> {
  const user = await userByGuid(prismGuid);
  const firms = await Promise.all((await accountsOf(prismGuid)).map(({ companyId }) => firmOf(companyId)));
  return user ? [user.first_name, user.last_name, user.email, ...firms.map(({ name }) => name)] : [];
}

/**
 * Gives a person another password in place of one that was lost. `prove` runs in the same transaction and
 * throws where the proof was used up meanwhile. Every session and every other link to a new password ends,
 * wrong guesses are forgotten, a mail tells it. Nobody is signed in by it, and no second step is left out.
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
