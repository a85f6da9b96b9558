import { MINUTE } from '#platform/clock.server.ts';
import { sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import type { QueueUser } from '#platform/fair-queue.server.ts';
import { consumeForNetwork } from '#platform/limits.server.ts';
import type { SealFacts } from './internal/seal-check.server.ts';
import { CLOCK_TOLERANCE } from './internal/key-store.server.ts';
import { MAX_PDF_BYTES } from './preparing.server.ts';
import { inSealThread, SealThreadError } from './worker.server.ts';

const CHECKS_A_MINUTE = 10;

/**
 * `unchanged`: exactly the file that the portal sealed. `changed`: its seal does not fit its bytes. `unrecorded`: the
 * seal is good, but the portal has no record of a file with exactly these bytes. `unknown`: no seal of this portal.
 */
export type Verdict = 'unchanged' | 'changed' | 'unrecorded' | 'unknown';

export const CHECKS = ['record', 'coverage', 'signature', 'certificate', 'timestamp'] as const;
export type Check = (typeof CHECKS)[number];

/**
 * What verification cannot tell: whether others trust the certificate of the firm, or whether its issuer has revoked
 * it; the time of a seal without a timestamp; whether others trust the timestamp authority.
 */
export type NotChecked = 'trust' | 'revocation' | 'time' | 'authority';

export interface SealVerification {
  verdict: Verdict;
  sha256: string;
  /** The firm whose certificate is in the seal. */
  firm?: string;
  companyId?: string;
  keyId?: string;
  /** The time that the seal names, and that of its timestamp. */
  sealedAt?: number;
  timestampAt?: number;
  timestampBy?: string;
  /** From the record: for those who may see the task only. */
  title?: string;
  taskId?: string;
  checks: { check: Check; result: 'passed' | 'failed' | 'none' }[];
  notChecked: NotChecked[];
}

/**
 * Verifies whether a file is one that this portal sealed, byte for byte. Checks its digest against the record, that
 * one seal covers the whole file, its signature, that its certificate was the firm's at that time, and its timestamp
 * if it has one. TOO_LARGE beyond 50 MB; TOO_MANY if too many wait.
 */
export async function verifySealedPdf(
  bytes: Uint8Array,
  user: QueueUser = { person: 'portal', firm: 'portal' },
): Promise<SealVerification> {
  if (bytes.length > MAX_PDF_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_PDF_BYTES });
  const facts = await factsOf(bytes, user);
  const key = facts.certificate && (await keyWith(facts.certificate, facts.signedAt));
  const record = await recordOf(facts.sha256);
  const checks = checksOf(facts, {
    isRecorded: record !== undefined,
    isOfThatTime: key?.isOfThatTime === true,
  });
  const companyId = record?.company_id ?? key?.company_id;
  const keyId = record?.key_id ?? key?.key_id;
  const { signedAt: sealedAt, timestampAt, timestampBy } = facts;
  return {
    verdict: verdictOf(facts, checks, key !== undefined),
    sha256: facts.sha256,
    ...(companyId !== undefined && { companyId, firm: await firmName(companyId) }),
    ...(keyId !== undefined && { keyId }),
    ...(sealedAt !== undefined && { sealedAt }),
    ...(timestampAt !== undefined && { timestampAt }),
    ...(timestampBy !== undefined && { timestampBy }),
    ...(record && {
      title: decryptFrom('sealed_files.title', `${record.company_id}/${record.sha256}`, record.title),
      taskId: record.task_id,
    }),
    checks,
    notChecked: [
      'trust',
      ...(key?.origin === 'loaded' ? (['revocation'] as const) : []),
      facts.timestamp === 'none' ? 'time' : 'authority',
    ],
  };
}

/** Does the same for visitors, at most ten times a minute from one network. */
export async function verifyForVisitor(bytes: Uint8Array, network: string): Promise<SealVerification> {
  await consumeForNetwork('seals', network, CHECKS_A_MINUTE, MINUTE);
  return verifySealedPdf(bytes, { person: network, firm: 'visitors' });
}

async function factsOf(bytes: Uint8Array, user: QueueUser): Promise<SealFacts> {
  try {
    return await inSealThread(user, { kind: 'verify', bytes });
  } catch (error) {
    if (!(error instanceof SealThreadError)) throw error;
    // a file that ends the thread has no seal that could be read
    return {
      sha256: sha256(Buffer.from(bytes)),
      seal: 'broken',
      coversAll: false,
      isClean: false,
      isSigned: false,
      timestamp: 'none',
    };
  }
}

/** The seal key with this certificate; a certificate may have been in use more than once. */
async function keyWith(certificate: Uint8Array, signedAt: number | undefined) {
  const rows = await db()
    .selectFrom('seal_keys')
    .select(['key_id', 'company_id', 'origin', 'created_at', 'replaced_at'])
    .where('fingerprint', '=', sha256(Buffer.from(certificate)))
    .orderBy('created_at')
    .execute();
  const ofThatTime = rows.find(
    ({ created_at: from, replaced_at: until }) =>
      signedAt !== undefined &&
      signedAt >= from - CLOCK_TOLERANCE &&
      signedAt <= (until ?? Infinity) + CLOCK_TOLERANCE,
  );
  const found = ofThatTime ?? rows[0];
  return found && { ...found, isOfThatTime: ofThatTime !== undefined };
}

const recordOf = (digest: string) =>
  db().selectFrom('sealed_files').selectAll().where('sha256', '=', digest).executeTakeFirst();

async function firmName(companyId: string): Promise<string> {
  const { name } = await db()
    .selectFrom('firms')
    .select('name')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return name;
}

function checksOf(
  { coversAll, isClean, isSigned, timestamp }: SealFacts,
  { isRecorded, isOfThatTime }: { isRecorded: boolean; isOfThatTime: boolean },
): SealVerification['checks'] {
  const result = (passed: boolean) => (passed ? 'passed' : 'failed');
  return [
    { check: 'record', result: result(isRecorded) },
    { check: 'coverage', result: result(coversAll && isClean) },
    { check: 'signature', result: result(isSigned) },
    { check: 'certificate', result: result(isOfThatTime) },
    { check: 'timestamp', result: timestamp === 'none' ? 'none' : result(timestamp === 'valid') },
  ];
}

function verdictOf(facts: SealFacts, checks: SealVerification['checks'], isOurs: boolean): Verdict {
  const failed = checks.filter(({ result }) => result === 'failed').map(({ check }) => check);
  if (failed.length === 0) return 'unchanged';
  if (facts.seal === 'broken') return 'changed';
  if (!isOurs) return 'unknown';
  return failed.every((check) => check === 'record') ? 'unrecorded' : 'changed';
}
