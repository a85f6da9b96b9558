import type { SchemaChange } from './schema-change.server.ts';

/** The clients that somebody who is invited to the team will be responsible for, as JSON. */
export const invitedResponsible: SchemaChange = {
  sqlite: [`alter table invitations add column responsible_ids text not null default '[]'`],
  postgres: [`alter table invitations add column responsible_ids text collate "C" not null default '[]'`],
};
