import type { Readable } from 'node:stream';
import { MINUTE } from '#platform/clock.server.ts';
import { sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { fairQueue, type QueueUser } from '#platform/fair-queue.server.ts';
import { consumeForNetwork } from '#platform/limits.server.ts';
import type { SealFacts } from './internal/seal-check.server.ts';
import { CLOCK_TOLERANCE } from './internal/key-store.server.ts';
import { MAX_PDF_BYTES } from './preparing.server.ts';
import { publicVerification, type PublicVerification, type Verdict } from './seals.ts';
import { inSealThread, SealThreadError } from './worker.server.ts';

const CHECKS_A_MINUTE = 60;
/** The time limit for the upload of a visitor. */
const UPLOAD_TIME = MINUTE;

/** Two uploads of visitors at a time, so that they do not fill the memory. */
const inVisitorsTurn = fairQueue({ width: 2, perPerson: 2, perFirm: 2, total: 16 });

/** The result of a verification, with what only those may know who may see the task. */
export interface SealVerification extends PublicVerification {
  /** The firm whose certificate is in the seal. */
  companyId?: string;
  keyId?: string;
  /** From the record. */
  title?: string;
  taskId?: string;
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

/**
 * Does the same for the upload of a visitor, at most 60 times a minute from one network, and returns what anyone may
 * know. Nothing is stored.
 */
export async function verifyForVisitor(upload: Readable, network: string): Promise<PublicVerification> {
  await consumeForNetwork('seals', network, CHECKS_A_MINUTE, MINUTE);
  return inVisitorsTurn({ person: network, firm: network }, async () => {
    const bytes = await bytesOf(upload);
    const found = await verifySealedPdf(bytes, { person: network, firm: 'visitors' });
    return publicVerification.parse(found);
  });
}

async function bytesOf(upload: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => upload.destroy(new PortalError('INVALID', { cause: 'slow' })), UPLOAD_TIME);
  try {
    for await (const chunk of upload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_PDF_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_PDF_BYTES });
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
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
