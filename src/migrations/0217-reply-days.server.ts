import type { SchemaChange } from './schema-change.server.ts';

const statements = (text: string, day: string): string[] => [
  `alter table service_requests add column replied_on ${text}`,
  `update service_requests set replied_on = ${day} where replied_at is not null`,
];

/** The day of the firm on which it has replied to a request, which is compared with the date of the law. */
export const replyDays: SchemaChange = {
  sqlite: statements('text', `date(replied_at / 1000, 'unixepoch')`),
  postgres: statements(
    'text collate "C"',
    `to_char(to_timestamp(replied_at / 1000) at time zone 'UTC', 'YYYY-MM-DD')`,
  ),
};
