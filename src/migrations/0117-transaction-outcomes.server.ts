import type { SchemaChange } from './schema-change.server.ts';

/**
 * By a row here, written by a transaction, its outcome can be told when the answer to its commit is lost
 * (docs/decisions/0082). Only PostgreSQL has rows.
 */
export const transactionOutcomes: SchemaChange = {
  sqlite: [
    `create table transaction_outcomes (outcome_id text not null primary key, committed smallint not null, at bigint not null)`,
  ],
  postgres: [
    `create table transaction_outcomes (outcome_id text collate "C" not null primary key, committed smallint not null, at bigint not null)`,
  ],
};
