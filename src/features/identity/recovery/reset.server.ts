import { accountsOf } from '#features/base/people/people.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { consume, consumeForNetwork } from '#platform/security/limits.server.ts';
import { recordDone, recordLinkOpened } from '#platform/mail/mail-log.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { resetMail } from './mails.server.ts';
import { replacePassword } from '#features/identity/credentials/passwords.server.ts';
import { userByEmail, userByGuid } from '#features/identity/credentials/users.server.ts';

const LASTS = 30 * MINUTE;
const MAILS_PER_HOUR = 3;
const NETWORK_TRIES = 60;

/**
 * Requests a password reset mail. The address is looked up later, by a job, so that the response and its time
 * are the same for everyone (threat-model.md T33). TOO_MANY after 60 in a minute from one network; more than
 * three in an hour for one address send nothing.
 */
export async function askForReset({ email, network }: { email: string; network: string }): Promise<void> {
  await consumeForNetwork('reset-network', network, NETWORK_TRIES, MINUTE);
  const isOver = await consume(`reset:${sha256(fold(email))}`, MAILS_PER_HOUR, HOUR).then(
    () => false,
    (error: unknown) => {
      if (refusal(error)?.code === 'TOO_MANY') return true;
      throw error;
    },
  );
  if (!isOver) await enqueue('password-reset', { resetId: newId('reset'), email });
}

/** The job that sends the link, if the address is known. */
export async function sendResetLink(payload: unknown): Promise<void> {
  const { resetId, email } = payload as { resetId: string; email: string };
  const prismGuid = (await userByEmail(email))?.prism_guid;
  const user = prismGuid === undefined ? undefined : await userByGuid(prismGuid);
  if (!user || !(await accountsOf(user.prism_guid)).some(({ firmLocked }) => !firmLocked)) return;
  const token = newToken();
  const mail = await resetMail(
    { prismGuid: user.prism_guid, email: user.email, language: user.language },
    resetId,
    token,
  );
  await inTransaction(async () => {
    const known = await db()
      .selectFrom('password_resets')
      .select('reset_id')
      .where('reset_id', '=', resetId)
      .executeTakeFirst();
    if (known) return; // the job ran before, and failed to record it
    await db().deleteFrom('password_resets').where('prism_guid', '=', user.prism_guid).execute();
    await db()
      .insertInto('password_resets')
      .values({
        reset_id: resetId,
        prism_guid: user.prism_guid,
        token_hash: sha256(token),
        expires_at: now() + LASTS,
      })
      .execute();
    await queueMail(mail, resetId);
  });
}

/** Finds the user of a password reset link while it is valid, without using it. */
async function resetOf(token: string): Promise<{ prismGuid: string; companyIds: string[] } | undefined> {
  const row = await db()
    .selectFrom('password_resets')
    .select('prism_guid')
    .where('token_hash', '=', sha256(token))
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return (
    row && {
      prismGuid: row.prism_guid,
      companyIds: (await accountsOf(row.prism_guid)).map(({ companyId }) => companyId),
    }
  );
}

export const resetIsOpen = async (token: string): Promise<boolean> => (await resetOf(token)) !== undefined;

/**
 * Sets a new password by a link, once. GONE if the link is not valid (any more), INVALID with `password` if
 * it is not allowed.
 */
export async function resetPassword({
  token,
  password,
  network,
}: {
  token: string;
  password: string;
  network: string;
}): Promise<void> {
  const reset = await resetOf(token);
  if (!reset) throw new PortalError('GONE');
  await replacePassword({ prismGuid: reset.prismGuid, password, network }, async () => {
    const taken = await db()
      .deleteFrom('password_resets')
      .where('token_hash', '=', sha256(token))
      .where('expires_at', '>', now())
      .returning('reset_id')
      .executeTakeFirst();
    if (!taken) throw new PortalError('GONE');
    await recordLinkOpened(taken.reset_id);
    await recordDone([taken.reset_id]);
    for (const { companyId, contactId } of await accountsOf(reset.prismGuid))
      await audit({ companyId, actor: contactId, action: 'password.reset', target: reset.prismGuid });
  });
}

export async function sweepResets(): Promise<void> {
  await db().deleteFrom('password_resets').where('expires_at', '<', now()).execute();
  await db().deleteFrom('rescue_codes').where('expires_at', '<', now()).execute();
}
