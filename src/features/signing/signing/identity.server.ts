import { randomInt, timingSafeEqual } from 'node:crypto';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { hasTotp, proveByTotp } from '#features/identity/second-factors/totp.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { consume, resetLimits } from '#platform/security/limits.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { addEvidence } from './evidence.server.ts';
import type { Signer, SigningRow } from './internal/rows.server.ts';
import { codeMail } from './mails.server.ts';
import type { IdentityCheck } from './signing.ts';

interface Person {
  signing: SigningRow;
  signer: Signer;
  /** The user of somebody with an account. */
  prismGuid: string | undefined;
}

/** What a check has found out, for the evidence. It says only what was done. */
interface Proof {
  method: IdentityCheck;
  detail: string;
}

/**
 * A way to check who signs, besides their account or link. Other services can be added here; the evidence shows what
 * they return and nothing else.
 */
interface IdentityProvider {
  /** Whether a code has to be entered. */
  asksForCode: boolean;
  /** Starts the check, such as by sending a code. */
  start?: (person: Person) => Promise<void>;
  /** Returns what was checked; undefined for nothing. CODE_WRONG, TOO_MANY. */
  check: (person: Person, code: string) => Promise<Proof | undefined>;
}

const CODE_LASTS = 15 * MINUTE;
const TRIES = 5;

export const IDENTITY_PROVIDERS: Record<IdentityCheck, IdentityProvider> = {
  none: { asksForCode: false, check: () => Promise.resolve(undefined) },
  'mail-code': { asksForCode: true, start: mailCode, check: checkMailedCode },
  totp: {
    asksForCode: true,
    check: async ({ prismGuid }, code) => {
      if (prismGuid === undefined || !(await hasTotp(prismGuid)))
        throw new PortalError('MFA_AUTHENTICATION_REQUIRED');
      await proveByTotp(prismGuid, code);
      return { method: 'totp', detail: 'totp' };
    },
  },
};

/** Mails a code of six digits to the signer. */
async function mailCode({ signing, signer }: Person): Promise<void> {
  await consume(`sign-code:${signer.signerId}`, TRIES, HOUR);
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  await inTransaction(async () => {
    await db()
      .updateTable('signers')
      .set({
        mailed_code: encryptFor('signers.mailed_code', signer.signerId, code),
        mailed_code_until: now() + CODE_LASTS,
      })
      .where('signer_id', '=', signer.signerId)
      .execute();
    await addEvidence(signing.signing_id, 'code-mailed', {
      signerId: signer.signerId,
      data: { to: signer.email },
    });
    await queueMail(
      codeMail({
        signing,
        signer,
        firm: await firmOf(signing.company_id),
        lang: languageOf(signer.language) ?? DEFAULT_LANG,
        token: undefined,
        code,
        minutes: CODE_LASTS / MINUTE,
      }),
      `sign-code-${signer.signerId}-${now()}`,
    );
  });
}

/** Whether a mailed code can be entered now. */
export async function isCodeMailed(signerId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('signers')
    .select('mailed_code_until')
    .where('signer_id', '=', signerId)
    .executeTakeFirst();
  return (row?.mailed_code_until ?? 0) > now();
}

async function checkMailedCode({ signer }: Person, typed: string): Promise<Proof> {
  const limit = `sign-code-try:${signer.signerId}`;
  await consume(limit, TRIES, CODE_LASTS);
  const row = await db()
    .selectFrom('signers')
    .select(['mailed_code', 'mailed_code_until'])
    .where('signer_id', '=', signer.signerId)
    .executeTakeFirstOrThrow();
  const code =
    row.mailed_code === null || (row.mailed_code_until ?? 0) <= now()
      ? undefined
      : decryptFrom('signers.mailed_code', signer.signerId, row.mailed_code);
  if (code === undefined || !sameText(code, typed.replaceAll(/\s/gu, '')))
    throw new PortalError('CODE_WRONG');
  await db()
    .updateTable('signers')
    .set({ mailed_code: null, mailed_code_until: null })
    .where('signer_id', '=', signer.signerId)
    .execute();
  await resetLimits(limit);
  return { method: 'mail-code', detail: signer.email };
}

/** Compares without revealing by its duration where two texts differ. */
export function sameText(expected: string, typed: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(typed)];
  return one.length === other.length && timingSafeEqual(one, other);
}
