import { db } from '#platform/database/database.server.ts';
import { lapseSettled } from './events.server.ts';
import { refreshCurrent } from './internal/rows.server.ts';

/** The agencies of a merged client are followed for the other one; those that both had are one, with all certificates. */
export async function followMergedClient({ from, into }: { from: string; into: string }): Promise<void> {
  const rows = await db()
    .selectFrom('cnd_client_agencies')
    .select(['client_agency_id', 'agency_id', 'ended_at'])
    .where('client_id', '=', from)
    .execute();
  const others = await db()
    .selectFrom('cnd_client_agencies')
    .select(['client_agency_id', 'agency_id', 'ended_at'])
    .where('client_id', '=', into)
    .execute();
  await db().updateTable('cnd_attempts').set({ client_id: into }).where('client_id', '=', from).execute();
  for (const row of rows) {
    const other = others.find(({ agency_id: id }) => id === row.agency_id);
    if (!other) continue;
    await db()
      .updateTable('cnd_attempts')
      .set({ client_agency_id: other.client_agency_id })
      .where('client_agency_id', '=', row.client_agency_id)
      .execute();
    await lapseSettled.announce({ clientAgencyIds: [row.client_agency_id] });
    await db()
      .deleteFrom('cnd_client_agencies')
      .where('client_agency_id', '=', row.client_agency_id)
      .execute();
    if (row.ended_at === null && other.ended_at !== null)
      await db()
        .updateTable('cnd_client_agencies')
        .set({ ended_at: null })
        .where('client_agency_id', '=', other.client_agency_id)
        .execute();
    await refreshCurrent(other.client_agency_id);
  }
  await db()
    .updateTable('cnd_client_agencies')
    .set({ client_id: into })
    .where('client_id', '=', from)
    .execute();
}
