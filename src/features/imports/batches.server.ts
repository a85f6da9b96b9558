import { z } from 'zod';
import { queueInvitations } from '#features/invitations/batches.server.ts';
import { actorNow, actorOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { db, inBatches, inTransaction } from '#platform/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/encryption.server.ts';
import { type PortalError, refusal } from '#platform/errors.server.ts';
import { blindIndex } from '#platform/settings.server.ts';
import type { ImportState, ProblemCode, RowProblemOf } from './imports.ts';
import { countsOf } from './imports.server.ts';
import { anyImport, cellsOf, rowId, textsOf, valuesOf, type ImportRecord } from './internal/rows.server.ts';
import { RECORD_KINDS } from './kinds.server.ts';
import type { RecordKind, RowToApply, RowValues, Verdict } from './record-kind.ts';
import { enqueueStep, step, type Step } from './steps.server.ts';

/*
 * The job of an import: one batch of rows after the other, each in one transaction with the job of the next
 * one. Killed at any moment, it leaves whole batches, and goes on after the last one.
 */

const CHECKED_AT_ONCE = 500;
const IMPORTED_AT_ONCE = 250;

/** Does the next batch. Whoever began the step must still have the right to: else the import is stopped. */
export async function continueImport(given: unknown): Promise<void> {
  const current = step.parse(given);
  const record = await anyImport(current.importId);
  if (!record || record.state !== current.state || record.position !== current.position) return;
  try {
    if (record.state === 'checking') await checkBatch(record, current);
    if (record.state === 'importing') await importBatch(record, current);
    if (record.state === 'undoing') await undoBatch(record, current);
  } catch (error) {
    if (!(error instanceof NoLongerAllowed)) throw error;
    await stop(record);
  }
}

class NoLongerAllowed extends Error {}

/** The person as whom a batch runs, with the rights of this moment. */
async function actorFor(kind: RecordKind, by: string): Promise<Actor> {
  try {
    const actor = await actorNow(await actorOf(by));
    kind.assertMay(actor);
    return actor;
  } catch (error) {
    const code = refusal(error)?.code;
    if (code === 'FORBIDDEN' || code === 'NOT_FOUND') throw new NoLongerAllowed();
    throw error;
  }
}

async function stop({
  import_id: importId,
  company_id: companyId,
  contact_id: contactId,
  state,
}: ImportRecord) {
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('imports')
      .set(state === 'checking' ? { state: 'mapping' } : { state: 'stopped', finished_at: now() })
      .where('import_id', '=', importId)
      .where('state', '=', state)
      .executeTakeFirst();
    if (numUpdatedRows > 0n && state !== 'checking')
      await audit({ companyId, actor: contactId, action: 'import.stop', target: importId });
  });
}

/**
 * Moves an import past a batch, or into the state behind this step, in the open transaction. False if
 * someone cancelled it, or another worker did this batch.
 */
async function moveOn(
  record: ImportRecord,
  { by, position }: Step,
  { count, next }: { count: number; next: ImportState },
): Promise<boolean> {
  const { import_id: importId, company_id: companyId, state, total } = record;
  const moved = position + count;
  const isOver = moved >= total;
  const { numUpdatedRows } = await db()
    .updateTable('imports')
    .set({
      position: moved,
      moved_at: now(),
      ...(isOver && { state: next, ...(next !== 'ready' && { finished_at: now() }) }),
    })
    .where('import_id', '=', importId)
    .where('state', '=', state)
    .where('position', '=', position)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (!isOver) await enqueueStep(companyId, { importId, state, position: moved, by });
  return true;
}

/** The rows with these numbers, both included. */
const rowsBetween = (importId: string, first: number, last: number) =>
  db()
    .selectFrom('import_rows')
    .selectAll()
    .where('import_id', '=', importId)
    .where('number', '>=', first)
    .where('number', '<=', last)
    .orderBy('number')
    .execute();

type StoredRow = Awaited<ReturnType<typeof rowsBetween>>[number];

async function checkBatch(record: ImportRecord, current: Step): Promise<void> {
  const kind = RECORD_KINDS[record.kind];
  const [importId, start] = [record.import_id, current.position];
  await inTransaction(async () => {
    const count = Math.min(CHECKED_AT_ONCE, record.total - start);
    if (!(await moveOn(record, current, { count, next: 'ready' }))) return;
    const actor = await actorFor(kind, current.by);
    const rows = await rowsBetween(importId, start + 1, start + count);
    const checked = await checkRows(actor, kind, record, rows);
    await storeRows(
      checked.map(({ row, key, verdict }) => ({
        ...row,
        row_key: key,
        action: verdict.action,
        problems: JSON.stringify(verdict.action === 'problem' ? verdict.problems : []),
        changes: JSON.stringify('changes' in verdict ? verdict.changes : []),
        target_id: 'target' in verdict ? verdict.target : '',
      })),
    );
  });
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
  return all.map(({ row, key }, index) => {
    const earlier = key === '' ? undefined : seen.get(key);
    if (key !== '' && earlier === undefined) seen.set(key, row.line);
    const problems: RowProblemOf[] = [
      ...fileProblems(row),
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

/** Imports a batch in one transaction; if a row is refused, each row in its own, so that only that one fails. */
async function importBatch(record: ImportRecord, current: Step): Promise<void> {
  const count = Math.min(IMPORTED_AT_ONCE, record.total - current.position);
  const [first, last] = [current.position + 1, current.position + count];
  const finish = async (): Promise<boolean> => {
    if (!(await moveOn(record, current, { count, next: 'finished' }))) return false;
    if (last >= record.total) await finishImport(record, current.by);
    return true;
  };
  const apply = async (rows: readonly StoredRow[]): Promise<void> =>
    applyRows(await actorFor(RECORD_KINDS[record.kind], current.by), record, rows);
  try {
    await inTransaction(async () => {
      await apply(await rowsBetween(record.import_id, first, last));
      await finish();
    });
  } catch (error) {
    if (!isOfRow(error)) throw error;
    for (const row of await rowsBetween(record.import_id, first, last)) await eachAlone(record, row, apply);
    await inTransaction(finish);
  }
}

async function finishImport(record: ImportRecord, by: string): Promise<void> {
  const { import_id: importId, kind, invites } = record;
  // an import whose undo was stopped can finish a second time
  if (invites === 1 && record.invited === 0) {
    const invited = await queueInvitations(
      await actorFor(RECORD_KINDS[kind], by),
      await invitationsIn(record),
    );
    await db().updateTable('imports').set({ invited }).where('import_id', '=', importId).execute();
  }
  await auditCounts(record, by, 'import.finish');
}

/** The invitations of the people in the file. */
async function invitationsIn({ import_id: importId, kind }: ImportRecord): Promise<string[]> {
  const rows = await db()
    .selectFrom('import_rows')
    .select('target_id')
    .where('import_id', '=', importId)
    .where((e) => e.or([e('state', '=', 'done'), e('action', '=', 'none')]))
    .execute();
  return rows.flatMap(({ target_id: target }) => RECORD_KINDS[kind].invitationIn?.(target) ?? []);
}

/** A refusal that another attempt would meet again. */
const isOfRow = (error: unknown): error is PortalError => {
  const refused = refusal(error);
  return refused !== undefined && refused.status < 500 && refused.code !== 'TOO_MANY';
};

async function eachAlone(
  record: ImportRecord,
  row: StoredRow,
  apply: (rows: readonly StoredRow[]) => Promise<void>,
): Promise<void> {
  try {
    await inTransaction(async () => {
      const { state } = await db()
        .selectFrom('imports')
        .select('state')
        .where('import_id', '=', record.import_id)
        .executeTakeFirstOrThrow();
      if (state === record.state) await apply([row]);
    });
  } catch (error) {
    if (!isOfRow(error)) throw error;
    await storeRows([{ ...row, state: 'failed', problems: JSON.stringify([{ code: 'CHANGED' }]) }]);
  }
}

async function applyRows(actor: Actor, record: ImportRecord, rows: readonly StoredRow[]): Promise<void> {
  const waiting = rows.flatMap((row): (RowToApply & { row: StoredRow })[] => {
    const { action, state } = row;
    if (state !== 'waiting' || (action !== 'create' && action !== 'update')) return [];
    const step =
      action === 'create'
        ? ({ action } as const)
        : ({ action, target: row.target_id, changes: textsOf(row.changes) } as const);
    return [{ row, step, values: valuesIn(record, row) }];
  });
  const applied = await RECORD_KINDS[record.kind].apply(actor, waiting);
  await storeRows(
    applied.flatMap(({ target, before }, index) => {
      const row = waiting[index]?.row;
      return row ? [{ ...row, state: 'done', target_id: target, before_image: imageOf(row, before) }] : [];
    }),
  );
}

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

/** Undoes a batch, the last rows first. A row that cannot be undone says why. */
async function undoBatch(record: ImportRecord, current: Step): Promise<void> {
  const count = Math.min(IMPORTED_AT_ONCE, record.total - current.position);
  const last = record.total - current.position;
  await inTransaction(async () => {
    if (!(await moveOn(record, current, { count, next: 'undone' }))) return;
    const kind = RECORD_KINDS[record.kind];
    const actor = await actorFor(kind, current.by);
    const rows = await rowsBetween(record.import_id, last - count + 1, last);
    const undone: StoredRow[] = [];
    for (const row of rows.toReversed())
      if (row.state === 'done') undone.push(await undoRow(actor, record, row));
    await storeRows(undone);
    if (current.position + count >= record.total) await auditCounts(record, current.by, 'import.undo');
  });
}

async function undoRow(actor: Actor, record: ImportRecord, row: StoredRow): Promise<StoredRow> {
  const stored = row.before_image;
  const before: unknown =
    stored === null
      ? undefined
      : JSON.parse(decryptFrom('import_rows.before_image', rowId(row.import_id, row.number), stored));
  const kept = await RECORD_KINDS[record.kind].undo(actor, valuesIn(record, row), {
    target: row.target_id,
    before,
  });
  return kept
    ? { ...row, state: 'kept', problems: JSON.stringify([{ code: kept }]) }
    : { ...row, state: 'undone', problems: '[]' };
}

async function auditCounts(
  { import_id: importId, company_id: companyId, kind }: ImportRecord,
  by: string,
  action: 'import.finish' | 'import.undo',
): Promise<void> {
  const { states } = await countsOf(importId);
  const { done, failed, undone, kept } = states;
  const details = { kind, done, failed, ...(action === 'import.undo' && { undone, kept }) };
  await audit({ companyId, actor: by, action, target: importId, details });
}

/** After so long without a batch its job is lost, such as by a restore. */
const STALLS_AFTER = HOUR;
const ROWS_LAST = 60 * DAY;
const UNUSED_LAST = 7 * DAY;

/** Ends imports whose job is lost, and deletes rows when an import can no longer be undone. */
export async function sweepImports(): Promise<void> {
  const stalled = (state: ImportState) =>
    db()
      .updateTable('imports')
      .where('state', '=', state)
      .where('moved_at', '<=', now() - STALLS_AFTER);
  await stalled('checking').set({ state: 'mapping' }).execute();
  await stalled('importing').set({ state: 'cancelled', finished_at: now() }).execute();
  await stalled('undoing').set({ state: 'cancelled', finished_at: now() }).execute();
  await inTransaction(async () => {
    const old = db()
      .selectFrom('imports')
      .select('import_id')
      .where((e) =>
        e.or([
          e('created_at', '<=', now() - ROWS_LAST),
          e.and([e('state', 'in', ['mapping', 'ready']), e('created_at', '<=', now() - UNUSED_LAST)]),
        ]),
      );
    await db().deleteFrom('import_rows').where('import_id', 'in', old).execute();
    await db()
      .deleteFrom('imports')
      .where('state', 'in', ['mapping', 'ready', 'checking'])
      .where('created_at', '<=', now() - UNUSED_LAST)
      .execute();
  });
}
