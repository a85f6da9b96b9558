import {
  batchIn,
  beginBatch as begin,
  createBatch,
  discardBatch as discard,
  stopBatch as stop,
  undoBatch as undo,
} from '#features/base/batches/batches.server.ts';
import { countByState, LISTED_STATES, ROWS_A_PAGE, type RowQuery } from '#features/base/batches/rows.ts';
import { soughtClients } from '#features/clients/clients/client-search.server.ts';
import {
  recipientsOfMany,
  type NoticeRecipients,
} from '#features/clients/notice-recipients/recipients.server.ts';
import { actorNow, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { clientsWithTask } from '#features/tasks/tasks/of-template.server.ts';
import { firmToday, visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { listedTasks } from '#features/tasks/tasks/listing-many.server.ts';
import { isPending, refusalOf, type TaskFacts } from '#features/tasks/tasks/rules.ts';
import { formTitles } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { withoutReminder } from '#features/tasks/task-reminders/remind-now.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { newTaskAbout, planKey, plannedTask, plannedTitle, type PlannedTask } from './planning.server.ts';
import { taskBatchKind } from './batch-kind.server.ts';
import { MAX_BATCH, type Batch, type BatchAction, type BatchRow, type ChangeAction } from './task-batches.ts';

/** Which clients get a task: those to which all of this applies. */
export interface Recipients {
  clientKind: '' | 'business' | 'individual';
  tag: string;
  /** Staff who are responsible for them; empty for anybody. */
  responsible: string;
  /** Their numbers or ids, separated by spaces, commas or line breaks; empty for all. */
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
  const byNumber = new Map(
    rows.flatMap((row) => [row.client_id, row.code_key].map((key) => [fold(key), row.client_id])),
  );
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
  await createBatch(actor, taskBatchKind, { batchId, total: rows.length, state: 'ready' });
  await db()
    .insertInto('task_batches')
    .values({ batch_id: batchId, action, input: encryptedInput(batchId, input) })
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

const encryptedInput = (batchId: string, input: unknown): string =>
  encryptFor('task_batches.input', batchId, JSON.stringify(input));

/** The batch that the actor has prepared; NOT_FOUND for that of somebody else, FORBIDDEN. */
const ownBatch = (actor: Actor, batchId: string) => batchIn(actor, taskBatchKind, batchId);

/** Reads a batch of the actor; NOT_FOUND, FORBIDDEN. */
export async function batchOf(actor: Actor, batchId: string, lang: Lang): Promise<Batch> {
  const { state, total, position, createdAt, input } = await ownBatch(actor, batchId);
  const { action, values } = input;
  const counts = await db()
    .selectFrom('task_batch_rows')
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .where('batch_id', '=', batchId)
    .groupBy('state')
    .execute();
  const waiting = db()
    .selectFrom('task_batch_rows')
    .where('batch_id', '=', batchId)
    .where('task_batch_rows.state', '=', 'waiting');
  const { clients, client } = await waiting
    .innerJoin('clients', 'clients.client_id', 'task_batch_rows.client_id')
    .where('clients.client_id', 'in', clientIdsOf(actor))
    .select((e) => [
      e.fn.count<number>('clients.client_id').distinct().as('clients'),
      e.fn.min('clients.name').as('client'),
    ])
    .executeTakeFirstOrThrow();
  return {
    id: batchId,
    action,
    state,
    title: action === 'create' ? plannedTitle(plannedTask.parse(values), lang) : '',
    clients: Number(clients),
    client: Number(clients) === 1 ? (client ?? '') : '',
    total,
    position,
    counts: countByState(counts),
    createdAt,
  };
}

/**
 * Who is notified of the tasks that a batch will create, or has created, or is going to remind of; undefined if it
 * notifies nobody.
 */
export async function recipientsOfBatch(
  actor: Actor,
  batchId: string,
): Promise<NoticeRecipients[] | undefined> {
  const { state, input } = await ownBatch(actor, batchId);
  if (input.action === 'remind' && state === 'ready') return recipientsOfReminders(actor, batchId);
  if (input.action !== 'create' || (state !== 'ready' && state !== 'done')) return undefined;
  const { task } = plannedTask.parse(input.values);
  if (task.sendNotification !== true) return undefined;
  const clients = await db()
    .selectFrom('task_batch_rows')
    .select('client_id')
    .where('batch_id', '=', batchId)
    .where('state', '=', state === 'ready' ? 'waiting' : 'done')
    .execute();
  return recipientsOfMany(
    actor,
    clients.map(({ client_id: id }) => id),
    newTaskAbout(task.type),
  );
}

/** For each client of the tasks who is reminded, or why nobody is. */
async function recipientsOfReminders(actor: Actor, batchId: string): Promise<NoticeRecipients[]> {
  const rows = await db()
    .selectFrom('task_batch_rows')
    .innerJoin('tasks', 'tasks.task_id', 'task_batch_rows.task_id')
    .select(['tasks.client_id', 'tasks.type'])
    .distinct()
    .where('task_batch_rows.batch_id', '=', batchId)
    .where('task_batch_rows.state', '=', 'waiting')
    .execute();
  const types = new Set(rows.map(({ type }) => type));
  return recipientsOfMany(
    actor,
    rows.map(({ client_id: id }) => id),
    {
      kind: 'task-reminder',
      maySee: (reader) => visibleTypes(reader).some((type) => types.has(type)),
      held: withoutReminder,
    },
  );
}

/** The task that a batch creates; undefined for changes. NOT_FOUND, FORBIDDEN. */
export async function planOf(actor: Actor, batchId: string): Promise<PlannedTask | undefined> {
  const { input } = await ownBatch(actor, batchId);
  return input.action === 'create' ? plannedTask.parse(input.values) : undefined;
}

/** The tasks of a batch that wait to be changed, of which those of the first rows count. NOT_FOUND, FORBIDDEN. */
export async function waitingTasks(actor: Actor, batchId: string): Promise<string[]> {
  await ownBatch(actor, batchId);
  const rows = await db()
    .selectFrom('task_batch_rows')
    .select('task_id')
    .where('batch_id', '=', batchId)
    .where('state', '=', 'waiting')
    .orderBy('number')
    .execute();
  return rows.map((row) => row.task_id);
}

/** The names of the contacts whom emails reach, by client. */
async function contactsOf(clientIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await reachableContacts()
    .select(['client_contacts.client_id', 'contacts.full_name'])
    .where('client_contacts.client_id', 'in', [...clientIds, ''])
    .orderBy('contacts.full_name')
    .execute();
  return new Map(
    [...Map.groupBy(rows, (row) => row.client_id)].map(([id, some]) => [
      id,
      some.map((row) => row.full_name),
    ]),
  );
}

const reachableContacts = () =>
  db()
    .selectFrom('client_contacts')
    .innerJoin('contacts', 'contacts.contact_id', 'client_contacts.contact_id')
    .where('contacts.staff', '=', 0)
    .where('contacts.removed_at', 'is', null)
    .where('contacts.suspended_at', 'is', null);

/** Lists one page of the rows of a batch, in their order. */
export async function listRows(
  actor: Actor,
  batchId: string,
  { show, from }: RowQuery,
  lang: Lang,
): Promise<{ rows: BatchRow[]; total: number }> {
  const batch = await ownBatch(actor, batchId);
  const matching = db()
    .selectFrom('task_batch_rows')
    .where('batch_id', '=', batchId)
    .where('task_batch_rows.state', 'in', LISTED_STATES[show]);
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .innerJoin('clients', 'clients.client_id', 'task_batch_rows.client_id')
    .leftJoin('tasks', 'tasks.task_id', 'task_batch_rows.task_id')
    .selectAll('task_batch_rows')
    .select([
      'clients.name as client',
      'tasks.type',
      'tasks.kind',
      'tasks.label',
      'tasks.tax_year',
      'tasks.form_id',
    ])
    // a right that was withdrawn meanwhile hides the names
    .where('task_batch_rows.client_id', 'in', clientIdsOf(actor))
    .orderBy('task_batch_rows.number')
    .limit(ROWS_A_PAGE)
    .offset(from)
    .execute();
  const forms = await formTitles(rows.map((row) => row.form_id));
  const contacts =
    batch.state === 'ready'
      ? await contactsOf(rows.filter(({ state }) => state === 'waiting').map((row) => row.client_id))
      : new Map<string, string[]>();
  return {
    total: Number(total),
    rows: rows.map((row) => ({
      number: row.number,
      clientId: row.client_id,
      client: row.client,
      taskId: row.task_id,
      title: titleOfRow(row),
      state: row.state,
      problem: row.problem,
      contacts: row.state === 'waiting' ? (contacts.get(row.client_id) ?? []) : [],
    })),
  };

  function titleOfRow({
    type,
    kind,
    label,
    tax_year: taxYear,
    form_id: formId,
  }: (typeof rows)[number]): string {
    if (type === null) return ''; // not created yet
    return taskTitle(lang, { type, kind: kind ?? '', label: label ?? '', taxYear }, forms.get(formId ?? ''));
  }
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
export const beginBatch = (actor: Actor, batchId: string, input?: ChangeInput): Promise<void> =>
  begin(actor, taskBatchKind, batchId, {
    prepare: async (current, { state, input: { action } }) => {
      if (action === 'return' && state === 'ready' && !input?.reason?.trim()) throw new PortalError('EMPTY');
      const due = input?.dueDate ?? '';
      if (due !== '' && due < (await firmToday(current.companyId))) throw new PortalError('INVALID');
      if (input?.responsible) await assertStaff(current, input.responsible);
      if (input && state === 'ready' && action !== 'create')
        await db()
          .updateTable('task_batches')
          .set({ input: encryptedInput(batchId, input) })
          .where('batch_id', '=', batchId)
          .execute();
    },
  });

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
export const stopBatch = (actor: Actor, batchId: string): Promise<void> =>
  stop(actor, taskBatchKind, batchId);

/** Begins to undo a batch: tasks that clients have begun stay. STALE, NOT_POSSIBLE for what clients have been told. */
export const undoBatch = (actor: Actor, batchId: string): Promise<void> =>
  undo(actor, taskBatchKind, batchId);

/** Removes a batch that was only prepared. STALE once it has begun. */
export const discardBatch = (actor: Actor, batchId: string): Promise<void> =>
  discard(actor, taskBatchKind, batchId);
