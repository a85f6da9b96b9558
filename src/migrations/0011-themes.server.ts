import type { SchemaChange } from './schema-change.server.ts';

export const themes: SchemaChange = {
  sqlite: [
    `alter table themes add column banner_key text`,
    `alter table themes add column banner_type text`,
    `alter table themes add column logout_url text`,
    `alter table themes add column login_background text not null default 'clouds'`,
    `alter table themes add column announcement text not null default ''`,
    `alter table users add column prefix text not null default ''`,
    `alter table users add column middle_name text not null default ''`,
    `alter table users add column suffix text not null default ''`,
  ],
  postgres: [
    `alter table themes add column banner_key text collate "C"`,
    `alter table themes add column banner_type text collate "C"`,
    `alter table themes add column logout_url text collate "C"`,
    `alter table themes add column login_background text collate "C" not null default 'clouds'`,
    `alter table themes add column announcement text collate "C" not null default ''`,
    `alter table users add column prefix text collate "C" not null default ''`,
    `alter table users add column middle_name text collate "C" not null default ''`,
    `alter table users add column suffix text collate "C" not null default ''`,
  ],
};
