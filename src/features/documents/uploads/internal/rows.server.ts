import type { Actor } from '#features/base/people/people.ts';
import { releaseBlobs } from '#platform/storage/blobs.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';

export const uploadsOf = (actor: Actor) =>
  db()
    .selectFrom('uploads')
    .selectAll()
    .where('contact_id', '=', actor.contactId)
    .where('company_id', '=', actor.companyId)
    .where('expires_at', '>', now());

/** Finds an upload of the actor's own; NOT_FOUND for every other, and after it has expired. */
export async function ownUpload(actor: Actor, uploadId: string) {
  const row = await uploadsOf(actor).where('upload_id', '=', uploadId).executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Counts the open uploads of the actor, and the bytes that all open uploads still wait for. */
export async function reservations(actor: Actor): Promise<{ open: number; reserved: number }> {
  const { reserved } = await db()
    .selectFrom('uploads')
    .select((e) =>
      e.fn.coalesce(e.fn.sum<number>(e('size', '-', e.ref('received'))), e.lit(0)).as('reserved'),
    )
    .where('document_id', 'is', null)
    .executeTakeFirstOrThrow();
  const { open } = await db()
    .selectFrom('uploads')
    .select((e) => e.fn.countAll<number>().as('open'))
    .where('contact_id', '=', actor.contactId)
    .where('document_id', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow();
  return { open: Number(open), reserved: Number(reserved) };
}

/** Ends uploads: their bytes are released. */
export async function discard(uploadIds: readonly string[]): Promise<void> {
  if (uploadIds.length === 0) return;
  await inTransaction(async () => {
    await releaseBlobs(await takeParts(uploadIds));
    await db().deleteFrom('uploads').where('upload_id', 'in', uploadIds).execute();
  });
}

/** Takes the parts from uploads in the open transaction, and returns their blobs. */
export async function takeParts(uploadIds: readonly string[]): Promise<string[]> {
  const parts = await db()
    .deleteFrom('upload_parts')
    .where('upload_id', 'in', uploadIds)
    .returning('blob_key')
    .execute();
  return parts.map(({ blob_key: key }) => key);
}
