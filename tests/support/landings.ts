import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { migrations } from '#platform/database/migrations.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/*
 * Every list of migrations that main has had, in the order in which they landed, which is not that of their names: a
 * database with each of them is migrated to the current schema, on each engine (tests/platform/migrations-history).
 */

const NUMBERS = ['0001', '0002 0003', '0004', '0005', '0012', '0011', '0013', '0009', '0006', '0007', '0008'];
const LANDINGS = [
  ...NUMBERS,
  '0014 0015 0016 0017',
  '0019 0020 0021',
  '0022',
  '0023',
  '0025',
  '0024',
  '0026',
  '0027 0028 0029 0030 0031 0032',
  ...['0033', '0034', '0040', '0035', '0037', '0043', '0038', '0045', '0039', '0041', '0042', '0036'],
  ...['0050', '0052', '0051', '0046', '0053', '0049', '0047', '0054', '0063', '0061', '0055', '0064'],
  ...['0057', '0066', '0059', '0067', '0068', '0080', '0070', '0095', '0069', '0096', '0097'],
];
/** How many there were while their order was the least orderly. */
export const EARLY = LANDINGS.indexOf('0026') + 1;

/** The numbers of the migrations of a database after each landing. */
export const DAYS: readonly (readonly string[])[] = LANDINGS.map((_, day) =>
  LANDINGS.slice(0, day + 1)
    .join(' ')
    .split(' '),
);

/** Runs only the migrations with these numbers, and returns the error of the one that failed, if any. */
export async function migrateWith(
  database: Kysely<Tables>,
  all: ReturnType<typeof migrations>,
  numbers: readonly string[],
): Promise<unknown> {
  const chosen = Object.fromEntries(
    Object.entries(all).filter(([name]) => numbers.includes(name.slice(0, 4))),
  );
  const { error } = await new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(chosen) },
  }).migrateToLatest();
  return error;
}
