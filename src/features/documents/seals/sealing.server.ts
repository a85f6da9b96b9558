import { now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { sealKeyOf } from './internal/key-store.server.ts';
import { inSealThread, SealThreadError, type SealedDifferences } from './worker.server.ts';

/** What a signer put on a page. */
export interface Stamp {
  /** From 0. */
  page: number;
  /** In hundred-thousandths of the page as shown, from its top left. */
  x: number;
  y: number;
  width: number;
  height: number;
  kind: 'signature' | 'initials' | 'date' | 'text' | 'checkbox';
  /** A checkbox is ticked unless this is empty. */
  text: string;
  /** PNG of a drawn signature. */
  image?: Uint8Array;
}

/** What the certificate pages at the end of a sealed document say. */
export interface CertificateContent {
  title: string;
  lead: string;
  sections: { title: string; rows: { label: string; value: string }[] }[];
  footer: string;
}

export interface SealInput {
  companyId: string;
  /** The bytes that the signers saw, from `preparePdf`. */
  prepared: Uint8Array;
  stamps: readonly Stamp[];
  certificate: CertificateContent;
  /** The time that the seal names. */
  signedAt: number;
  /** Seals without a timestamp although an authority is configured, because it does not answer. */
  withoutTimestamp?: boolean;
}

export interface SealedPdf {
  bytes: Uint8Array;
  sha256: string;
  /** PAdES level: B-T has the timestamp of an authority. */
  level: 'B-B' | 'B-T';
  /** Whether it has the timestamp of an authority; if not, whether none is configured or none was asked. */
  timestamp: 'included' | 'not-configured' | 'left-out';
  keyId: string;
}

/**
 * Stamps a prepared PDF, adds certificate pages, seals it with the firm's key, and verifies the result. Store what it
 * returns once, since sealing again gives other bytes, and record it with {@link recordSealed}. UNAVAILABLE if the
 * timestamp authority does not answer: try again, or seal without a timestamp. NOT_POSSIBLE with `pages` that would show
 * something else than what was signed. TOO_MANY if too many wait.
 */
export async function sealPdf(input: SealInput): Promise<SealedPdf> {
  const { companyId, prepared, stamps, certificate, signedAt, withoutTimestamp = false } = input;
  const { keyId, secret } = await sealKeyOf(companyId);
  const timestamp =
    config.timestampUrl === undefined ? 'not-configured' : withoutTimestamp ? 'left-out' : 'included';
  const timestampUrl = timestamp === 'included' ? config.timestampUrl : undefined;
  try {
    const sealed = await inSealThread(
      { person: companyId, firm: companyId },
      { kind: 'seal', prepared, stamps, certificate, signedAt, secret, timestampUrl },
    );
    return { ...sealed, level: timestamp === 'included' ? 'B-T' : 'B-B', timestamp, keyId };
  } catch (error) {
    if (error instanceof SealThreadError && error.why === 'timestamp')
      throw new PortalError('UNAVAILABLE', { cause: 'timestamp' });
    throw refused(error);
  }
}

/** A document that shows something else once it is sealed is not sealed, however often that is tried. */
const refused = (error: unknown, causes: readonly string[] = ['differs', 'undrawable']): unknown =>
  error instanceof SealThreadError && causes.includes(error.why)
    ? new PortalError('NOT_POSSIBLE', { cause: 'differs', ...error.details })
    : error;

/**
 * Checks before anybody signs that a prepared document can be sealed with these stamps: its pages show the same
 * afterwards, and each stamp can be seen. NOT_POSSIBLE with the `pages` of which that is not true; TOO_MANY.
 */
export async function assertSealable(
  user: QueueUser,
  { prepared, stamps }: Pick<SealInput, 'prepared' | 'stamps'>,
): Promise<void> {
  const pages = pagesIn(await differing(inSealThread(user, { kind: 'rehearse', prepared, stamps })));
  if (pages.length > 0) throw new PortalError('NOT_POSSIBLE', { cause: 'differs', pages });
}

/**
 * The pages, from 1, that a sealed document shows differently than the prepared one, or on which a stamp cannot be seen.
 * NOT_POSSIBLE if they cannot be compared.
 */
export async function lostPages(
  user: QueueUser,
  { prepared, sealed, stamps }: Pick<SealInput, 'prepared' | 'stamps'> & { sealed: Uint8Array },
): Promise<number[]> {
  return pagesIn(await differing(inSealThread(user, { kind: 'compare', prepared, sealed, stamps })));
}

/** The pages, from 1, that a prepared document shows differently than its original. NOT_POSSIBLE as above. */
export async function changedPages(
  user: QueueUser,
  versions: { before: Uint8Array; after: Uint8Array },
): Promise<number[]> {
  return pagesIn(await differing(inSealThread(user, { kind: 'compare-versions', ...versions })));
}

const UNCOMPARABLE = ['differs', 'undrawable', 'died', 'damaged', 'encrypted', 'restricted'];

async function differing(work: Promise<SealedDifferences>): Promise<SealedDifferences> {
  try {
    return await work;
  } catch (error) {
    throw refused(error, UNCOMPARABLE);
  }
}

const pagesIn = ({ differences, unseen }: SealedDifferences): number[] =>
  [...new Set([...differences.map(({ page }) => page), ...unseen])].toSorted((a, b) => a - b);

/**
 * Records a sealed file, in the transaction that stores it: verification then knows its digest. `title` names it to
 * those who may see it.
 */
export async function recordSealed(sealed: {
  companyId: string;
  sha256: string;
  keyId: string;
  title: string;
  taskId: string;
}): Promise<void> {
  const { companyId, sha256, keyId, title, taskId } = sealed;
  await db()
    .insertInto('sealed_files')
    .values({
      company_id: companyId,
      sha256,
      key_id: keyId,
      title: encryptFor('sealed_files.title', `${companyId}/${sha256}`, title),
      task_id: taskId,
      sealed_at: now(),
    })
    .execute();
}

/** Asks the configured authority for a timestamp; throws if it gives none. */
export async function pingTimestampAuthority(): Promise<void> {
  const { timestampUrl } = config;
  if (timestampUrl !== undefined)
    await inSealThread({ person: 'portal', firm: 'portal' }, { kind: 'timestamp', timestampUrl });
}
