import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `create table cnd_passports (passport_id ${text} primary key, company_id ${text} not null references firms, client_id ${text} not null references clients, token_hash ${text} not null, recipient ${text} not null, agency_ids ${text} not null, made_by ${text} not null references contacts, made_at bigint not null, expires_at bigint not null, openings bigint not null, last_opened_at bigint, revoked_at bigint)`,
  `create unique index cnd_passports_by_token on cnd_passports (token_hash)`,
  `create index cnd_passports_of_client on cnd_passports (client_id, made_at, passport_id)`,
  `create index cnd_passports_by_end on cnd_passports (revoked_at, expires_at)`,
];

/** Links to the certificates of a client as they are on the day on which a link is opened. */
export const clearancePassports: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
