import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';

export const contactNames: NamesOf = (ids) =>
  db()
    .selectFrom('contacts')
    .select(['contact_id as id', 'full_name as name'])
    .where('contact_id', 'in', ids)
    .execute();
