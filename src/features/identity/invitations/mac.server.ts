import type { Selectable } from 'kysely';
import type { Tables } from '#platform/database/schema.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

type Granted = Pick<
  Selectable<Tables['invitations']>,
  'invitation_id' | 'company_id' | 'email_key' | 'role' | 'all_clients' | 'client_ids' | 'responsible_ids'
>;

/** A MAC of what an invitation grants to whom: somebody who has only the database cannot widen it. */
export const invitationMac = (row: Granted): Promise<string> =>
  blindIndex(
    [
      `invitation:${row.invitation_id}:${row.company_id}:${row.email_key}:${row.role}`,
      row.all_clients === 1 ? 'all' : 'assigned',
      row.client_ids,
      // as before where there are none
      ...(row.responsible_ids === '[]' ? [] : [row.responsible_ids]),
    ].join(':'),
  );
