import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { MIGRATIONS } from '../../migrations/all.server.ts';

/** The migrations of an engine (src/migrations), as Kysely's migrator takes them. */
export const migrations = (postgres: boolean): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(MIGRATIONS).map(([name, change]) => [
      name,
      {
        up: async (db: Kysely<never>) => {
          for (const statement of change[postgres ? 'postgres' : 'sqlite'])
            await sql.raw(statement).execute(db);
          await change.convert?.(db);
        },
      },
    ]),
  );
