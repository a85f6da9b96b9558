import { accountsOf } from '#features/base/people/people.server.ts';
import { audit, callerNetwork } from '#platform/security/audit.server.ts';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { fold, inTransaction, withoutSync } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { consume, startOnce } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { networksAround } from '#platform/http/networks.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import { userByEmail } from './users.server.ts';

/*
 * Failed sign-ins, for the operator (log and metrics) and for the firm and the person (audit log). The person
 * is looked up by a job, so that an unknown address takes the same time (threat-model.md T33).
 */

/**
 * `failed`: a wrong proof; `locked`: too many of them, so none is checked; `refused`: the proof was right,
 * but access is denied.
 */
type Outcome = 'failed' | 'locked' | 'refused';
export type ProofKind = 'password' | 'totp' | 'recovery-code' | 'passkey' | 'rescue' | 'issuer';

/** The identity that was tried: the address as typed, or the user; neither if unknown. */
export interface Target {
  email?: string | undefined;
  prismGuid?: string | undefined;
}

/** In 15 minutes, for one address: guessing must not fill the audit log. */
const NOTED: Record<Outcome, number> = { failed: 10, locked: 1, refused: 3 };
const NOTED_WINDOW = 15 * MINUTE;

/** Runs `work`, which checks a proof of identity; a refusal is recorded before it is rethrown. */
export async function notingRefusals<T>(target: Target, how: ProofKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refused = refusal(error);
    if (refused?.code === 'SIGN_IN_FAILED' || refused?.code === 'CODE_WRONG')
      await noteRefusal('failed', target, how);
    // A network over its limit says nothing about the address typed last.
    if (refused?.code === 'TOO_MANY')
      await noteRefusal('locked', refused.details['network'] ? {} : target, how);
    throw error;
  }
}

/** Writes a refused sign-in to log, metrics and audit log. */
export async function noteRefusal(
  outcome: Outcome,
  { email, prismGuid }: Target,
  how: ProofKind,
): Promise<void> {
  const network = callerNetwork();
  const whom = prismGuid ?? (email === undefined ? undefined : fold(email));
  // whoever goes on guessing after the limit would fill the log
  if (outcome === 'locked' && whom !== undefined && !(await isFirstOfMinute(whom))) return;
  log.warn({
    event: `sign-in.${outcome}`,
    how,
    ...(whom !== undefined && { account: await digestOf(whom) }),
    ...(network !== undefined && { from: await digestOf(networksAround(network).prefix) }),
  });
  if (whom === undefined || (await isOftenNoted(outcome, whom))) return;
  await withoutSync(() => enqueue('sign-in-refused', { outcome, how, email, prismGuid, network }));
}

const isFirstOfMinute = (whom: string): Promise<boolean> =>
  startOnce(`sign-in-locked-logged:${sha256(whom)}`, MINUTE);

/** Distinguishes attempts by address and network in the log, without naming either. */
const digestOf = async (text: string): Promise<string> => (await blindIndex(`log|${text}`)).slice(0, 16);

const isOftenNoted = (outcome: Outcome, whom: string): Promise<boolean> =>
  consume(`sign-in-noted:${outcome}:${sha256(whom)}`, NOTED[outcome], NOTED_WINDOW).then(
    () => false,
    (error: unknown) => {
      if (refusal(error)?.code === 'TOO_MANY') return true;
      throw error;
    },
  );

interface Refused extends Target {
  outcome: Outcome;
  how: ProofKind;
  network?: string;
}

/** The job that writes a refused sign-in to the audit log of each account. */
export async function recordRefusal(payload: unknown): Promise<void> {
  const { outcome, how, network, ...target } = payload as Refused;
  const prismGuid = target.prismGuid ?? (await userByEmail(target.email ?? ''))?.prism_guid;
  if (prismGuid === undefined) return;
  const details = { how, ...(network !== undefined && { network }) };
  const accounts = await accountsOf(prismGuid);
  await inTransaction(async () => {
    for (const { companyId, contactId } of accounts) {
      await audit({ companyId, actor: contactId, action: `sign-in.${outcome}`, target: prismGuid, details });
    }
  });
}
