import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { resetLimits, consume } from '#platform/security/limits.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';
import { base32 } from './base32.ts';

/*
 * Codes of an authenticator app: RFC 6238 with SHA-1, six digits, steps of 30 seconds, one step early or
 * late. Each code works once, and an account has five tries in 15 minutes (threat-model.md T30).
 */

const STEP = 30 * SECOND;
const DIGITS = 6;
const TRIES = 5;
const TRIES_WINDOW = 15 * MINUTE;
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;

/** Computes the code of a time step (RFC 4226, section 5.3); `digits` at most 8. */
export function codeOf(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export const stepAt = (instant: number): number => Math.floor(instant / STEP);

const rowOf = async (prismGuid: string) => {
  const row = await db()
    .selectFrom('totp_secrets')
    .selectAll()
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  return (
    row && {
      ...row,
      secret: Buffer.from(decryptFrom('totp_secrets.secret', prismGuid, row.secret), 'base64url'),
    }
  );
};

/**
 * Creates the secret of an app, which becomes active once {@link acceptCode} confirmed it. An active one
 * stays: NAME_CONFLICT.
 */
export async function startTotp(prismGuid: string): Promise<void> {
  const fresh = {
    secret: encryptFor('totp_secrets.secret', prismGuid, randomBytes(SECRET_BYTES).toString('base64url')),
    last_step: 0,
    created_at: now(),
  };
  const { numInsertedOrUpdatedRows } = await db()
    .insertInto('totp_secrets')
    .values({ ...fresh, prism_guid: prismGuid, confirmed_at: null })
    .onConflict((conflict) =>
      conflict.column('prism_guid').doUpdateSet(fresh).where('totp_secrets.confirmed_at', 'is', null),
    )
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw new PortalError('NAME_CONFLICT');
}

/**
 * Returns the key in base32 and the URL of the QR code for an app being set up; undefined if there is none.
 */
export async function totpInSetUp(
  prismGuid: string,
  issuer: string,
  email: string,
): Promise<{ key: string; address: string } | undefined> {
  const row = await rowOf(prismGuid);
  if (!row || row.confirmed_at !== null) return undefined;
  const key = base32(row.secret);
  const query = new URLSearchParams({
    secret: key,
    issuer,
    algorithm: 'SHA1',
    digits: String(DIGITS),
    period: String(STEP / SECOND),
  });
  return {
    key,
    address: `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${String(query).replaceAll('+', '%20')}`,
  };
}

/**
 * Checks a code: CODE_WRONG, or TOO_MANY after five wrong ones in 15 minutes. `confirming` is for the app
 * being set up.
 */
export async function proveByTotp(prismGuid: string, code: string, confirming = false): Promise<void> {
  const limit = `totp:${prismGuid}`;
  await consume(limit, TRIES, TRIES_WINDOW);
  if (!(await acceptCode(prismGuid, code, confirming))) throw new PortalError('CODE_WRONG');
  await resetLimits(limit);
}

/** True if the code is right and was not used before: of concurrent uses, one succeeds. */
export async function acceptCode(prismGuid: string, code: string, confirming = false): Promise<boolean> {
  const row = await rowOf(prismGuid);
  if (!row || (row.confirmed_at === null) !== confirming) return false;
  const typed = Buffer.from(code.replace(/\s/g, ''));
  const current = stepAt(now());
  const step = [current - 1, current, current + 1].find((each) => {
    const right = Buffer.from(codeOf(row.secret, each));
    return each > row.last_step && typed.length === right.length && timingSafeEqual(typed, right);
  });
  if (step === undefined) return false;
  const { numUpdatedRows } = await db()
    .updateTable('totp_secrets')
    .set({ last_step: step, ...(confirming && { confirmed_at: now() }) })
    .where('prism_guid', '=', prismGuid)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function hasTotp(prismGuid: string): Promise<boolean> {
  return (
    (await db()
      .selectFrom('totp_secrets')
      .select('prism_guid')
      .where('prism_guid', '=', prismGuid)
      .where('confirmed_at', 'is not', null)
      .executeTakeFirst()) !== undefined
  );
}

/** Removes somebody's app, also one being set up; true if it was active. */
export async function removeTotp(prismGuid: string): Promise<boolean> {
  const row = await db()
    .deleteFrom('totp_secrets')
    .where('prism_guid', '=', prismGuid)
    .returning('confirmed_at')
    .executeTakeFirst();
  return row !== undefined && row.confirmed_at !== null;
}

/**
 * Returns the code that would be accepted now, for the demo, where nobody has the app; undefined if there is
 * none.
 */
export async function demoCode(prismGuid: string): Promise<string | undefined> {
  const row = await rowOf(prismGuid);
  return row && codeOf(row.secret, Math.max(stepAt(now()), row.last_step + 1));
}
