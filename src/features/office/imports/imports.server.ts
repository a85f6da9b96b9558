import { z } from 'zod';
import {
  batchIn,
  batchToChange,
  beginBatch,
  checkBatch,
  redraftBatch,
  stopBatch,
  undoBatch,
} from '#features/base/batches/batches.server.ts';
import type { BatchOf } from '#features/base/batches/define.server.ts';
import { consumeBatch } from '#features/identity/invitations/batches.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { TAX_ID_KINDS, withLostZeros } from '#platform/inputs/tax-ids.ts';
import {
  rowProblem,
  type DuplicateDecision,
  type Import,
  type ImportCounts,
  type ImportRow,
  type RowQuery,
} from './imports.ts';
import {
  cellsOf,
  columnsOf,
  countsOf,
  importsOf,
  placeOf,
  releaseFiles,
  rowId,
  textsOf,
  valuesOf,
  type ImportRecord,
} from './internal/rows.server.ts';
import { importBatchKind } from './batch-kind.server.ts';
import type { RowValues } from './record-kind.ts';
import { importKindsFor, recordKind } from './kinds.server.ts';

const MAX_LISTED = 50;
const PAGE = 50;

/** Lists the imports of the firm that the actor may see, the newest first; FORBIDDEN if none. */
export async function listImports(actor: Actor): Promise<Import[]> {
  const kinds = importKindsFor(actor);
  if (kinds.length === 0) throw new PortalError('FORBIDDEN');
  const rows = await importsOf(actor)
    .innerJoin('contacts', 'contacts.contact_id', 'batches.created_by')
    .selectAll('imports')
    .select([
      'batches.state',
      'batches.stopped_by',
      'batches.total',
      'batches.position',
      'batches.created_at',
      'contacts.full_name',
    ])
    .where('imports.kind', 'in', kinds)
    .orderBy('batches.created_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  return rows.map(({ state, stopped_by: stoppedBy, total, position, created_at: createdAt, ...row }) =>
    present({ state, stoppedBy, total, position, createdAt, input: row }, row.full_name),
  );
}

/** Finds an import of the firm; NOT_FOUND, FORBIDDEN. */
export async function importOf(actor: Actor, importId: string): Promise<Import> {
  const batch = await ownImport(actor, importId);
  const { full_name: by } = await db()
    .selectFrom('contacts')
    .select('full_name')
    .where('contact_id', '=', batch.createdBy)
    .executeTakeFirstOrThrow();
  return present(batch, by);
}

const ownImport = (actor: Actor, importId: string) => batchIn(actor, importBatchKind, importId);

type Head = Pick<BatchOf<ImportRecord>, 'state' | 'stoppedBy' | 'total' | 'position' | 'createdAt' | 'input'>;

const present = ({ input: row, state, stoppedBy, total, position, createdAt }: Head, by: string): Import => ({
  id: row.import_id,
  kind: row.kind,
  state,
  stoppedBy,
  fileName: decryptFrom('imports.file_name', row.import_id, row.file_name),
  by,
  columns: columnsOf(row),
  place: placeOf(row),
  mapping: textsOf(row.mapping),
  total,
  position,
  invites: row.invites === 1,
  invited: row.invited,
  createdAt,
});

/** Counts the rows of an import by what they do and by what became of them. */
export async function importCounts(actor: Actor, importId: string): Promise<ImportCounts> {
  await ownImport(actor, importId);
  return countsOf(importId);
}

/** Lists the rows of an import, 50 a page: first those with a problem, which somebody has to look at. */
export async function listRows(
  actor: Actor,
  importId: string,
  { show, pageNum }: RowQuery,
): Promise<{ rows: ImportRow[]; total: number; pageSize: number }> {
  const { input: record } = await ownImport(actor, importId);
  const matching = db()
    .selectFrom('import_rows')
    .where('import_id', '=', importId)
    .$if(show !== 'all', (all) =>
      show === 'failed' || show === 'kept'
        ? all.where('state', '=', show)
        : all.where('action', '=', show === 'all' ? '' : show),
    );
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy((e) =>
      e
        .case()
        .when(e.or([e('action', '=', 'problem'), e('state', '=', 'failed')]))
        .then(0)
        .else(1)
        .end(),
    )
    .orderBy('number')
    .limit(PAGE)
    .offset((pageNum - 1) * PAGE)
    .execute();
  const shown = await presentRows(actor, record, rows);
  return { rows: shown, total: Number(total), pageSize: PAGE };
}

type StoredRow = Parameters<typeof cellsOf>[0] & {
  line: number;
  action: ImportRow['action'];
  state: ImportRow['state'];
  problems: string;
  changes: string;
};

const problemList = z.array(rowProblem);

/** Rows with the names of the records that they may be. */
async function presentRows(
  actor: Actor,
  record: ImportRecord,
  rows: readonly StoredRow[],
): Promise<ImportRow[]> {
  const shown = rows.map((row) => presentRow(record, row));
  const ids = shown.flatMap(({ problems }) => problems.flatMap(({ duplicateOf }) => duplicateOf ?? []));
  const titles = ids.length === 0 ? undefined : await recordKind(record.kind).titlesOf?.(actor, ids);
  return shown.map((row) => {
    const id = row.problems.find(({ duplicateOf }) => duplicateOf !== undefined)?.duplicateOf;
    const title = id === undefined ? undefined : titles?.get(id);
    return { ...row, duplicateOf: id === undefined || title === undefined ? undefined : { id, title } };
  });
}

function presentRow({ kind, mapping }: ImportRecord, row: StoredRow): ImportRow {
  const cells = cellsOf(row);
  const values = valuesOf(textsOf(mapping), cells);
  const label = recordKind(kind).labelOf(values);
  const problems = problemList.parse(JSON.parse(row.problems));
  return {
    number: row.number,
    line: row.line,
    label: label || cells.filter(Boolean).slice(0, 2).join(' · '),
    action: row.action,
    state: row.state,
    problems,
    changes: textsOf(row.changes),
    repaired: problems.flatMap(({ code, field }) =>
      code === 'ZERO_LOST' ? repairedNumber(field, values) : [],
    )[0],
    duplicateOf: undefined,
  };
}

/** The tax id of a field with its lost zeros, as it is written; none for other fields. */
function repairedNumber(field: string | undefined, values: RowValues): string[] {
  const kind = TAX_ID_KINDS.find((known) => known === field);
  const whole = kind && withLostZeros(kind, values[kind] ?? '');
  return kind && whole !== undefined ? [withMask(kind, whole)] : [];
}

/** The rows that were left out or have a problem, with all their cells, so that they can be corrected and imported again. */
export async function problemRows(
  actor: Actor,
  importId: string,
): Promise<{ columns: string[]; rows: (ImportRow & { cells: string[] })[] }> {
  const { input: record } = await ownImport(actor, importId);
  const rows = await db()
    .selectFrom('import_rows')
    .selectAll()
    .where('import_id', '=', importId)
    .where((e) => e.or([e('action', 'in', ['problem', 'duplicate']), e('state', 'in', ['failed', 'kept'])]))
    .orderBy('number')
    .execute();
  const shown = await presentRows(actor, record, rows);
  return {
    columns: columnsOf(record),
    rows: shown.map((row, index) => ({ ...row, cells: rows.slice(index, index + 1).flatMap(cellsOf) })),
  };
}

/**
 * Assigns fields to the columns of a file, empty for those that are left out, and starts to check every row.
 * INVALID with `fields` that lack a column, or with `twice`; STALE once the import has begun.
 */
export async function setMapping(actor: Actor, importId: string, mapping: readonly string[]): Promise<void> {
  await inTransaction(async () => {
    const { input: row } = await batchToChange(actor, importBatchKind, {
      batchId: importId,
      from: ['draft', 'ready'],
    });
    const { fields } = recordKind(row.kind);
    const known = new Set(fields.map(({ name }) => name));
    const named = mapping.filter((field) => field !== '');
    const twice = named.find((field, index) => named.indexOf(field) !== index);
    if (twice !== undefined) throw new PortalError('INVALID', { twice });
    if (mapping.length !== columnsOf(row).length || named.some((field) => !known.has(field)))
      throw new PortalError('INVALID');
    const lacking = fields.filter(({ name, isRequired }) => isRequired && !named.includes(name));
    if (lacking.length > 0) throw new PortalError('INVALID', { fields: lacking.map(({ name }) => name) });
    await db()
      .updateTable('imports')
      .set({ mapping: JSON.stringify(mapping) })
      .where('import_id', '=', importId)
      .execute();
    await checkAgain(actor, importId);
  });
}

/**
 * Decides what is done with the rows of a checked import that may be records that exist, or with the one of this number:
 * leave them out, update the record, or create another one. A row that may be that of an earlier one cannot update it.
 */
export async function decideDuplicates(
  actor: Actor,
  importId: string,
  { decision, number }: { decision: DuplicateDecision; number?: number },
): Promise<void> {
  await inTransaction(async () => {
    await batchToChange(actor, importBatchKind, { batchId: importId, from: ['ready'] });
    await db()
      .updateTable('import_rows')
      .set({ action: decision === 'leave' ? 'duplicate' : decision })
      .where('import_id', '=', importId)
      .where((e) =>
        e.or([
          e('problems', 'like', '[{"code":"DUPLICATE"%'),
          ...(decision === 'update' ? [] : [e('problems', 'like', '[{"code":"DUPLICATE_LINE"%')]),
        ]),
      )
      .$if(number !== undefined, (rows) => rows.where('number', '=', number ?? 0))
      .execute();
  });
}

/** Whether rows of a checked import have numbers that {@link repairNumbers} can repair. */
export async function hasLostZeros(importId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('import_rows')
    .select('number')
    .where('import_id', '=', importId)
    .where('problems', 'like', '%"code":"ZERO_LOST"%')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Puts back the zeros that a spreadsheet dropped at the beginning of tax ids, in all rows where check digits fit or in the
 * one of this number, and checks every row again.
 */
export async function repairNumbers(actor: Actor, importId: string, number?: number): Promise<void> {
  await inTransaction(async () => {
    const { input: record } = await batchToChange(actor, importBatchKind, {
      batchId: importId,
      from: ['ready'],
    });
    const mapping = textsOf(record.mapping);
    const rows = await db()
      .selectFrom('import_rows')
      .select(['import_id', 'number', 'cells'])
      .where('import_id', '=', importId)
      .where('problems', 'like', '%"code":"ZERO_LOST"%')
      .$if(number !== undefined, (all) => all.where('number', '=', number ?? 0))
      .execute();
    for (const row of rows) {
      const cells = cellsOf(row).map((cell, column) => {
        const kind = TAX_ID_KINDS.find((known) => known === mapping[column]);
        return (kind && withLostZeros(kind, cell)) ?? cell;
      });
      await db()
        .updateTable('import_rows')
        .set({ cells: encryptFor('import_rows.cells', rowId(importId, row.number), JSON.stringify(cells)) })
        .where('import_id', '=', importId)
        .where('number', '=', row.number)
        .execute();
    }
    await checkAgain(actor, importId);
  });
}

async function checkAgain(actor: Actor, importId: string): Promise<void> {
  await db().updateTable('import_rows').set({ row_key: '' }).where('import_id', '=', importId).execute();
  await checkBatch(actor, importBatchKind, importId);
}

/** Returns to the columns of a checked import. */
export const changeMapping = (actor: Actor, importId: string): Promise<void> =>
  redraftBatch(actor, importBatchKind, { batchId: importId });

/**
 * Imports the rows without a problem. With `invites` the contacts in the file who cannot sign in yet are invited
 * at the end; TOO_MANY beyond the invitations of a day.
 */
export async function confirmImport(actor: Actor, importId: string, invites: boolean): Promise<void> {
  const { input } = await ownImport(actor, importId);
  const isInviting = invites && recordKind(input.kind).invitationIn !== undefined;
  if (isInviting) await consumeBatch(actor);
  await beginBatch(actor, importBatchKind, importId, {
    from: ['ready'],
    prepare: async () => {
      await releaseFiles(db().selectFrom('batches').select('batch_id').where('batch_id', '=', importId));
      await db()
        .updateTable('imports')
        .set({ invites: isInviting ? 1 : 0 })
        .where('import_id', '=', importId)
        .execute();
    },
  });
}

/** Continues an import that was cancelled or stopped, with the first row that waits. */
export const continueStopped = (actor: Actor, importId: string): Promise<void> =>
  beginBatch(actor, importBatchKind, importId, { from: ['stopped'] });

/** Stops an import after the batch at work; what is imported stays, and can be undone. */
export const cancelImport = (actor: Actor, importId: string): Promise<void> =>
  stopBatch(actor, importBatchKind, importId);

/** Begins to undo an import: what it created is removed, what it changed gets its values from before. */
export const undoImport = (actor: Actor, importId: string): Promise<void> =>
  undoBatch(actor, importBatchKind, importId);
