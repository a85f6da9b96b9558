import type { SchemaChange } from './schema-change.server.ts';

/** Those of this release. */
const STEPS = ['look', 'notices', 'phone', 'phrase'];

const statements = (text: string): string[] => [
  `create table first_steps (contact_id ${text} not null references contacts, step ${text} not null, at bigint not null, primary key (contact_id, step))`,
  ...STEPS.map(
    (step) =>
      `insert into first_steps (contact_id, step, at) select contact_id, '${step}', created_at from contacts`,
  ),
];

/** Which first steps a person has put away. Whoever is a contact already knows the portal, and is offered none. */
export const firstSteps: SchemaChange = {
  sqlite: statements('text'),
  postgres: statements('text collate "C"'),
};
