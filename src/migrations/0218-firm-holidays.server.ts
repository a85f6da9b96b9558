import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string): string[] => [
  `create table firm_holidays (holiday_id ${text} primary key, company_id ${text} not null references firms, place ${text} not null, month_day ${text} not null, year bigint not null, name ${text} not null, decision ${text} not null, changed_at bigint not null, changed_by ${text} not null)`,
  `create unique index firm_holidays_of_place on firm_holidays (company_id, place, month_day, year, decision)`,
];

/** What firms decide about the holidays of states and cities. */
export const firmHolidays: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
