import type { SchemaChange } from './schema-change.server.ts';

const MOVED = ['company_id', 'created_by', 'created_at', 'total', 'stopped', 'finished_at'];

/** `now` in ms, so that a batch at work is not taken for one whose job is lost. */
const statements = (now: string): string[] => [
  `insert into batches (batch_id, company_id, kind, state, stopped_by, created_by, runs_as, total, position, created_at, moved_at, finished_at) select batch_id, company_id, 'invitations', case when finished_at is null then 'running' when stopped = '' then 'done' else 'stopped' end, case stopped when '' then '' else 'RIGHTS' end, created_by, created_by, total, case when finished_at is not null and stopped = '' then total else 0 end, created_at, coalesce(finished_at, ${now}), finished_at from invitation_batches`,
  `drop index invitation_batches_of_firm`,
  ...MOVED.map((column) => `alter table invitation_batches drop column ${column}`),
];

/** How far invitations of many people are is stored as for batches of any kind. */
export const headsOfInvitationBatches: SchemaChange = {
  sqlite: statements(`unixepoch() * 1000`),
  postgres: statements(`(extract(epoch from clock_timestamp()) * 1000)::bigint`),
};
