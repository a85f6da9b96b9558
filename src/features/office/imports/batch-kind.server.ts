import { z } from 'zod';
import type { BatchEvent, BatchIds, BatchKind, BatchOf } from '#features/base/batches/define.server.ts';
import { duplicateDetails } from '#features/clients/clients/duplicates.server.ts';
import { queueInvitations } from '#features/identity/invitations/batches.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import type { AuditAction } from '#platform/security/audit-actions.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import type { ProblemCode, RowProblemOf } from './imports.ts';
import {
  cellsOf,
  countsOf,
  IMPORT_BATCH,
  importRecord,
  releaseFiles,
  rowId,
  textsOf,
  valuesOf,
  type ImportRecord,
} from './internal/rows.server.ts';
import { recordKind } from './kinds.server.ts';
import type { RecordKind, RowToApply, RowValues, Verdict } from './record-kind.ts';

/** Records of a file: what becomes of each row of an import. */
export const importBatchKind: BatchKind<ImportRecord, StoredRow> = {
  name: IMPORT_BATCH,
  atOnce: { checking: 500, running: 250, undoing: 250 },
  inputOf: importRecord,
  assertMay: (actor, { input }) => recordKind(input.kind).assertMay(actor),
  rows: ({ id }, { first, last }) => rowsBetween(id, first, last),
  check: checkAll,
  run: (actor, { input }, rows) => applyRows(actor, input, rows),
  undo: undoRows,
  refuse: refuseRow,
  finish: invitePeople,
  auditOf,
  lasts: { unused: 7 * DAY, rows: 60 * DAY },
  removeRows,
  async remove(batches) {
    await releaseFiles(batches);
    await removeRows(batches);
    await db().deleteFrom('imports').where('import_id', 'in', batches).execute();
  },
};

async function removeRows(batches: BatchIds): Promise<void> {
  await db().deleteFrom('import_rows').where('import_id', 'in', batches).execute();
}

/** The rows with these numbers, both included. */
function rowsBetween(importId: string, first: number, last: number) {
  return db()
    .selectFrom('import_rows')
    .selectAll()
    .where('import_id', '=', importId)
    .where('number', '>=', first)
    .where('number', '<=', last)
    .orderBy('number')
    .execute();
}

type StoredRow = Awaited<ReturnType<typeof rowsBetween>>[number];

async function checkAll(
  actor: Actor,
  { input }: BatchOf<ImportRecord>,
  rows: readonly StoredRow[],
): Promise<void> {
  const checked = await checkRows(actor, recordKind(input.kind), input, rows);
  await storeRows(
    checked.map(({ row, key, verdict }) => ({
      ...row,
      row_key: key,
      action: verdict.action,
      problems: JSON.stringify(problemsOf(verdict, rows)),
      changes: JSON.stringify('changes' in verdict ? verdict.changes : []),
      target_id: 'target' in verdict ? verdict.target : '',
    })),
  );
}

function problemsOf(verdict: Verdict, rows: readonly StoredRow[]): readonly RowProblemOf[] {
  if (verdict.action === 'problem') return verdict.problems;
  if (verdict.action !== 'duplicate') return [];
  const earlier = verdict.earlierRow === undefined ? undefined : rows[verdict.earlierRow];
  return earlier
    ? [{ code: 'DUPLICATE_LINE', line: earlier.line }]
    : [{ code: 'DUPLICATE', duplicateOf: verdict.target }];
}

interface CheckedRow {
  row: StoredRow;
  key: string;
  verdict: Verdict;
}

async function checkRows(
  actor: Actor,
  kind: RecordKind,
  { import_id: importId, mapping }: ImportRecord,
  rows: readonly StoredRow[],
): Promise<CheckedRow[]> {
  const fields = textsOf(mapping);
  const all = await Promise.all(
    rows.map(async (row) => {
      const values = valuesOf(fields, cellsOf(row));
      const key = kind.keyOf(values);
      return { row, values, key: key === undefined ? '' : await blindIndex(`${importId}:${key}`) };
    }),
  );
  const first = rows[0]?.number ?? 0;
  const seen = await linesOf(
    importId,
    first,
    all.map(({ key }) => key),
  );
  const verdicts = await kind.check(
    actor,
    all.map(({ values }) => values),
  );
  return all.map(({ row, values, key }, index) => {
    const earlier = key === '' ? undefined : seen.get(key);
    if (key !== '' && earlier === undefined) seen.set(key, row.line);
    const problems: RowProblemOf[] = [
      ...fileProblems(row),
      ...cellProblems(values),
      ...(earlier === undefined ? [] : [{ code: 'SAME_AS_LINE' as const, line: earlier }]),
    ];
    const verdict = verdicts[index] ?? { action: 'problem', problems: [] };
    return {
      row,
      key,
      verdict: problems.length > 0 ? { action: 'problem' as const, problems } : verdict,
    };
  });
}

/** What a spreadsheet shows for a formula that fails, in the languages of the portal. */
const CELL_ERROR =
  /^#(?:N\/[AD]|¡?(?:REF|VALUE|VALOR|VALEUR|NUM|NÚM|NOMBRE|NULL|NULO|NUL|SPILL|CALC|DIV\/0)!|¿?(?:NAME|NOME|NOM|NOMBRE)\?)$/i;
/** A number of which a spreadsheet kept the first digits: `1,22E+13`. */
const SCIENTIFIC = /^-?\d(?:[.,]\d+)?E[+-]\d{1,3}$/i;
/** Fields whose numbers are names: their digits matter. */
const NUMBERS: readonly string[] = ['code', 'clientCodes', 'zip', ...TAX_ID_KINDS];

/** What the program that made the file did to its cells. */
function cellProblems(values: RowValues): RowProblemOf[] {
  return Object.entries(values).flatMap(([field, value]): RowProblemOf[] => {
    if (CELL_ERROR.test(value)) return [{ code: 'CELL_ERROR', field }];
    return NUMBERS.includes(field) && SCIENTIFIC.test(value) ? [{ code: 'SCIENTIFIC', field }] : [];
  });
}

const FILE_PROBLEMS: readonly ProblemCode[] = ['QUOTES', 'COLUMNS', 'CELL_TOO_LONG'];

const storedProblems = z.array(z.looseObject({ code: z.string() }));

/** What was wrong with the row when the file was read, which no other columns change. */
const fileProblems = ({ problems }: StoredRow): RowProblemOf[] =>
  storedProblems
    .parse(JSON.parse(problems))
    .flatMap(({ code }) => FILE_PROBLEMS.filter((known) => known === code).map((known) => ({ code: known })));

/** The lines of earlier rows with these keys. */
async function linesOf(
  importId: string,
  before: number,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const wanted = [...new Set(keys)].filter((key) => key !== '');
  if (wanted.length === 0) return new Map();
  const rows = await db()
    .selectFrom('import_rows')
    .select((e) => ['row_key', e.fn.min('line').as('line')])
    .where('import_id', '=', importId)
    .where('row_key', 'in', wanted)
    .where('number', '<', before)
    .groupBy('row_key')
    .execute();
  return new Map(rows.map(({ row_key: key, line }) => [key, Number(line)]));
}

async function invitePeople(actor: Actor, { id, input }: BatchOf<ImportRecord>): Promise<void> {
  // an import whose undo was stopped can finish a second time
  if (input.invites === 0 || input.invited > 0) return;
  const invited = await queueInvitations(actor, await invitationsIn(input));
  await db().updateTable('imports').set({ invited }).where('import_id', '=', id).execute();
}

/** The invitations of the people in the file. */
async function invitationsIn({ import_id: importId, kind }: ImportRecord): Promise<string[]> {
  const rows = await db()
    .selectFrom('import_rows')
    .select('target_id')
    .where('import_id', '=', importId)
    .where((e) => e.or([e('state', '=', 'done'), e('action', '=', 'none')]))
    .execute();
  return rows.flatMap(({ target_id: target }) => recordKind(kind).invitationIn?.(target) ?? []);
}

async function refuseRow(
  { state }: BatchOf<ImportRecord>,
  row: StoredRow,
  error: PortalError,
): Promise<void> {
  const undoing = { code: error.code === 'NOT_FOUND' ? 'GONE' : 'CHANGED_SINCE' };
  const result =
    state === 'undoing'
      ? ({ state: 'kept', why: undoing } as const)
      : { state: 'failed' as const, why: failureOf(error) };
  await storeRows([{ ...row, state: result.state, problems: JSON.stringify([result.why]) }]);
}

/** Why a row was refused: an earlier one of the file may be the same client, or something changed since the check. */
function failureOf(error: PortalError): RowProblemOf {
  const id = duplicateDetails(error)?.duplicates[0]?.id;
  return id === undefined ? { code: 'CHANGED' } : { code: 'DUPLICATE', duplicateOf: id };
}

async function applyRows(actor: Actor, record: ImportRecord, rows: readonly StoredRow[]): Promise<void> {
  const waiting = rows.flatMap((row): (RowToApply & { row: StoredRow })[] => {
    const { action, state } = row;
    if (state !== 'waiting' || (action !== 'create' && action !== 'update')) return [];
    const step =
      action === 'create'
        ? ({ action } as const)
        : ({ action, target: row.target_id, changes: textsOf(row.changes) } as const);
    const allowDuplicate = wasDuplicate(row);
    return [{ row, step, values: valuesIn(record, row), allowDuplicate }];
  });
  const applied = await recordKind(record.kind).apply(actor, waiting);
  await storeRows(
    applied.flatMap(({ target, before }, index) => {
      const row = waiting[index]?.row;
      return row ? [{ ...row, state: 'done', target_id: target, before_image: imageOf(row, before) }] : [];
    }),
  );
}

const DUPLICATES: readonly ProblemCode[] = ['DUPLICATE', 'DUPLICATE_LINE'];

/** Whether somebody decided what to do with a row that may be a record that exists. */
const wasDuplicate = ({ problems }: StoredRow): boolean =>
  storedProblems.parse(JSON.parse(problems)).some(({ code }) => DUPLICATES.some((known) => known === code));

const imageOf = ({ import_id: importId, number }: StoredRow, before: unknown): string | null =>
  before === undefined
    ? null
    : encryptFor('import_rows.before_image', rowId(importId, number), JSON.stringify(before));

const valuesIn = ({ mapping }: ImportRecord, row: StoredRow): RowValues =>
  valuesOf(textsOf(mapping), cellsOf(row));

/** Stores what became of rows that are there, with one statement for hundreds of them. */
async function storeRows(rows: readonly StoredRow[]): Promise<void> {
  for (const some of inBatches(rows))
    await db()
      .insertInto('import_rows')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['import_id', 'number']).doUpdateSet((e) => ({
          row_key: e.ref('excluded.row_key'),
          action: e.ref('excluded.action'),
          state: e.ref('excluded.state'),
          problems: e.ref('excluded.problems'),
          changes: e.ref('excluded.changes'),
          target_id: e.ref('excluded.target_id'),
          before_image: e.ref('excluded.before_image'),
        })),
      )
      .execute();
}

/** Undoes rows. One that cannot be undone says why. */
async function undoRows(
  actor: Actor,
  { input }: BatchOf<ImportRecord>,
  rows: readonly StoredRow[],
): Promise<void> {
  const undone: StoredRow[] = [];
  for (const row of rows) if (row.state === 'done') undone.push(await undoRow(actor, input, row));
  await storeRows(undone);
}

async function undoRow(actor: Actor, record: ImportRecord, row: StoredRow): Promise<StoredRow> {
  const stored = row.before_image;
  const before: unknown =
    stored === null
      ? undefined
      : JSON.parse(decryptFrom('import_rows.before_image', rowId(row.import_id, row.number), stored));
  const kept = await recordKind(record.kind).undo(actor, valuesIn(record, row), {
    target: row.target_id,
    before,
  });
  return kept
    ? { ...row, state: 'kept', problems: JSON.stringify([{ code: kept }]) }
    : { ...row, state: 'undone', problems: '[]' };
}

const EVENTS = {
  begun: 'import.start',
  stopped: 'import.cancel',
  lost: 'import.stop',
  done: 'import.finish',
  undone: 'import.undo',
} as const satisfies Partial<Record<BatchEvent, AuditAction>>;

async function auditOf(event: BatchEvent, { id, input: { kind } }: BatchOf<ImportRecord>) {
  if (event === 'undoing') return undefined;
  const action = EVENTS[event];
  if (event === 'stopped' || event === 'lost') return { action };
  const { actions, states } = await countsOf(id);
  const { create, update } = actions;
  if (event === 'begun') return { action, details: { kind, create, update } };
  const { done, failed, undone, kept } = states;
  return { action, details: { kind, done, failed, ...(event === 'undone' && { undone, kept }) } };
}
