import { sql } from 'kysely';
import { db, fold } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Actor } from './people.ts';

/**
 * The staff of a firm, with those who are suspended or removed, along the index of staff by name: SQLite uses it for a
 * literal only.
 */
export const staffOf = (companyId: string) =>
  db()
    .selectFrom('contacts')
    .where('contacts.company_id', '=', companyId)
    .where('contacts.staff', '=', sql.lit<1>(1));

/** The contact ids of the staff of the actor's firm by their folded email addresses; not the suspended. */
export async function staffByEmail(actor: Actor): Promise<Map<string, string>> {
  const rows = await staffOf(actor.companyId)
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select(['contacts.contact_id', 'users.prism_guid', 'users.email'])
    .where('contacts.suspended_at', 'is', null)
    .execute();
  return new Map(
    rows.map(({ contact_id: id, prism_guid: user, email }) => [
      fold(decryptFrom('users.email', user, email)),
      id,
    ]),
  );
}

/** The staff of a firm by name, also the suspended, who may be responsible for something. */
export const listStaff = (companyId: string) =>
  staffOf(companyId)
    .select(['contacts.contact_id', 'contacts.full_name'])
    .where('contacts.removed_at', 'is', null)
    .orderBy('contacts.name_key')
    .orderBy('contacts.contact_id')
    .execute();

/** The names of members of staff by the ids of their contacts, also of those who were removed. */
export async function loadStaffNames(ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db()
    .selectFrom('contacts')
    .select(['contact_id', 'full_name'])
    .where('contact_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.contact_id, row.full_name]));
}
