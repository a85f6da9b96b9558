import { z } from 'zod';
import { db } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { removeRowsOfFirm } from '#platform/storage/firm-removal.server.ts';

/** By then, what was under way when the firm was locked has ended. */
const REMOVED_AFTER = 10 * MINUTE;

/** Removes a practice firm that was started over, in the open transaction: a little later, when nothing is under way in it. */
export const removeLater = (companyId: string): Promise<void> =>
  enqueue('practice-removal', { companyId }, null, null, now() + REMOVED_AFTER);

const payload = z.strictObject({ companyId: z.string() });

/** Removes what was done in a practice firm; nothing in one that is in use, or in a real firm. */
export async function removeFormer(job: unknown): Promise<void> {
  const { companyId } = payload.parse(job);
  const isFormer = await db()
    .selectFrom('firms')
    .select('company_id')
    .where('company_id', '=', companyId)
    .where('practice_of', 'is not', null)
    .where('locked', '=', 1)
    .where('company_id', 'not in', db().selectFrom('practice_firms').select('practice_firms.company_id'))
    .executeTakeFirst();
  if (isFormer) await removeRowsOfFirm(companyId);
}
