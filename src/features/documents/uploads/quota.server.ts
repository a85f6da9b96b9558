import type { Actor } from '#features/base/people/people.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { ExpiringMap } from '#platform/runtime/expiring-map.server.ts';
import { consume, consumedCount } from '#platform/security/limits.server.ts';
import { spaceCounted } from './events.server.ts';

/*
 * Limits what a person may add within an hour, and what a firm may store (FIRM_QUOTA_GB). Space is reserved
 * when an upload begins, so that it can complete: by the row of a resumable upload, otherwise in this
 * process.
 */

const MAX_UPLOADS = 5000;
/** How long the sum over a firm's files is cached; later uploads in this process are added to it. */
const KNOWN_FOR = MINUTE;
const MAX_KNOWN = 1000;

/** The cached sums, by firm. */
const stored = new ExpiringMap<{ bytes: number }>(MAX_KNOWN);
/** Reserved space, by firm. */
const coming = new Map<string, number>();

const uploadsOf = ({ contactId }: Actor): string => `uploads:${contactId}`;

/** Throws TOO_MANY after 5,000 documents within an hour. */
export async function assertMayUpload(actor: Actor): Promise<void> {
  if ((await consumedCount(uploadsOf(actor))) >= MAX_UPLOADS)
    throw new PortalError('TOO_MANY', { retryAfter: HOUR / 1000 });
}

/** Counts a document that a person adds, in the open transaction; TOO_MANY as in {@link assertMayUpload}. */
export async function countUpload(actor: Actor): Promise<void> {
  await consume(uploadsOf(actor), MAX_UPLOADS, HOUR);
}

/** Throws QUOTA if `bytes` more exceed the firm's quota. */
export async function assertRoomOfFirm(companyId: string, bytes: number): Promise<void> {
  assertFits(companyId, (await usedBytesOf(companyId)) + bytes);
}

/** What is stored is counted last: an upload that completes meanwhile may count twice, but is never left out. */
const usedBytesOf = async (companyId: string): Promise<number> =>
  (await announcedBy(companyId)) + (await storedBytesOf(companyId));

function assertFits(companyId: string, bytes: number): void {
  if (bytes + (coming.get(companyId) ?? 0) > config.firmQuota)
    throw new PortalError('QUOTA', { most: config.firmQuota });
}

/** Reserves space for an upload, and returns the function to release it; QUOTA if there is not enough. */
export async function reserveQuota(companyId: string, bytes: number): Promise<() => void> {
  const used = await usedBytesOf(companyId);
  assertFits(companyId, used + bytes); // and reserved in the same turn, or two would get the same space
  const reserve = (more: number): void => void coming.set(companyId, (coming.get(companyId) ?? 0) + more);
  reserve(bytes);
  return () => {
    reserve(-bytes);
    if (coming.get(companyId) === 0) coming.delete(companyId);
  };
}

/** Adds a stored file of so many bytes to the cached sum. */
export function noteStored(companyId: string, bytes: number): void {
  const known = stored.get(companyId);
  if (known) known.bytes += bytes;
}

async function storedBytesOf(companyId: string): Promise<number> {
  const known = stored.get(companyId);
  if (known) return known.bytes;
  let bytes = (await sumOf(companyId, 'current')) + (await sumOf(companyId, 'in trash'));
  await spaceCounted.announce({ companyId, add: (more) => void (bytes += more) });
  stored.set(companyId, { bytes }, KNOWN_FOR);
  return bytes;
}

/** By client, to match the indexes. */
async function sumOf(companyId: string, which: 'current' | 'in trash'): Promise<number> {
  const clients = db().selectFrom('clients').select('client_id').where('company_id', '=', companyId);
  const { bytes } = await db()
    .selectFrom('documents')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'))
    .where('client_id', 'in', clients)
    .where('deleted_at', which === 'current' ? 'is' : 'is not', null)
    .where('purged_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** The announced sizes of a firm's open resumable uploads. */
async function announcedBy(companyId: string): Promise<number> {
  const { bytes } = await db()
    .selectFrom('uploads')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'))
    .where('company_id', '=', companyId)
    .where('document_id', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow();
  return Number(bytes);
}
