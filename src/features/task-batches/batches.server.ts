import { z } from 'zod';
import { soughtClients } from '#features/clients/client-search.server.ts';
import { actorNow, clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { assertManagesTasks } from '#features/tasks/creating.server.ts';
import { clientsWithTask } from '#features/tasks/of-template.server.ts';
import { firmToday } from '#features/tasks/scope.server.ts';
import { listedTasks } from '#features/tasks/listing-many.server.ts';
import { isPending, refusalOf, type TaskFacts } from '#features/tasks/rules.ts';
import { audit } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/encryption.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { planKey, plannedTask, type PlannedTask } from './planning.server.ts';
import { runStep } from './running.server.ts';
import { enqueueStep, type Step } from './steps.server.ts';
import {
  isUndoable,
  MAX_AT_ONCE,
  MAX_BATCH,
  type Batch,
  type BatchAction,
  type BatchRow,
  type BatchState,
  type ChangeAction,
  type RowState,
} from './task-batches.ts';

/** Which clients get a task: those to which all of this applies. */
export interface Recipients {
  clientKind: '' | 'business' | 'individual';
  tag: string;
  /** Staff who are responsible for them; empty for anybody. */
  responsible: string;
  /** Their numbers, separated by spaces, commas or line breaks; empty for all. */
  numbers: string;
}

/**
 * Prepares tasks for many clients and returns the id of the batch, which creates nothing before it is confirmed. Clients
 * that have a task of the same template and year are left out. FORBIDDEN; BAD_NAME with the numbers of no client, EMPTY
 * without a client, TOO_LARGE.
 */
export async function prepareCreation(
  actor: Actor,
  recipients: Recipients,
  plan: PlannedTask,
): Promise<string> {
  assertManagesTasks(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const clientIds = await recipientsOf(current, recipients);
    if (clientIds.length === 0) throw new PortalError('EMPTY');
    if (clientIds.length > MAX_BATCH) throw new PortalError('TOO_LARGE', { most: MAX_BATCH });
    const having = await clientsWithTask(current, planKey(plan));
    return insertBatch(
      current,
      { action: 'create', input: plan },
      clientIds.map((clientId) => ({
        clientId,
        taskId: '',
        problem: having.has(clientId) ? 'HAS_ONE' : '',
        before: '',
      })),
    );
  });
}

async function recipientsOf(
  actor: Actor,
  { clientKind, tag, responsible, numbers }: Recipients,
): Promise<string[]> {
  const { rows: sought } = await soughtClients(actor, {
    isArchived: false,
    query: { searchTerm: '', fields: { tag, responsible } },
  });
  const rows = await sought
    .select(['clients.client_id', 'clients.code_key'])
    .$if(clientKind !== '', (clients) =>
      clients.where('clients.kind', '=', clientKind === 'business' ? 'business' : 'individual'),
    )
    .orderBy('clients.name_key')
    .orderBy('clients.client_id')
    // the length of a list of numbers is limited, that of the firm's clients is not
    .$if(numbers === '', (clients) => clients.limit(MAX_BATCH + 1))
    .execute();
  const wanted = numbers.split(/[\s,;]+/).filter((number) => number !== '');
  if (wanted.length === 0) return rows.map((row) => row.client_id);
  const byNumber = new Map(rows.map((row) => [row.code_key, row.client_id]));
  const unknown = wanted.filter((number) => !byNumber.has(fold(number)));
  if (unknown.length > 0) throw new PortalError('BAD_NAME', { unknown: unknown.slice(0, 20) });
  return [...new Set(wanted.flatMap((number) => byNumber.get(fold(number)) ?? []))];
}

/**
 * Prepares a change of tasks and returns the id of the batch: tasks whose status does not allow it are listed as such.
 * FORBIDDEN; EMPTY without a task that the actor may see, TOO_LARGE.
 */
export async function prepareChange(
  actor: Actor,
  action: ChangeAction,
  taskIds: readonly string[],
): Promise<string> {
  assertManagesTasks(actor);
  if (taskIds.length > MAX_BATCH) throw new PortalError('TOO_LARGE', { most: MAX_BATCH });
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const tasks = await listedTasks(current, taskIds);
    if (tasks.length === 0) throw new PortalError('EMPTY');
    return insertBatch(
      current,
      { action, input: {} },
      tasks.map(({ taskId, clientId, dueOn, responsible, facts }) => ({
        clientId,
        taskId,
        problem: isPossible(action, facts) ? '' : 'STATUS',
        before: (action === 'assign' ? responsible : dueOn) ?? '',
      })),
    );
  });
}

function isPossible(action: ChangeAction, facts: TaskFacts): boolean {
  if (action === 'assign') return true;
  if (action === 'remind') return isPending(facts.status);
  return refusalOf(facts, action, 'firm') === undefined;
}

interface NewRow {
  clientId: string;
  taskId: string;
  problem: 'HAS_ONE' | 'STATUS' | '';
  before: string;
}

async function insertBatch(
  actor: Actor,
  { action, input }: { action: BatchAction; input: unknown },
  rows: readonly NewRow[],
): Promise<string> {
  const batchId = newId('taskbatch');
  await db()
    .insertInto('task_batches')
    .values({
      batch_id: batchId,
      company_id: actor.companyId,
      created_by: actor.contactId,
      action,
      state: 'ready',
      input: encryptFor('task_batches.input', batchId, JSON.stringify(input)),
      total: rows.length,
      position: 0,
      created_at: now(),
      moved_at: now(),
      finished_at: null,
    })
    .execute();
  const values = rows.map(({ clientId, taskId, problem, before }, index) => ({
    batch_id: batchId,
    number: index + 1,
    client_id: clientId,
    task_id: taskId,
    state: problem === '' ? ('waiting' as const) : ('skipped' as const),
    problem,
    before_value: before,
  }));
  for (const some of inBatches(values)) await db().insertInto('task_batch_rows').values(some).execute();
  return batchId;
}

/** The row of a batch that the actor has prepared; NOT_FOUND for that of somebody else, FORBIDDEN. */
async function ownBatch(actor: Actor, batchId: string) {
  assertManagesTasks(actor);
  const row = await db()
    .selectFrom('task_batches')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('company_id', '=', actor.companyId)
    .where('created_by', '=', actor.contactId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

const NO_ROWS: Record<RowState, number> = {
  waiting: 0,
  skipped: 0,
  done: 0,
  failed: 0,
  undone: 0,
  kept: 0,
};

/** Reads a batch of the actor; NOT_FOUND, FORBIDDEN. */
export async function batchOf(actor: Actor, batchId: string): Promise<Batch> {
  const row = await ownBatch(actor, batchId);
  const counts = await db()
    .selectFrom('task_batch_rows')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .where('batch_id', '=', batchId)
    .groupBy('state')
    .execute();
  const { count: withoutContact } = await db()
    .selectFrom('task_batch_rows')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('batch_id', '=', batchId)
    .where('state', '=', 'waiting')
    .where('client_id', 'not in', db().selectFrom('client_contacts').select('client_contacts.client_id'))
    .executeTakeFirstOrThrow();
  const input: unknown = JSON.parse(decryptFrom('task_batches.input', batchId, row.input));
  return {
    id: batchId,
    action: row.action,
    state: row.state,
    title: row.action === 'create' ? (plannedTask.parse(input).task.label ?? '') : '',
    total: row.total,
    position: row.position,
    counts: { ...NO_ROWS, ...Object.fromEntries(counts.map(({ state, count }) => [state, Number(count)])) },
    withoutContact: row.action === 'create' && row.state === 'ready' ? Number(withoutContact) : 0,
    createdAt: row.created_at,
  };
}

export const ROWS_A_PAGE = 50;

export const rowQuery = z.strictObject({
  show: z.enum(['all', 'problems', 'waiting', 'done']).default('all'),
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
});

const STATES_OF: Record<z.output<typeof rowQuery>['show'], readonly RowState[]> = {
  all: ['waiting', 'skipped', 'done', 'failed', 'undone', 'kept'],
  problems: ['skipped', 'failed', 'kept'],
  waiting: ['waiting'],
  done: ['done', 'undone'],
};

/** Lists one page of the rows of a batch, in their order. */
export async function listRows(
  actor: Actor,
  batchId: string,
  { show, from }: z.output<typeof rowQuery>,
): Promise<{ rows: BatchRow[]; total: number }> {
  await ownBatch(actor, batchId);
  const matching = db()
    .selectFrom('task_batch_rows')
    .where('batch_id', '=', batchId)
    .where('task_batch_rows.state', 'in', STATES_OF[show]);
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .innerJoin('clients', 'clients.client_id', 'task_batch_rows.client_id')
    .leftJoin('tasks', 'tasks.task_id', 'task_batch_rows.task_id')
    .selectAll('task_batch_rows')
    .select(['clients.name as client', 'tasks.label'])
    // a right that was withdrawn meanwhile hides the names
    .where('task_batch_rows.client_id', 'in', clientIdsOf(actor))
    .orderBy('task_batch_rows.number')
    .limit(ROWS_A_PAGE)
    .offset(from)
    .execute();
  return {
    total: Number(total),
    rows: rows.map((row) => ({
      number: row.number,
      clientId: row.client_id,
      client: row.client,
      taskId: row.task_id,
      title: row.label ?? '',
      state: row.state,
      problem: row.problem,
    })),
  };
}

/** What a change needs besides its tasks. */
export interface ChangeInput {
  reason?: string;
  /** `2026-02-28`; empty for no date. */
  dueDate?: string;
  /** A member of staff; empty for nobody. */
  responsible?: string;
}

/**
 * Begins a batch that was prepared, or continues one that was stopped. Changes of few tasks are complete when this
 * returns. STALE if it has begun already; EMPTY without the reason of a return, INVALID for a date in the past.
 */
export async function beginBatch(actor: Actor, batchId: string, input?: ChangeInput): Promise<void> {
  const step = await inTransaction(async (): Promise<Step> => {
    const current = await actorNow(actor);
    const row = await ownBatch(current, batchId);
    if (row.state !== 'ready' && row.state !== 'stopped') throw new PortalError('STALE');
    if (row.action === 'return' && row.state === 'ready' && !input?.reason?.trim())
      throw new PortalError('EMPTY');
    const due = input?.dueDate ?? '';
    if (due !== '' && due < (await firmToday(current.companyId))) throw new PortalError('INVALID');
    if (input?.responsible) await assertStaff(current, input.responsible);
    if (input && row.state === 'ready' && row.action !== 'create')
      await db()
        .updateTable('task_batches')
        .set({ input: encryptFor('task_batches.input', batchId, JSON.stringify(input)) })
        .where('batch_id', '=', batchId)
        .execute();
    await auditBatch(current, 'task-batch.start', batchId, { action: row.action, total: row.total });
    return moveTo(current, row, { state: 'running', position: 0 });
  });
  await runIfSmall(actor, step);
}

async function assertStaff({ companyId }: Actor, contactId: string): Promise<void> {
  const row = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('contact_id', '=', contactId)
    .where('company_id', '=', companyId)
    .where('staff', '=', 1)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
}

/** Stops a batch after the tasks at work; what is done stays. */
export async function stopBatch(actor: Actor, batchId: string): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const { state } = await ownBatch(current, batchId);
    if (state !== 'running') return;
    await db()
      .updateTable('task_batches')
      .set({ state: 'stopped', finished_at: now() })
      .where('batch_id', '=', batchId)
      .execute();
    await auditBatch(current, 'task-batch.stop', batchId, {});
  });
}

/** Begins to undo a batch: tasks that clients have begun stay. STALE, NOT_POSSIBLE for what clients have been told. */
export async function undoBatch(actor: Actor, batchId: string): Promise<void> {
  const step = await inTransaction(async (): Promise<Step> => {
    const current = await actorNow(actor);
    const row = await ownBatch(current, batchId);
    if (row.state !== 'done' && row.state !== 'stopped') throw new PortalError('STALE');
    if (!isUndoable(row.action)) throw new PortalError('NOT_POSSIBLE');
    await auditBatch(current, 'task-batch.undo', batchId, { action: row.action });
    return moveTo(current, row, { state: 'undoing', position: 0 });
  });
  await runIfSmall(actor, step);
}

/** Removes a batch that was only prepared. STALE once it has begun. */
export async function discardBatch(actor: Actor, batchId: string): Promise<void> {
  await inTransaction(async () => {
    const { state } = await ownBatch(await actorNow(actor), batchId);
    if (state !== 'ready') throw new PortalError('STALE');
    await db().deleteFrom('task_batches').where('batch_id', '=', batchId).execute();
  });
}

async function moveTo(
  actor: Actor,
  row: { batch_id: string; total: number },
  { state, position }: { state: BatchState; position: number },
): Promise<Step> {
  await db()
    .updateTable('task_batches')
    .set({ state, position, moved_at: now(), finished_at: null })
    .where('batch_id', '=', row.batch_id)
    .execute();
  const step = { batchId: row.batch_id, state, position, by: actor.contactId };
  if (row.total > MAX_AT_ONCE) await enqueueStep(actor.companyId, step);
  return step;
}

/** Few tasks need no job: they fit into one step. */
async function runIfSmall(actor: Actor, step: Step): Promise<void> {
  const { total } = await ownBatch(actor, step.batchId);
  if (total <= MAX_AT_ONCE) await runStep(step);
}

const auditBatch = (
  { companyId, contactId }: Actor,
  action: 'task-batch.start' | 'task-batch.stop' | 'task-batch.undo',
  target: string,
  details: Record<string, string | number>,
): Promise<unknown> => audit({ companyId, actor: contactId, action, target, details });
