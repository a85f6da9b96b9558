import type { BatchEvent, BatchKind, BatchOf, Span } from '#features/base/batches/define.server.ts';
import type { RowState } from '#features/base/batches/rows.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertWrites } from '#features/brazil/service-requests/access.server.ts';
import { assignRequest } from '#features/brazil/service-requests/acting.server.ts';
import { db } from '#platform/database/database.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { isUndoable, MAX_AT_ONCE, type DeskAction, type RowProblem } from './desk.ts';
import { remindClients } from './reminding.server.ts';

/** What a batch does with each of its requests, and who becomes responsible. */
interface DeskInput {
  action: DeskAction;
  responsible: string | null;
}

/** Requests that are assigned or of which clients are reminded: what becomes of each. */
export const deskBatchKind: BatchKind<DeskInput, StoredRow> = {
  name: 'service-requests',
  atOnce: { running: 50, undoing: 50 },
  inRequest: MAX_AT_ONCE,
  inputOf,
  assertMay(actor, { createdBy }) {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    assertWrites(actor);
    if (createdBy !== actor.contactId) throw notFound();
  },
  rows: rowsIn,
  run: runRows,
  async undo(actor, { input: { responsible } }, rows) {
    for (const row of rows.filter(({ state }) => state === 'done')) {
      const { request_id: id, before_value: before } = row;
      await assignRequest(actor, id, { responsible: before || null, before: responsible });
      await storeRow(row, { state: 'undone' });
    }
  },
  refuse: refuseRow,
  isUndoable: ({ input: { action } }) => isUndoable(action),
  auditOf: (event, batch) => Promise.resolve(auditOf(event, batch)),
  lasts: { unused: 7 * DAY, rows: 60 * DAY },
  async remove(batches) {
    await db().deleteFrom('service_request_batches').where('batch_id', 'in', batches).execute();
  },
};

async function inputOf(batchId: string): Promise<DeskInput> {
  const row = await db()
    .selectFrom('service_request_batches')
    .select(['action', 'responsible'])
    .where('batch_id', '=', batchId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

function rowsIn({ id }: { id: string }, { first, last }: Span) {
  return db()
    .selectFrom('service_request_batch_rows')
    .selectAll()
    .where('batch_id', '=', id)
    .where('number', '>=', first)
    .where('number', '<=', last)
    .orderBy('number')
    .execute();
}

type StoredRow = Awaited<ReturnType<typeof rowsIn>>[number];

function auditOf(event: BatchEvent, { input: { action }, total }: BatchOf<DeskInput>) {
  if (event === 'begun')
    return { action: 'service-request-batch.start' as const, details: { action, total } };
  if (event === 'stopped') return { action: 'service-request-batch.stop' as const };
  if (event === 'undoing') return { action: 'service-request-batch.undo' as const, details: { action } };
  return undefined;
}

async function runRows(
  actor: Actor,
  { input: { action, responsible } }: BatchOf<DeskInput>,
  rows: readonly StoredRow[],
): Promise<void> {
  const waiting = rows.filter(({ state }) => state === 'waiting');
  if (action === 'remind') return remindRows(actor, waiting);
  for (const row of waiting) {
    // what someone else has assigned in the meantime stays as it is
    await assignRequest(actor, row.request_id, { responsible, before: row.before_value || null });
    await storeRow(row, { state: 'done' });
  }
}

async function remindRows(actor: Actor, rows: readonly StoredRow[]): Promise<void> {
  const results = await remindClients(
    actor,
    rows.map((row) => row.request_id),
  );
  for (const row of rows) {
    const problem = results.has(row.request_id) ? results.get(row.request_id) : 'GONE';
    await storeRow(row, problem === undefined ? { state: 'done' } : { state: 'failed', problem });
  }
}

async function refuseRow(
  { state }: BatchOf<DeskInput>,
  row: StoredRow,
  { code }: PortalError,
): Promise<void> {
  await storeRow(row, {
    state: state === 'undoing' ? 'kept' : 'failed',
    problem: code === 'NOT_FOUND' ? 'GONE' : 'CHANGED',
  });
}

async function storeRow(
  { batch_id: batchId, number }: StoredRow,
  { state, problem = '' }: { state: RowState; problem?: RowProblem | '' },
): Promise<void> {
  await db()
    .updateTable('service_request_batch_rows')
    .set({ state, problem })
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .execute();
}
