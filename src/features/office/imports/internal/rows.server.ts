import { z } from 'zod';
import type { Selectable } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { BatchIds } from '#features/base/batches/define.server.ts';
import { releaseBlobs } from '#platform/storage/blobs.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { emailAddressOrText } from '#platform/inputs/email-address.ts';
import { readLine } from '#platform/inputs/text.ts';
import { foundPlace, type FoundPlace, type ImportCounts } from '../imports.ts';
import type { RowValues } from '../record-kind.ts';

const texts = z.array(z.string());

/** The name of the kind of batches that imports are. */
export const IMPORT_BATCH = 'import';

/** The imports of the actor's firm. */
export const importsOf = (actor: Actor) =>
  db()
    .selectFrom('batches')
    .innerJoin('imports', 'imports.import_id', 'batches.batch_id')
    .where('batches.company_id', '=', actor.companyId)
    .where('batches.kind', '=', IMPORT_BATCH);

/** Reads the file of an import and what is to be done with it, for whoever has found its batch; NOT_FOUND. */
export async function importRecord(importId: string): Promise<ImportRecord> {
  const row = await db()
    .selectFrom('imports')
    .selectAll()
    .where('import_id', '=', importId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

export type ImportRecord = Selectable<Tables['imports']>;

export const rowId = (importId: string, number: number): string => `${importId}/${number}`;

export const textsOf = (json: string): string[] => texts.parse(JSON.parse(json));

export const columnsOf = (row: Pick<ImportRecord, 'import_id' | 'columns'>): string[] =>
  textsOf(decryptFrom('imports.columns', row.import_id, row.columns));

export const placeOf = ({
  import_id: importId,
  place,
}: Pick<ImportRecord, 'import_id' | 'place'>): FoundPlace | undefined =>
  place === null ? undefined : foundPlace.parse(JSON.parse(decryptFrom('imports.place', importId, place)));

/** Removes the files of imports, of which no other sheet is read any more, in the open transaction. */
export async function releaseFiles(importIds: BatchIds): Promise<void> {
  const kept = await db()
    .selectFrom('imports')
    .select('blob_key')
    .where('import_id', 'in', importIds)
    .where('blob_key', 'is not', null)
    .execute();
  if (kept.length === 0) return;
  await db()
    .updateTable('imports')
    .set({ blob_key: null, place: null })
    .where('import_id', 'in', importIds)
    .execute();
  await releaseBlobs(kept.flatMap(({ blob_key: key }) => key ?? []));
}

export const cellsOf = (row: { import_id: string; number: number; cells: string }): string[] =>
  textsOf(decryptFrom('import_rows.cells', rowId(row.import_id, row.number), row.cells));

/** Counts the rows of an import by what they do and by what became of them. */
export async function countsOf(importId: string): Promise<ImportCounts> {
  const rows = await db()
    .selectFrom('import_rows')
    .select((e) => ['action', 'state', e.fn.countAll<number>().as('count')])
    .where('import_id', '=', importId)
    .groupBy(['action', 'state'])
    .execute();
  const sum = (matches: (row: (typeof rows)[number]) => boolean): number =>
    rows.filter(matches).reduce((total, { count }) => total + Number(count), 0);
  const ofAction = (action: string): number => sum((row) => row.action === action);
  const ofState = (state: string): number => sum((row) => row.state === state);
  return {
    actions: {
      create: ofAction('create'),
      update: ofAction('update'),
      none: ofAction('none'),
      problem: ofAction('problem'),
      duplicate: ofAction('duplicate'),
    },
    states: {
      waiting: ofState('waiting'),
      done: ofState('done'),
      failed: ofState('failed'),
      undone: ofState('undone'),
      kept: ofState('kept'),
    },
  };
}

/** Fields whose cells may have several lines. */
const LISTS = ['tags', 'responsible', 'clientCodes'];

/** The values of the cells by field; empty ones are left out. */
export function valuesOf(mapping: readonly string[], cells: readonly string[]): RowValues {
  return Object.fromEntries(
    mapping.flatMap((field, column) => {
      const cell = cells[column] ?? '';
      const value = LISTS.includes(field)
        ? cell.normalize('NFC').trim()
        : field === 'email'
          ? emailAddressOrText(cell)
          : readLine(cell);
      return field === '' || value === '' ? [] : [[field, value]];
    }),
  );
}
