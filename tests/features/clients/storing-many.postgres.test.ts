import '../../../src/app.server.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { makeCast } from '../../support/cast.ts';
import { storeManyClients } from '../../support/many-clients.ts';
import { storeClient } from '../../support/store-client.ts';

/* What a new client costs on PostgreSQL in a firm that has many. */

const { firmOne, sam } = await makeCast();
await storeManyClients(
  firmOne,
  Array.from({ length: 1500 }, (_, i) => ({
    name: `Garden ${i} Ltd`,
    code: `C-${i}`,
    kind: 'business' as const,
    tags: [],
    responsible: sam.contactId,
  })),
);

/** How many rows of the table of clients this transaction has read; some earlier ones of its connection count, too. */
async function rowsRead(): Promise<number> {
  const { rows } = await sql<{ count: string }>`select seq_tup_read + coalesce(idx_tup_fetch, 0) as count
    from pg_stat_xact_user_tables where relname = 'clients'`.execute(db());
  return Number(rows[0]?.count);
}

test('a new client is compared with those that are like it, not with all of the firm', async () => {
  const read = await inTransaction(async () => {
    const before = await rowsRead();
    await storeClient(firmOne, { name: 'Garden 77, Ltd', code: 'C-77x' });
    return (await rowsRead()) - before;
  });
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(100);
  const { found } = await db()
    .selectFrom('possible_duplicates')
    .select((e) => e.fn.countAll<string>().as('found'))
    .executeTakeFirstOrThrow();
  expect(Number(found)).toBe(1);
});

test('PostgreSQL vacuums and analyzes the tables by itself, which it does without a search path', async () => {
  const { rows } = await sql<{ name: string }>`select proname as name from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend where objid = pg_proc.oid and deptype = 'e')
      and not exists (select 1 from unnest(proconfig) as setting where setting like 'search_path=%')`.execute(
    db(),
  );
  expect(rows, 'create them with: set search_path from current').toEqual([]);
  await db()
    .connection()
    .execute(async (connection) => {
      const tables = await sql<{ name: string }>`select tablename as name from pg_tables
      where schemaname = current_schema()`.execute(connection);
      await sql`set search_path = ''`.execute(connection);
      try {
        for (const { name } of tables.rows) await sql`analyze public.${sql.table(name)}`.execute(connection);
      } finally {
        await sql`reset search_path`.execute(connection);
      }
    });
});
