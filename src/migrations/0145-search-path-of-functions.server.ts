import type { SchemaChange } from './schema-change.server.ts';

/**
 * PostgreSQL calls the functions of indexes without a search path when it vacuums and analyzes by itself, and when a dump
 * is restored: one that calls another by its bare name then failed, so that the tables of clients, contacts and documents
 * were never vacuumed. Functions keep the path of now.
 */
export const searchPathOfFunctions: SchemaChange = {
  sqlite: [],
  postgres: [
    `do $body$ declare own regprocedure; begin
      for own in select oid::regprocedure from pg_proc where pronamespace = current_schema()::regnamespace and not exists (select 1 from pg_depend where objid = pg_proc.oid and deptype = 'e') loop
        execute format('alter function %s set search_path from current', own);
      end loop;
    end $body$`,
  ],
};
