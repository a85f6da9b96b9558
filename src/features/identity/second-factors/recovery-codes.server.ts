import { randomBytes } from 'node:crypto';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { resetLimits, consume } from '#platform/security/limits.server.ts';
import { base32 } from './base32.ts';

const COUNT = 10;
/** 120 bits, 24 letters, which cannot be guessed, so a plain digest protects it (threat-model.md T31). */
const BYTES = 15;
const TRIES = 10;
const TRIES_WINDOW = 15 * MINUTE;

/** Bound to its owner, so that the digest of one person's code matches nobody else's. */
const digestOf = (prismGuid: string, code: string): string =>
  sha256(`${prismGuid}/${code.replace(/[\s-]/g, '').toUpperCase()}`);

/** Creates ten new codes, each for one use, and invalidates earlier ones. They can be read here only. */
export async function makeRecoveryCodes(prismGuid: string): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () => base32(randomBytes(BYTES)));
  await inTransaction(async () => {
    await forgetRecoveryCodes(prismGuid);
    await db()
      .insertInto('recovery_codes')
      .values(
        codes.map((code) => ({
          code_hash: digestOf(prismGuid, code),
          prism_guid: prismGuid,
          created_at: now(),
        })),
      )
      .execute();
  });
  return codes;
}

/**
 * Uses a code: CODE_WRONG, or TOO_MANY after ten wrong ones in 15 minutes. Of concurrent uses one succeeds.
 */
export async function proveByRecoveryCode(prismGuid: string, code: string): Promise<void> {
  const limit = `recovery-code:${prismGuid}`;
  await consume(limit, TRIES, TRIES_WINDOW);
  const { numDeletedRows } = await db()
    .deleteFrom('recovery_codes')
    .where('code_hash', '=', digestOf(prismGuid, code))
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new PortalError('CODE_WRONG');
  await resetLimits(limit);
}

export async function recoveryCodesLeft(prismGuid: string): Promise<number> {
  const { count } = await db()
    .selectFrom('recovery_codes')
    .select((e) => e.fn.countAll<number | bigint | string>().as('count'))
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function forgetRecoveryCodes(prismGuid: string): Promise<void> {
  await db().deleteFrom('recovery_codes').where('prism_guid', '=', prismGuid).execute();
}
