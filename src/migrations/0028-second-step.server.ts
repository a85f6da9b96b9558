import type { SchemaChange } from './schema-change.server.ts';

export const secondStep: SchemaChange = {
  sqlite: [
    `alter table firms add column second_step text not null default 'nobody'`,
    `alter table firms add column second_step_from bigint not null default 0`,
  ],
  postgres: [
    `alter table firms add column second_step text collate "C" not null default 'nobody'`,
    `alter table firms add column second_step_from bigint not null default 0`,
  ],
};
