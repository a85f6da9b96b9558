import {
  accountsOf,
  assertRecentlyAuthenticated,
  endSessionsOf,
  needsSecondStep,
} from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { resetLimits, consume } from '#platform/security/limits.server.ts';
import { hashSecret, secretMatches } from '#platform/security/passwords.server.ts';
import type { Proof } from './second-factors.ts';
import { noteAndTell, noteAndTellUser } from './notices.server.ts';
import {
  passkeysOf,
  passkeysWork,
  proveByPasskey,
  addPasskey,
  removePasskey,
  type Passkey,
} from './passkeys.server.ts';
import { assertGoodPassword, wordsAbout } from '#features/identity/credentials/passwords.server.ts';
import { forgetPendingOf, notePendingProof, pendingSignIn, type PendingSignIn } from './pending.server.ts';
import {
  forgetRecoveryCodes,
  makeRecoveryCodes,
  proveByRecoveryCode,
  recoveryCodesLeft,
} from './recovery-codes.server.ts';
import { notingRefusals } from '#features/identity/credentials/refusals.server.ts';
import { passwordOf, userByGuid } from '#features/identity/credentials/users.server.ts';
import { hasTotp, proveByTotp, removeTotp, startTotp, totpInSetUp } from './totp.server.ts';

/*
 * Changes of one's own second factors. While signed in, changes that would do harm in the wrong hands require
 * a fresh proof (threat-model.md T35); while signing in, only a person who must have a second factor and has
 * none may set one up.
 */

const PASSWORD_TRIES = 10;
const PASSWORD_WINDOW = 15 * MINUTE;

export interface Factors {
  totp: boolean;
  passkeys: Passkey[];
  codesLeft: number;
}

export async function factorsOf(prismGuid: string): Promise<Factors> {
  return {
    totp: await hasTotp(prismGuid),
    passkeys: await passkeysOf(prismGuid),
    codesLeft: await recoveryCodesLeft(prismGuid),
  };
}

/** True if a second factor can be requested. Recovery codes alone do not count: they are a substitute. */
export async function hasFactor(prismGuid: string): Promise<boolean> {
  return (await hasTotp(prismGuid)) || (passkeysWork() && (await passkeysOf(prismGuid)).length > 0);
}

/** Checks a proof of somebody and returns its methods (RFC 8176); CODE_WRONG or TOO_MANY. */
export const prove = (prismGuid: string, proof: Proof, challenge: string | undefined): Promise<string[]> =>
  notingRefusals({ prismGuid }, proof.kind, () => proveBy(prismGuid, proof, challenge));

async function proveBy(prismGuid: string, proof: Proof, challenge: string | undefined): Promise<string[]> {
  if (proof.kind === 'password') {
    await provePassword(prismGuid, proof.password);
    return ['pwd'];
  }
  if (proof.kind === 'passkey') {
    await proveByPasskey(proof.credential, challenge, prismGuid);
    return ['pop', 'user', 'mfa'];
  }
  if (proof.kind === 'totp') await proveByTotp(prismGuid, proof.code);
  else {
    await proveByRecoveryCode(prismGuid, proof.code);
    await noteAndTellUser('codeUsed', prismGuid);
  }
  return ['otp', 'mfa'];
}

/**
 * Checks a proof of somebody already signed in. People with a second factor must use it: a password alone,
 * which somebody may have seen, reveals no recovery codes. MFA_AUTHENTICATION_REQUIRED; FORBIDDEN with an
 * external issuer, which asks for the proofs; otherwise as in {@link prove}.
 */
export async function proveAgain(
  prismGuid: string,
  proof: Proof,
  challenge: string | undefined,
): Promise<string[]> {
  if (config.oidc) throw new PortalError('FORBIDDEN');
  if (proof.kind === 'password' && (await hasFactor(prismGuid)))
    throw new PortalError('MFA_AUTHENTICATION_REQUIRED');
  return prove(prismGuid, proof, challenge);
}

async function provePassword(prismGuid: string, password: string): Promise<void> {
  const limit = `password:${prismGuid}`;
  await consume(limit, PASSWORD_TRIES, PASSWORD_WINDOW);
  if (!(await secretMatches(password, await passwordOf(prismGuid)))) throw new PortalError('CODE_WRONG');
  await resetLimits(limit);
}

/**
 * Finds the sign-in that may set up its first second factor: its password was right, and no other factor
 * exists.
 */
export async function signInToSetUp(token: string | undefined): Promise<PendingSignIn | undefined> {
  const pending = await pendingSignIn(token);
  return pending && (pending.amr.includes('mfa') || !(await hasFactor(pending.prismGuid)))
    ? pending
    : undefined;
}

export type NewFactor =
  | { kind: 'totp'; code: string }
  | { kind: 'passkey'; name: string; credential: string; challenge: string | undefined };

async function addFactor(prismGuid: string, factor: NewFactor): Promise<string[] | undefined> {
  if (factor.kind === 'totp') await proveByTotp(prismGuid, factor.code, true);
  else await addPasskey(prismGuid, factor.name, factor.credential, factor.challenge);
  return (await recoveryCodesLeft(prismGuid)) === 0 ? makeRecoveryCodes(prismGuid) : undefined;
}

/**
 * Adds the first second factor during a sign-in, records that it was proved with it, and returns the recovery
 * codes.
 */
export async function addFactorAtSignIn(token: string, factor: NewFactor): Promise<string[]> {
  const pending = await signInToSetUp(token);
  if (!pending || pending.amr.includes('mfa')) throw new PortalError('SIGN_IN_FAILED');
  const codes = (await addFactor(pending.prismGuid, factor)) ?? [];
  await notePendingProof(token, [
    ...pending.amr,
    ...(factor.kind === 'totp' ? ['otp'] : ['pop', 'user']),
    'mfa',
  ]);
  await noteAndTellUser('factorAdded', pending.prismGuid);
  return codes;
}

/** Starts to set up an authenticator app while signing in. */
export async function startTotpAtSignIn(token: string): Promise<void> {
  const pending = await signInToSetUp(token);
  if (!pending || pending.amr.includes('mfa')) throw new PortalError('SIGN_IN_FAILED');
  await startTotp(pending.prismGuid);
}

/**
 * Returns the app being set up: its key, and the URL of the QR code, named after the firm; undefined if there
 * is none.
 */
export async function totpToScan(
  prismGuid: string,
  firmName: string,
): Promise<{ key: string; address: string } | undefined> {
  const user = await userByGuid(prismGuid);
  return user && totpInSetUp(prismGuid, firmName, user.email);
}

/** Starts to set up an authenticator app. STEP_UP, or NAME_CONFLICT if there is one. */
export async function startOwnTotp(session: Session): Promise<void> {
  assertRecentlyAuthenticated(session);
  await startTotp(session.actor.prismGuid);
}

/** Adds a second factor; returns recovery codes if there were none. STEP_UP, CODE_WRONG, TOO_MANY. */
export async function addOwnFactor(session: Session, factor: NewFactor): Promise<string[] | undefined> {
  assertRecentlyAuthenticated(session);
  const codes = await addFactor(session.actor.prismGuid, factor);
  await noteAndTell('factorAdded', session.actor);
  return codes;
}

/**
 * Removes the app (`totp`) or a passkey by its id. STEP_UP; LOCKED if it is the last one and the firm
 * requires a second factor.
 */
export async function removeOwnFactor(session: Session, id: string): Promise<void> {
  assertRecentlyAuthenticated(session);
  const { prismGuid } = session.actor;
  await inTransaction(async () => {
    const removed = id === 'totp' ? await removeTotp(prismGuid) : await removePasskey(prismGuid, id);
    if (!removed) throw notFound();
    const isLast = !(await hasFactor(prismGuid));
    if (isLast && (await needsSecondStep(prismGuid))) throw new PortalError('LOCKED');
    if (isLast) await forgetRecoveryCodes(prismGuid);
    await noteAndTell('factorRemoved', session.actor);
  });
}

/**
 * Creates ten new recovery codes and invalidates the old ones. STEP_UP; NOT_FOUND for people without a second
 * factor.
 */
export async function renewOwnCodes(session: Session): Promise<string[]> {
  assertRecentlyAuthenticated(session);
  if (!(await hasFactor(session.actor.prismGuid))) throw notFound();
  const codes = await makeRecoveryCodes(session.actor.prismGuid);
  await noteAndTell('codesMade', session.actor);
  return codes;
}

/**
 * Changes the password and ends all other sessions. STEP_UP, CODE_WRONG for the old password, INVALID with
 * the reason why the new one is refused.
 */
export async function changePassword(
  session: Session,
  { current, next }: { current: string; next: string },
): Promise<void> {
  assertRecentlyAuthenticated(session);
  const { prismGuid } = session.actor;
  await provePassword(prismGuid, current);
  assertGoodPassword(next, await wordsAbout(prismGuid));
  if (next.normalize('NFC') === current.normalize('NFC'))
    throw new PortalError('INVALID', { password: 'same' });
  const hash = await hashSecret(next);
  await inTransaction(async () => {
    await db()
      .updateTable('users')
      .set({ password_hash: hash })
      .where('prism_guid', '=', prismGuid)
      .execute();
    await endSessionsOf(prismGuid, session.id);
    await forgetPendingOf(prismGuid);
    await noteAndTell('passwordChanged', session.actor);
  });
}

/**
 * The company whose theme the pages of the second step have: the first of somebody's firms that is not
 * locked.
 */
export async function firmOfPending({ prismGuid }: PendingSignIn): Promise<string | undefined> {
  const accounts = await accountsOf(prismGuid);
  return (accounts.find(({ firmLocked }) => !firmLocked) ?? accounts[0])?.companyId;
}

/** The name under which the device stores a new passkey: the person's email address. */
export const userNameOf = async (prismGuid: string): Promise<string> =>
  (await userByGuid(prismGuid))?.email ?? '';

/** Tells whether somebody has a password. */
export const hasPassword = async (prismGuid: string): Promise<boolean> =>
  (await passwordOf(prismGuid)) !== null;

/**
 * Removes all second factors and recovery codes of a user: for people who lost all of them and were let in by
 * the firm.
 */
export async function forgetFactors(prismGuid: string): Promise<void> {
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'] as const)
    await db().deleteFrom(table).where('prism_guid', '=', prismGuid).execute();
}
