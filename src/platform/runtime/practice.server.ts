import { db } from '../database/database.server.ts';

/** Firms never change between the two. */
const known = new Map<string, boolean>();

/**
 * Whether a firm exists to try things in. Nothing leaves the portal for such a firm: whatever sends emails, notifications or
 * anything else to somebody outside asks this first (docs/decisions/0148).
 */
export async function isPracticeFirm(companyId: string | null | undefined): Promise<boolean> {
  if (companyId === null || companyId === undefined) return false;
  const cached = known.get(companyId);
  if (cached !== undefined) return cached;
  const row = await db()
    .selectFrom('firms')
    .select('practice_of')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!row) return false;
  known.set(companyId, row.practice_of !== null);
  return row.practice_of !== null;
}
