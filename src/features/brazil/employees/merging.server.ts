import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';

/** The employees of a merged client follow it. Of a contract that both had, that of the other client stays. */
export async function uniteEmployees({ from, into }: { from: string; into: string }): Promise<void> {
  const twins = db()
    .selectFrom('employees as own')
    .select('own.employee_id')
    .where('own.client_id', '=', from)
    .where((e) =>
      e.exists(
        e
          .selectFrom('employees as other')
          .select('other.employee_id')
          .where('other.client_id', '=', into)
          .whereRef('other.cpf_key', '=', 'own.cpf_key')
          .whereRef('other.registration_key', '=', 'own.registration_key')
          .where('other.deleted_at', 'is', null),
      ),
    );
  const ids = (await twins.execute()).map((row) => row.employee_id);
  if (ids.length > 0)
    await db()
      .updateTable('employees')
      .set({ deleted_at: now() })
      .where('employee_id', 'in', ids)
      .where('deleted_at', 'is', null)
      .execute();
  await db().updateTable('employees').set({ client_id: into }).where('client_id', '=', from).execute();
}

/** Employees of an establishment that two merged clients had are of the one that stays. */
export async function followEstablishment({
  removed,
  kept,
}: {
  removed: string;
  kept: string;
}): Promise<void> {
  await db()
    .updateTable('employees')
    .set({ establishment_id: kept })
    .where('establishment_id', '=', removed)
    .execute();
}
