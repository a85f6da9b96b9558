import type { Actor } from '#features/people/people.ts';
import { HOUR, MINUTE, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { db } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { consume, consumedCount } from '#platform/limits.server.ts';

/*
 * How much a person may add within an hour, and how much a firm may keep (FIRM_QUOTA_GB). Room is reserved
 * when an upload begins, so that what has begun comes to its end: by the row of an upload in parts, else in
 * this process.
 */

const MAX_UPLOADS = 5000;
/** So long the sum over a firm's documents is believed, besides what came in here since. */
const KNOWN_FOR = MINUTE;
const MAX_KNOWN = 1000;

const kept = new Map<string, { bytes: number; until: number }>();
const coming = new Map<string, number>();

const uploadsOf = ({ contactId }: Actor): string => `uploads:${contactId}`;

/** TOO_MANY for who added 5,000 documents within an hour. */
export async function assertMayUpload(actor: Actor): Promise<void> {
  if ((await consumedCount(uploadsOf(actor))) >= MAX_UPLOADS)
    throw new PortalError('TOO_MANY', { retryAfter: HOUR / 1000 });
}

/**
 * Counts a document that a person adds, as part of the open transaction; TOO_MANY as {@link assertMayUpload}.
 */
export async function countUpload(actor: Actor): Promise<void> {
  await consume(uploadsOf(actor), MAX_UPLOADS, HOUR);
}

/** QUOTA where `bytes` more are more than the firm may keep. */
export async function assertRoomOfFirm(companyId: string, bytes: number): Promise<void> {
  const used = (await keptBy(companyId)) + (await announcedBy(companyId)) + (coming.get(companyId) ?? 0);
  if (used + bytes > config.firmQuota) throw new PortalError('QUOTA', { most: config.firmQuota });
}

/**
 * Reserves room for what is about to come, and answers how to release it; QUOTA where there is not so much.
 */
export async function reserveQuota(companyId: string, bytes: number): Promise<() => void> {
  await assertRoomOfFirm(companyId, bytes);
  const reserve = (more: number): void => void coming.set(companyId, (coming.get(companyId) ?? 0) + more);
  reserve(bytes);
  return () => {
    reserve(-bytes);
    if (coming.get(companyId) === 0) coming.delete(companyId);
  };
}

/** Notes that a document of so many bytes is stored. */
export function noteKept(companyId: string, bytes: number): void {
  const known = kept.get(companyId);
  if (known) known.bytes += bytes;
}

async function keptBy(companyId: string): Promise<number> {
  const known = kept.get(companyId);
  if (known && known.until > now()) return known.bytes;
  const bytes = (await sumOf(companyId, 'kept')) + (await sumOf(companyId, 'in trash'));
  for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - MAX_KNOWN))) kept.delete(oldest);
  kept.set(companyId, { bytes, until: now() + KNOWN_FOR });
  return bytes;
}

/** By client, as the indexes go. */
async function sumOf(companyId: string, which: 'kept' | 'in trash'): Promise<number> {
  const clients = db().selectFrom('clients').select('client_id').where('company_id', '=', companyId);
  const { bytes } = await db()
    .selectFrom('documents')
    .select((e) => e.fn.coalesce(e.fn.sum<number>('size'), e.lit(0)).as('bytes'))
    .where('client_id', 'in', clients)
    .where('deleted_at', which === 'kept' ? 'is' : 'is not', null)
    .where('purged_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** What the open uploads in parts of a firm will be. */
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
