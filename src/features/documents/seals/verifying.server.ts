import { createHash } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { MINUTE } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { fairQueue, type QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { networksAround } from '#platform/http/networks.server.ts';
import type { SealFacts } from './internal/seal-check.server.ts';
import { CLOCK_TOLERANCE } from './internal/key-store.server.ts';
import { MAX_PDF_BYTES } from './preparing.server.ts';
import { publicVerification, type PublicVerification, type Verdict } from './seals.ts';
import { inSealThread, SealThreadError } from './worker.server.ts';

const CHECKS_A_MINUTE = 60;
/** The time limit for the upload of a visitor. */
const UPLOAD_TIME = MINUTE;

/** One upload of a network at a time, which is written to the disk; only some of them are then read into memory. */
const inVisitorsTurn = fairQueue({ width: 16, perPerson: 4, perFirm: 4, total: 64 });

/** A file of a visitor below this size is looked at whatever it is, and a larger one if its end looks sealed. */
const SMALL = 10_000_000;
/** Where a seal has its mark: it is the last thing that was added to a file. */
const END = 64 * 1024;
const MARKS = ['/ByteRange', '(FirmSeal)'];

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
  return verificationOf(await factsOf(bytes, user, 'firms'));
}

async function verificationOf(facts: SealFacts): Promise<SealVerification> {
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
 * know. A large file without a mark of a seal, whose digest is not recorded, has none, and is not read. Nothing stays
 * stored.
 */
export async function verifyForVisitor(upload: Readable, network: string): Promise<PublicVerification> {
  await consumeForNetwork('seals', network, CHECKS_A_MINUTE, MINUTE);
  const { prefix } = networksAround(network);
  const user = { person: prefix, firm: `visitors ${prefix}` };
  return inVisitorsTurn(user, () =>
    withTemporaryFile(async (file) => {
      const { digest, size, end } = await received(upload, file);
      const isLookedAt =
        size < SMALL || MARKS.some((mark) => end.includes(mark)) || (await recordOf(digest)) !== undefined;
      const facts = isLookedAt
        ? await factsOf(await file.readFile(), user, 'visitors')
        : { ...WITHOUT_SEAL, sha256: digest, seal: 'none' as const };
      return publicVerification.parse(await verificationOf(facts));
    }),
  );
}

/** A file that is gone once it is closed, also when the process is killed. */
async function withTemporaryFile<T>(work: (file: FileHandle) => Promise<T>): Promise<T> {
  // a node whose files are in a bucket may have no folder of data
  const folder = config.blobUrl === undefined ? config.dataDir : tmpdir();
  const name = path.join(folder, `${newId('upload')}.tmp`);
  const file = await open(name, 'wx+', 0o600);
  try {
    await unlink(name);
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Writes an upload to a file, with its digest and its last bytes. TOO_LARGE beyond 50 MB. */
async function received(
  upload: Readable,
  file: FileHandle,
): Promise<{ digest: string; size: number; end: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  let end = Buffer.alloc(0);
  const timer = setTimeout(() => upload.destroy(new PortalError('INVALID', { cause: 'slow' })), UPLOAD_TIME);
  try {
    for await (const chunk of upload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (size + chunk.length > MAX_PDF_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_PDF_BYTES });
      hash.update(chunk);
      await file.write(chunk, 0, chunk.length, size);
      size += chunk.length;
      end = Buffer.concat([end, chunk]).subarray(-END);
    }
  } finally {
    clearTimeout(timer);
  }
  return { digest: hash.digest('hex'), size, end };
}

const WITHOUT_SEAL = { coversAll: false, isClean: false, isSigned: false, timestamp: 'none' } as const;

async function factsOf(bytes: Uint8Array, user: QueueUser, whose: 'firms' | 'visitors'): Promise<SealFacts> {
  try {
    return await inSealThread(user, { kind: 'verify', bytes }, whose);
  } catch (error) {
    if (!(error instanceof SealThreadError)) throw error;
    // a file that ends the thread has no seal that could be read
    return { ...WITHOUT_SEAL, sha256: sha256(Buffer.from(bytes)), seal: 'broken' };
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
