import type { Insertable, Selectable } from 'kysely';
import type { Weekday } from '#features/base/work-calendars/days.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { Establishment } from '../establishments.ts';

export type EstablishmentRow = Selectable<Tables['establishments']>;
export type NewRow = Insertable<Tables['establishments']>;

/** The establishments of the actor's clients, without those that were removed. */
export const establishmentsOf = (actor: Actor) =>
  db()
    .selectFrom('establishments')
    .selectAll()
    .where('client_id', 'in', clientIdsOf(actor))
    .where('removed_at', 'is', null);

/** An establishment of one of the actor's clients; NOT_FOUND. */
export async function ownRow(actor: Actor, establishmentId: string): Promise<EstablishmentRow> {
  const row = await establishmentsOf(actor)
    .where('establishment_id', '=', establishmentId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

export const present = (row: EstablishmentRow): Establishment => ({
  id: row.establishment_id,
  clientId: row.client_id,
  cnpj: row.cnpj,
  name: row.name,
  stateRegistration: row.state_registration,
  city: row.city,
  restDays: [...row.rest_days].map((day) => Number(day) as Weekday),
  isHeadOffice: row.is_head_office === 1,
  version: row.version,
});

export const updateRow = (
  { establishment_id: id, version }: Pick<EstablishmentRow, 'establishment_id' | 'version'>,
  change: Partial<NewRow>,
) =>
  db()
    .updateTable('establishments')
    .set({ ...change, version: version + 1 })
    .where('establishment_id', '=', id)
    .execute();
