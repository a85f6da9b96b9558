import type { SchemaChange } from './schema-change.server.ts';

/** How fiscal documents came in, and what was set aside for the firm. */
export const fiscalIntakes: SchemaChange = {
  sqlite: [
    `create table fiscal_intakes (intake_id text primary key, company_id text not null references firms, client_id text not null references clients, source text not null, name text not null, state text not null, started_by text not null, created_at bigint not null, finished_at bigint)`,
    `create index fiscal_intakes_of_client on fiscal_intakes (client_id, created_at, intake_id)`,
    `create index fiscal_intakes_by_state on fiscal_intakes (state, created_at)`,
    `create table fiscal_spools (intake_id text not null references fiscal_intakes, number bigint not null, name text not null, blob_key text not null, size bigint not null, position bigint not null, primary key (intake_id, number))`,
    `create table fiscal_intake_items (intake_id text not null references fiscal_intakes, number bigint not null, client_id text not null references clients, name text not null, outcome text not null, code text not null, file_id text not null, primary key (intake_id, number))`,
    `create index fiscal_intake_items_of_client on fiscal_intake_items (client_id, intake_id, number)`,
    `create index fiscal_intake_items_by_outcome on fiscal_intake_items (intake_id, outcome, number)`,
    `create table fiscal_set_asides (set_aside_id text primary key, company_id text not null references firms, client_id text not null references clients, intake_id text not null references fiscal_intakes, number bigint not null, name text not null, sentence text not null, sha256 text not null, size bigint not null, blob_key text not null, created_at bigint not null, resolved_at bigint, resolved_by text not null, resolution text not null)`,
    `create index fiscal_set_asides_waiting on fiscal_set_asides (company_id, resolved_at, created_at, set_aside_id)`,
    `create unique index fiscal_set_asides_once on fiscal_set_asides (client_id, sha256)`,
  ],
  postgres: [
    `create table fiscal_intakes (intake_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, source text collate "C" not null, name text collate "C" not null, state text collate "C" not null, started_by text collate "C" not null, created_at bigint not null, finished_at bigint)`,
    `create index fiscal_intakes_of_client on fiscal_intakes (client_id, created_at, intake_id)`,
    `create index fiscal_intakes_by_state on fiscal_intakes (state, created_at)`,
    `create table fiscal_spools (intake_id text collate "C" not null references fiscal_intakes, number bigint not null, name text collate "C" not null, blob_key text collate "C" not null, size bigint not null, position bigint not null, primary key (intake_id, number))`,
    `create table fiscal_intake_items (intake_id text collate "C" not null references fiscal_intakes, number bigint not null, client_id text collate "C" not null references clients, name text collate "C" not null, outcome text collate "C" not null, code text collate "C" not null, file_id text collate "C" not null, primary key (intake_id, number))`,
    `create index fiscal_intake_items_of_client on fiscal_intake_items (client_id, intake_id, number)`,
    `create index fiscal_intake_items_by_outcome on fiscal_intake_items (intake_id, outcome, number)`,
    `create table fiscal_set_asides (set_aside_id text collate "C" primary key, company_id text collate "C" not null references firms, client_id text collate "C" not null references clients, intake_id text collate "C" not null references fiscal_intakes, number bigint not null, name text collate "C" not null, sentence text collate "C" not null, sha256 text collate "C" not null, size bigint not null, blob_key text collate "C" not null, created_at bigint not null, resolved_at bigint, resolved_by text collate "C" not null, resolution text collate "C" not null)`,
    `create index fiscal_set_asides_waiting on fiscal_set_asides (company_id, resolved_at, created_at, set_aside_id)`,
    `create unique index fiscal_set_asides_once on fiscal_set_asides (client_id, sha256)`,
  ],
};
