import type { SchemaChange } from './schema-change.server.ts';

/** The default until a firm chooses its zone: the most common one among readers of its language. */
export const timeZones: SchemaChange = {
  sqlite: [
    `alter table firms add column time_zone text not null default 'UTC'`,
    `update firms set time_zone = case lower(language)
  when 'en-us' then 'America/New_York' when 'en-gb' then 'Europe/London' when 'en-au' then 'Australia/Sydney'
  when 'en-ca' then 'America/Toronto' when 'es' then 'America/Buenos_Aires' when 'pt' then 'America/Sao_Paulo'
  when 'fr' then 'America/Toronto' else 'UTC' end`,
  ],
  postgres: [
    `alter table firms add column time_zone text collate "C" not null default 'UTC'`,
    `update firms set time_zone = case lower(language)
  when 'en-us' then 'America/New_York' when 'en-gb' then 'Europe/London' when 'en-au' then 'Australia/Sydney'
  when 'en-ca' then 'America/Toronto' when 'es' then 'America/Buenos_Aires' when 'pt' then 'America/Sao_Paulo'
  when 'fr' then 'America/Toronto' else 'UTC' end`,
  ],
};
