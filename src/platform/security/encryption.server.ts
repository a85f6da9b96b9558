import { encrypt, decrypt } from './crypto.server.ts';
import type { EncryptedColumn } from '../database/schema.server.ts';

/** Encrypts the value of a column, bound to its row: the id, joined by `/` where it has two columns. */
export const encryptFor = (column: EncryptedColumn, row: string, text: string): string =>
  encrypt(text, `${column}:${row}`);
export const decryptFrom = (column: EncryptedColumn, row: string, encrypted: string): string =>
  decrypt(encrypted, `${column}:${row}`);
