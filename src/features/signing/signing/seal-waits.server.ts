import { z } from 'zod';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { sealWaits } from './events.server.ts';
import type { SigningRow } from './internal/rows.server.ts';

/** How long a timestamp authority that does not answer is asked again, before the document is sealed without it. */
export const WITH_TIMESTAMP_FOR = DAY;
const PAGE = 50;

export const sealWaitsQuery = z.strictObject({
  pageNum: z.coerce.number().int().min(1).max(10_000).default(1),
});
type SealWaitsQuery = z.infer<typeof sealWaitsQuery>;

/** A signed document that waits for its timestamp. */
export interface SealWait {
  taskId: string | undefined;
  title: string;
  client: string;
  waitsSince: number;
  /** When it is sealed without a timestamp. */
  sealedAfter: number | undefined;
}

/** Whether a seal failed because the timestamp authority does not answer. */
export const lacksTimestamp = (error: unknown): boolean => {
  const found = refusal(error);
  return found?.code === 'UNAVAILABLE' && found.details['cause'] === 'timestamp';
};

/** Tells the firm that a document waits for its timestamp, once for each wait. */
export async function noteSealWait(signing: SigningRow): Promise<void> {
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('sign_documents')
      .set({ stamp_wait_since: now() })
      .where('signing_id', '=', signing.signing_id)
      .where('state', '=', 'signed')
      .where('stamp_wait_since', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await sealWaits.announce({
      signingId: signing.signing_id,
      companyId: signing.company_id,
      title: signing.title,
      senderId: signing.sender,
    });
  });
}

/** Lists the documents of the actor's clients that wait for their timestamp, the longest first; FORBIDDEN for contacts. */
export async function listSealWaits(
  actor: Actor,
  { pageNum }: SealWaitsQuery,
): Promise<{ rows: SealWait[]; total: number; pageSize: number }> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const waiting = db()
    .selectFrom('sign_documents')
    .innerJoin('clients as named', 'named.client_id', 'sign_documents.client_id')
    .where('sign_documents.company_id', '=', actor.companyId)
    .where('sign_documents.stamp_wait_since', 'is not', null)
    .where('sign_documents.client_id', 'in', clientIdsOf(actor));
  const { total } = await waiting
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await waiting
    .select(['task_id', 'title', 'named.name', 'seal_since', 'stamp_wait_since'])
    .orderBy('stamp_wait_since')
    .orderBy('signing_id')
    .limit(PAGE)
    .offset((pageNum - 1) * PAGE)
    .execute();
  return {
    rows: rows.map((row) => ({
      taskId: row.task_id ?? undefined,
      title: row.title,
      client: row.name,
      waitsSince: row.stamp_wait_since ?? 0,
      sealedAfter: row.seal_since === null ? undefined : row.seal_since + WITH_TIMESTAMP_FOR,
    })),
    total: Number(total),
    pageSize: PAGE,
  };
}
