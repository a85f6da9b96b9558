import type { SchemaChange } from './schema-change.server.ts';

/** What a firm tells its clients about itself, and its version, which changes with every save. */
export const firmDetails: SchemaChange = {
  sqlite: [
    `alter table firms add column contact_person text not null default ''`,
    `alter table firms add column address text`,
    `alter table firms add column opening_hours text not null default ''`,
    `alter table firms add column holidays text not null default '[]'`,
    `alter table firms add column details_version text not null default ''`,
  ],
  postgres: [
    `alter table firms add column contact_person text collate "C" not null default ''`,
    `alter table firms add column address text collate "C"`,
    `alter table firms add column opening_hours text collate "C" not null default ''`,
    `alter table firms add column holidays text collate "C" not null default '[]'`,
    `alter table firms add column details_version text collate "C" not null default ''`,
  ],
};
