import { db } from '#platform/database/database.server.ts';
import { certificateSettled } from './events.server.ts';

/** The certificate of a merged client is that of the other one; of two the one that is valid for longer stays. */
export async function followMergedClient({ from, into }: { from: string; into: string }): Promise<void> {
  const rows = await db()
    .selectFrom('client_certificates')
    .select('certificate_id')
    .where('client_id', 'in', [from, into])
    .orderBy('valid_to', 'desc')
    .execute();
  const [kept, ...others] = rows.map((row) => row.certificate_id);
  if (kept === undefined) return;
  for (const certificateId of others) {
    await db().deleteFrom('client_certificates').where('certificate_id', '=', certificateId).execute();
    await certificateSettled.announce({ certificateId });
  }
  await db()
    .updateTable('client_certificates')
    .set({ client_id: into })
    .where('certificate_id', '=', kept)
    .execute();
}
