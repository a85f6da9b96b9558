import { sql } from 'kysely';
import { pagesOf } from './copy.server.ts';
import { keyIds, encryptionKeyIdOf } from '../security/crypto.server.ts';
import { db } from './database.server.ts';
import { decryptFrom } from '../security/encryption.server.ts';
import type { EncryptedColumn } from './schema.server.ts';
import { encryptedColumns } from './tables.server.ts';

/** An encrypted value in the database. */
export interface EncryptedRow {
  column: EncryptedColumn;
  /** The id of its row, to which the value is bound. */
  id: string;
  encrypted: string;
  /** Replaces the value, unless it has changed in the meantime. */
  replace: (value: string) => Promise<void>;
}

const LOOKS_ENCRYPTED = /^[0-9a-f]{8}\.[\w-]+$/;

/** Reads every encrypted value of every encrypted column. */
export async function* encryptedRows(): AsyncGenerator<EncryptedRow, void> {
  for (const { column, table, name, isMixed } of encryptedColumns()) {
    for await (const rows of pagesOf(db(), table)) {
      for (const row of rows) {
        const value = row[name];
        if (typeof value !== 'string' || (isMixed && !LOOKS_ENCRYPTED.test(value))) continue;
        const id = table.key.map((part) => row[part]).join('/');
        const where = sql.join(
          table.key.map((part) => sql`${sql.ref(part)} = ${row[part]}`),
          sql` and `,
        );
        const replace = async (other: string): Promise<void> => {
          await sql`update ${sql.table(table.name)} set ${sql.ref(name)} = ${other} where ${where} and ${sql.ref(name)} = ${value}`.execute(
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
