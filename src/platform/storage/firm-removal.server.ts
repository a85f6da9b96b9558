import { sql, type RawBuilder } from 'kysely';
import { db, inTransaction, tablesByReference, type Reference } from '#platform/database/database.server.ts';
import { releaseBlobs } from './blobs.server.ts';

/**
 * What stays of a firm: its people and who did what, since nothing of the audit log and of the confirmations is ever removed.
 * The search for people follows them.
 */
const STAYS: readonly string[] = [
  'firms',
  'themes',
  'users',
  'contacts',
  'contact_search',
  'audit',
  'audit_heads',
  'receipts',
];

const BLOB_COLUMN = /(?:^|_)blob(?:_key)?$/;

/**
 * Removes all rows of a firm but {@link STAYS}, and their blobs: those that name the firm, and those that name such a row. Nobody
 * may be at work in it. Running it again removes what has come since.
 */
export async function removeRowsOfFirm(companyId: string): Promise<void> {
  await inTransaction(async () => {
    const { tables, references } = await tablesByReference();
    const scopes = scopesOf(tables, references, companyId);
    const blobs: string[] = [];
    // those that are referenced last
    for (const { name, columns } of tables.toReversed()) {
      const scope = scopes.get(name);
      if (!scope || STAYS.includes(name)) continue;
      for (const column of columns.filter((one) => BLOB_COLUMN.test(one))) {
        const { rows } = await sql<{ key: string | null }>`
          select distinct ${sql.ref(column)} as key from ${sql.table(name)} where ${scope}`.execute(db());
        blobs.push(...rows.flatMap(({ key }) => key ?? []));
      }
      await sql`delete from ${sql.table(name)} where ${scope}`.execute(db());
    }
    await releaseBlobs([...new Set(blobs)]);
  });
}

interface Named {
  name: string;
  key: readonly string[];
  columns: readonly string[];
}

/** The condition on the rows of each table that are the firm's, for tables that have any. */
function scopesOf(
  tables: readonly Named[],
  references: readonly Reference[],
  companyId: string,
): Map<string, RawBuilder<unknown>> {
  const scopes = new Map<string, RawBuilder<unknown>>();
  const byName = new Map(tables.map((table) => [table.name, table]));
  for (const { name, columns } of tables) {
    if (columns.includes('company_id')) {
      scopes.set(name, sql`company_id = ${companyId}`);
      continue;
    }
    if (name === 'users') {
      scopes.set(name, sql`prism_guid in (select prism_guid from contacts where company_id = ${companyId})`);
      continue;
    }
    const named = references
      .filter(({ table, references: other }) => table === name && other !== name)
      .flatMap(({ column, references: other }) => {
        const [scope, key] = [scopes.get(other), byName.get(other)?.key[0]];
        return scope && key !== undefined
          ? [sql`${sql.ref(column)} in (select ${sql.ref(key)} from ${sql.table(other)} where ${scope})`]
          : [];
      });
    if (named.length > 0) scopes.set(name, sql`(${sql.join(named, sql` or `)})`);
  }
  return scopes;
}
