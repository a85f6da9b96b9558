import type { Kysely } from 'kysely';

/**
 * One migration: the statements of each engine, in their order. Text that is compared or sorted is
 * `collate "C"` on PostgreSQL, which is SQLite's own byte order. SQLite keeps the text of a statement in its
 * schema, with the line break at the end of some of the first. A released migration never changes in effect
 * (tests/platform/migrations-landed.test.ts).
 */
export interface SchemaChange {
  sqlite: readonly string[];
  postgres: readonly string[];
  /** Converts rows, where a statement alone cannot; in the same transaction, after the statements. */
  convert?: (db: Kysely<never>) => Promise<void>;
}
