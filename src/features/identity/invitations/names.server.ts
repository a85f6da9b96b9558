import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';

export const invitedNames: NamesOf = async (ids) => {
  const rows = await db()
    .selectFrom('invitations')
    .select(['invitation_id', 'first_name', 'last_name'])
    .where('invitation_id', 'in', ids)
    .execute();
  return rows.map((row) => ({ id: row.invitation_id, name: `${row.first_name} ${row.last_name}`.trim() }));
};
