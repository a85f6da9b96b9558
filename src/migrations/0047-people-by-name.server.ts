import type { SchemaChange } from './schema-change.server.ts';

/** The order of the list of people: contacts and staff, and invitations that are not accepted yet. */
export const peopleByName: SchemaChange = {
  sqlite: [
    `create index contacts_by_name on contacts (company_id, lower(full_name), contact_id)`,
    `create index invitations_by_name on invitations (company_id, lower(first_name || ' ' || last_name), invitation_id) where accepted_at is null and revoked_at is null`,
  ],
  postgres: [
    `create index contacts_by_name on contacts (company_id, lower(full_name), contact_id)`,
    `create index invitations_by_name on invitations (company_id, lower(first_name || ' ' || last_name), invitation_id) where accepted_at is null and revoked_at is null`,
  ],
};
