import { z } from 'zod';
import type { Actor } from '#features/people/people.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { notFound } from '#platform/errors.server.ts';
import type { RowValues } from '../record-kind.ts';

const texts = z.array(z.string());

/** The imports of the actor's firm. */
export const importsOf = (actor: Actor) =>
  db().selectFrom('imports').where('imports.company_id', '=', actor.companyId);

/** Finds an import of the actor's firm; NOT_FOUND for any other. */
export async function importRow(actor: Actor, importId: string) {
  const row = await importsOf(actor).selectAll().where('import_id', '=', importId).executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Reads an import for its job, which has no actor. */
export const anyImport = (importId: string) =>
  db().selectFrom('imports').selectAll().where('import_id', '=', importId).executeTakeFirst();

export type ImportRecord = Awaited<ReturnType<typeof importRow>>;

export const rowId = (importId: string, number: number): string => `${importId}/${number}`;

export const textsOf = (json: string): string[] => texts.parse(JSON.parse(json));

export const columnsOf = (row: Pick<ImportRecord, 'import_id' | 'columns'>): string[] =>
  textsOf(decryptFrom('imports.columns', row.import_id, row.columns));

export const cellsOf = (row: { import_id: string; number: number; cells: string }): string[] =>
  textsOf(decryptFrom('import_rows.cells', rowId(row.import_id, row.number), row.cells));

/** The values of the cells by field; empty ones are left out. */
export function valuesOf(mapping: readonly string[], cells: readonly string[]): RowValues {
  return Object.fromEntries(
    mapping.flatMap((field, column) => {
      const value = (cells[column] ?? '').normalize('NFC').trim();
      return field === '' || value === '' ? [] : [[field, value]];
    }),
  );
}
