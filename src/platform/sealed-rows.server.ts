import { sql } from 'kysely';
import { pagesOf } from './copy.server.ts';
import { keyIds, sealedBy } from './crypto.server.ts';
import { db } from './database.server.ts';
import { SEALED, unsealFrom, type SealedColumn } from './sealed.server.ts';
import type { Tables } from './schema.server.ts';

/** One value that is sealed in the database. */
export interface SealedRow {
  column: SealedColumn;
  /** What names its row, as the seal has it. */
  id: string;
  sealed: string;
  /** Puts another value there, unless somebody changed it meanwhile. */
  replace: (value: string) => Promise<void>;
}

const COLUMNS = Object.keys(SEALED) as SealedColumn[];
const LOOKS_SEALED = /^[0-9a-f]{8}\.[\w-]+$/;
/** Where not every value is sealed: settings of no secret, jobs that are done, files of before. */
const ALSO_PLAIN: readonly SealedColumn[] = ['settings.value', 'jobs.payload', 'blobs.wrapped_key'];

/** Every value of every column that is sealed at rest. */
export async function* sealedRows(): AsyncGenerator<SealedRow, void> {
  for (const column of COLUMNS) {
    const [table, name] = column.split('.') as [keyof Tables, string];
    for await (const rows of pagesOf(db(), table)) {
      for (const row of rows) {
        const value = row[name];
        if (typeof value !== 'string' || (!LOOKS_SEALED.test(value) && ALSO_PLAIN.includes(column))) continue;
        const id = SEALED[column].map((part) => row[part]).join('/');
        const where = sql.join(SEALED[column].map((part) => sql`${sql.ref(part)} = ${row[part]}`), sql` and `);
        const replace = async (other: string): Promise<void> => {
          await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${other} where ${where} and ${sql.ref(name)} = ${value}`.execute(db());
        };
        yield { column, id, sealed: value, replace };
      }
    }
  }
}

/** Opens every sealed value; answers those that cannot be opened, each in a sentence: changed, moved from another row, or of a key that is not here. */
export async function sealedFaults(): Promise<string[]> {
  const faults: string[] = [];
  for await (const { column, id, sealed } of sealedRows()) {
    try {
      unsealFrom(column, id, sealed);
    } catch {
      faults.push(`${column} of ${id} cannot be opened: ${whyNot(sealed)}`);
    }
  }
  return faults;
}

function whyNot(sealed: string): string {
  if (!LOOKS_SEALED.test(sealed)) return 'it is not encrypted';
  return keyIds().includes(sealedBy(sealed)) ? 'it was changed, or belongs to another row' : `KEY_FILE does not hold its key ${sealedBy(sealed)}`;
}
