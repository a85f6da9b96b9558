import { sql } from 'kysely';
import { pagesOf } from './copy.server.ts';
import { keyIds, encryptionKeyIdOf } from './crypto.server.ts';
import { db } from './database.server.ts';
import { ENCRYPTED_COLUMNS, decryptFrom, type EncryptedColumn } from './encryption.server.ts';
import type { Tables } from './schema.server.ts';

/** An encrypted value in the database. */
export interface EncryptedRow {
  column: EncryptedColumn;
  /** The id of its row, to which the value is bound. */
  id: string;
  encrypted: string;
  /** Replaces the value, unless it has changed in the meantime. */
  replace: (value: string) => Promise<void>;
}

const COLUMNS = Object.keys(ENCRYPTED_COLUMNS) as EncryptedColumn[];
const LOOKS_ENCRYPTED = /^[0-9a-f]{8}\.[\w-]+$/;
/**
 * Columns with plain values as well: settings that are not secret, finished jobs, files from earlier
 * versions.
 */
const ALSO_PLAIN: readonly EncryptedColumn[] = ['settings.value', 'jobs.payload', 'blobs.wrapped_key'];

/** Reads every encrypted value of every encrypted column. */
export async function* encryptedRows(): AsyncGenerator<EncryptedRow, void> {
  for (const column of COLUMNS) {
    const [table, name] = column.split('.') as [keyof Tables, string];
    for await (const rows of pagesOf(db(), table)) {
      for (const row of rows) {
        const value = row[name];
        if (typeof value !== 'string' || (!LOOKS_ENCRYPTED.test(value) && ALSO_PLAIN.includes(column)))
          continue;
        const id = ENCRYPTED_COLUMNS[column].map((part) => row[part]).join('/');
        const where = sql.join(
          ENCRYPTED_COLUMNS[column].map((part) => sql`${sql.ref(part)} = ${row[part]}`),
          sql` and `,
        );
        const replace = async (other: string): Promise<void> => {
          await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${other} where ${where} and ${sql.ref(name)} = ${value}`.execute(
            db(),
          );
        };
        yield { column, id, encrypted: value, replace };
      }
    }
  }
}

/**
 * Decrypts every encrypted value. Returns a sentence for each that fails: changed, moved from another row, or
 * its key is missing.
 */
export async function encryptionFaults(): Promise<string[]> {
  const faults: string[] = [];
  for await (const { column, id, encrypted } of encryptedRows()) {
    try {
      decryptFrom(column, id, encrypted);
    } catch {
      faults.push(`${column} of ${id} cannot be decrypted: ${reasonFor(encrypted)}`);
    }
  }
  return faults;
}

function reasonFor(encrypted: string): string {
  if (!LOOKS_ENCRYPTED.test(encrypted)) return 'it is not encrypted';
  return keyIds().includes(encryptionKeyIdOf(encrypted))
    ? 'it was changed, or belongs to another row'
    : `its key ${encryptionKeyIdOf(encrypted)} is not in KEY_FILE`;
}
