import { actorNow } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import type { Template } from '#features/questionnaires/questionnaires.ts';
import { freeze, type FrozenAnswer } from '#features/questionnaires/rules.ts';
import { issueReceipts } from '#features/receipts/issuing.server.ts';
import { audit } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { newId, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/encryption.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { assertManagesTasks, createTriggered } from './creating.server.ts';
import { taskNotApplicable, taskSettled, taskSubmitted } from './events.server.ts';
import { answersOf, writeAnswer } from './internal/answers.server.ts';
import { hasKeptAnswers } from './kept-answers.server.ts';
import { updateGroupState } from './internal/group-state.server.ts';
import { taskOf } from './reading.server.ts';
import {
  isPending,
  possibleActions,
  refusalOf,
  statusAfter,
  type TaskAction,
  type TaskRefusal,
} from './rules.ts';
import { factsOf, firmToday, lockTask, sideOf, tasksOf, type TaskRow } from './scope.server.ts';
import { formOfTask, isReserved, questionAnswers } from './task-forms.server.ts';
import { notApplicableSections, submissionProblems } from './form-state.server.ts';
import { triggers as triggersSchema, type Task, type TaskStatus, type Triggers } from './tasks.ts';

/** What an action needs: not all need anything. */
export interface ActionInput {
  /** The version that the person saw; EDIT_CONFLICT if it has changed since. */
  version?: number | undefined;
  /** Why it does not apply, is returned, or is cancelled. */
  reason?: string | undefined;
  /** What accepting creates and reopens, besides what the task itself says. */
  triggers?: Triggers | undefined;
  dueDate?: string | null | undefined;
  expirationDate?: string | null | undefined;
}

/** Actions that need a reason, or, when the firm cancels, may have one. */
const WITH_REASON: readonly TaskAction[] = ['set-not-applicable', 'return'];

/**
 * Does something with a task, in one transaction with all that follows from it, and returns the task. NOT_FOUND;
 * FORBIDDEN for staff who may not change tasks; EDIT_CONFLICT if the task has changed; CLOSED, EXPIRED, OPENED,
 * MANDATORY or NOT_POSSIBLE if the status does not allow it, with what is possible; INCOMPLETE with the numbers of the
 * required steps that are open; EMPTY without a reason.
 */
export async function performAction(
  actor: Actor,
  taskId: string,
  action: TaskAction,
  input: ActionInput = {},
): Promise<Task> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (current.staff) assertManagesTasks(current);
    const row = await lockTask(current, taskId, { withDeleted: true });
    await assertVersion(current, row, input.version);
    await change(current, row, action, input);
  });
  return taskOf(actor, taskId, { data: true, steps: true, deleted: actor.staff });
}

/** Throws EDIT_CONFLICT, with the current task, if somebody has changed it since this version. */
export async function assertVersion(actor: Actor, row: TaskRow, version: number | undefined): Promise<void> {
  if (version === undefined || version === row.version) return;
  const current = await taskOf(actor, row.task_id, { data: true, steps: true, deleted: true });
  throw new PortalError('EDIT_CONFLICT', { current });
}

/** Throws unless the actor's side may do this with the task now. */
export async function assertPossible(actor: Actor, row: TaskRow, action: TaskAction): Promise<void> {
  const facts = await factsOf(row);
  const side = sideOf(actor);
  const refused: TaskRefusal | undefined = refusalOf(facts, action, side);
  if (refused === 'NOT_FOUND') throw notFound();
  if (refused) throw new PortalError(refused, { possible: possibleActions(facts, side) });
}

async function change(actor: Actor, row: TaskRow, action: TaskAction, input: ActionInput): Promise<void> {
  await assertPossible(actor, row, action);
  const reason = input.reason?.trim() ?? '';
  if (WITH_REASON.includes(action) && reason === '') throw new PortalError('EMPTY', { field: 'reason' });
  if (action === 'start' && row.status === 'WIP') return;
  if (action === 'submit') await assertComplete(row);
  const status = statusAfter(row.status, action, row.accepted_by);
  const submitted = action === 'submit' ? await submit(actor, row) : undefined;
  await db()
    .updateTable('tasks')
    .set({
      status,
      version: row.version + 1,
      changed_at: now(),
      ...(submitted && { submission: submitted.number, submitted_at: now() }),
      ...(action === 'delete' && { deleted_at: now(), deleted_by: actor.contactId }),
      ...(action === 'restore' && { deleted_at: null, deleted_by: null }),
      ...(action === 'reschedule' && (await newDates(row, input))),
    })
    .where('task_id', '=', row.task_id)
    .execute();
  await settle(actor, row, action, reason);
  if (status === 'Done' || status === 'Received') await writeAnswer(actor, row.task_id, '#not-apply', '');
  if (action === 'submit') await runTriggers(actor, row, storedTriggers(row));
  if (action === 'accept' && input.triggers) await runTriggers(actor, row, input.triggers);
  await updateGroupState(
    { groupId: row.group_id, companyId: row.company_id },
    isPending(status) ? undefined : status,
  );
  if (action !== 'open' || row.submission > 0)
    await audit({
      companyId: row.company_id,
      actor: actor.contactId,
      action: `task.${action === 'save' ? 'start' : action}`,
      target: row.task_id,
      clientId: row.client_id,
      details: submitted?.details ?? {},
    });
  await announce(row, action, status);
}

/** Records what an action means for the submission that it is about. */
async function settle(actor: Actor, row: TaskRow, action: TaskAction, reason: string): Promise<void> {
  if (action === 'set-not-applicable') await writeAnswer(actor, row.task_id, '#not-apply', reason);
  const submission = { task: row.task_id, number: row.submission };
  switch (action) {
    case 'open':
      return updateSubmission(submission, { opened_at: now(), opened_by: actor.contactId });
    case 'take-back':
      return updateSubmission(submission, { taken_back_at: now() });
    case 'accept':
    case 'return':
      return updateSubmission(
        submission,
        {
          decision: action === 'accept' ? 'accepted' : 'returned',
          decided_at: now(),
          decided_by: actor.contactId,
        },
        reason,
      );
  }
}

async function updateSubmission(
  { task, number }: { task: string; number: number },
  values: {
    opened_at?: number;
    opened_by?: string;
    taken_back_at?: number;
    decision?: 'accepted' | 'returned';
    decided_at?: number;
    decided_by?: string;
  },
  reason = '',
): Promise<void> {
  const { submission_id: id } = await db()
    .selectFrom('task_submissions')
    .select('submission_id')
    .where('task_id', '=', task)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  await db()
    .updateTable('task_submissions')
    .set({ ...values, ...(reason !== '' && { reason: encryptFor('task_submissions.reason', id, reason) }) })
    .where('submission_id', '=', id)
    // the first time that staff open it counts
    .$if(values.opened_at !== undefined, (update) => update.where('opened_at', 'is', null))
    .execute();
}

async function assertComplete(row: TaskRow): Promise<void> {
  const form = await formOfTask(row);
  if (form) {
    if (await hasKeptAnswers(row.task_id)) throw new PortalError('INCOMPLETE', { undecided: true });
    const { answers } = await questionAnswers(row.task_id);
    const problems = submissionProblems(form, answers, await notApplicableSections(row.task_id));
    if (problems.length > 0)
      throw new PortalError('INCOMPLETE', { paths: problems.map(({ path }) => path).slice(0, 100) });
    return;
  }
  const open = await db()
    .selectFrom('task_steps')
    .select('number')
    .where('task_id', '=', row.task_id)
    .where('is_required', '=', 1)
    .where('is_settled', '=', 0)
    .orderBy('number')
    .execute();
  if (open.length > 0) throw new PortalError('INCOMPLETE', { steps: open.map(({ number }) => number) });
}

/** Freezes what the task contains, with a receipt over its digest. */
async function submit(
  actor: Actor,
  row: TaskRow,
): Promise<{ number: number; details: Record<string, string | number> }> {
  const [submissionId, number] = [newId('submission'), row.submission + 1];
  const content = JSON.stringify(await contentOf(row));
  const digest = sha256(content);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'submission',
    actor: actor.contactId,
    documents: [
      {
        documentId: row.task_id,
        clientId: row.client_id,
        name: row.label,
        size: Buffer.byteLength(content),
        sha256: digest,
      },
    ],
  });
  await db()
    .insertInto('task_submissions')
    .values({
      submission_id: submissionId,
      task_id: row.task_id,
      number,
      submitted_at: now(),
      submitted_by: actor.contactId,
      content: encryptFor('task_submissions.content', submissionId, content),
      content_sha256: digest,
      receipt: receipt.receipt ?? null,
      opened_at: null,
      opened_by: null,
      taken_back_at: null,
      decision: row.accepted_by === 'firm' ? '' : 'accepted',
      reason: null,
      decided_at: row.accepted_by === 'firm' ? null : now(),
      decided_by: null,
    })
    .execute();
  return { number, details: { submission: number, sha256: digest, ...receipt } };
}

/** What a submission freezes: the free object, the steps and every value. */
async function contentOf(row: TaskRow) {
  const steps = await db()
    .selectFrom('task_steps')
    .select(['step_id', 'number', 'data'])
    .where('task_id', '=', row.task_id)
    .orderBy('number')
    .execute();
  const stored = [...((await answersOf([row.task_id])).get(row.task_id)?.values() ?? [])];
  const form = await formOfTask(row);
  return {
    task: { id: row.task_id, type: row.type, kind: row.kind, label: row.label, taxYear: row.tax_year },
    data: JSON.parse(decryptFrom('tasks.data', row.task_id, row.data)) as unknown,
    steps: steps.map((step) => ({
      number: step.number,
      data: JSON.parse(decryptFrom('task_steps.data', step.step_id, step.data)) as unknown,
    })),
    comments: stored
      .filter(({ path, value }) => isReserved(path) && value !== null)
      .map(({ path, value }) => ({ path, value }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ...(form && { form: row.form_id, answers: await submittedAnswers(row.task_id, form) }),
  };
}

/** The answers to what applies, in the order of the questions. */
async function submittedAnswers(taskId: string, form: Template): Promise<FrozenAnswer[]> {
  const { answers } = await questionAnswers(taskId);
  const notApplicable = await notApplicableSections(taskId);
  return freeze(form, answers).filter(({ path }) => !notApplicable.has(path.split('.')[0] ?? ''));
}

const storedTriggers = (row: TaskRow): Triggers =>
  row.triggers === null
    ? { create: [], update: [] }
    : triggersSchema.parse(JSON.parse(decryptFrom('tasks.triggers', row.task_id, row.triggers)));

/**
 * Creates and reopens what a task triggers, once for each task: a second submission finds the tasks that the first
 * one created. Tasks of other clients are refused with INVALID, which undoes the whole submission.
 */
async function runTriggers(actor: Actor, row: TaskRow, triggers: Triggers): Promise<void> {
  const created = await db()
    .selectFrom('tasks')
    .select('task_id')
    .where('parent_task_id', '=', row.task_id)
    .where('deleted_at', 'is', null)
    .execute();
  if (created.length === 0)
    await createTriggered(
      actor,
      {
        taskId: row.task_id,
        groupId: row.group_id,
        clientId: row.client_id,
        position: row.position,
      },
      triggers,
    );
  for (const { taskId } of triggers.update.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1))) {
    const other = await tasksOf(actor)
      .selectAll('tasks')
      .where('tasks.task_id', '=', taskId)
      .where('tasks.client_id', '=', row.client_id)
      .executeTakeFirst();
    if (!other || other.task_id === row.task_id)
      throw new PortalError('INVALID', { field: 'triggers', taskId });
    if (isPending(other.status)) continue;
    await db()
      .updateTable('tasks')
      .set({ status: 'WIP', version: other.version + 1, changed_at: now() })
      .where('task_id', '=', taskId)
      .execute();
    await updateGroupState({ groupId: other.group_id, companyId: other.company_id });
    await taskSettled.announce({ taskId });
    await audit({
      companyId: row.company_id,
      actor: actor.contactId,
      action: 'task.reopen',
      target: taskId,
      clientId: row.client_id,
      details: { triggeredBy: row.task_id },
    });
  }
}

async function newDates(row: TaskRow, { dueDate, expirationDate }: ActionInput) {
  const today = await firmToday(row.company_id);
  for (const [field, date] of Object.entries({ dueDate, expirationDate }))
    if (typeof date === 'string' && date < today) throw new PortalError('INVALID', { field });
  return {
    ...(dueDate !== undefined && { due_on: dueDate }),
    ...(expirationDate !== undefined && { expires_on: expirationDate }),
  };
}

async function announce(row: TaskRow, action: TaskAction, status: TaskStatus): Promise<void> {
  const { task_id: taskId, company_id: companyId, client_id: clientId, label } = row;
  if (action === 'submit' && status === 'Received')
    await taskSubmitted.announce({ taskId, companyId, clientId, label });
  else if (action === 'set-not-applicable')
    await taskNotApplicable.announce({ taskId, companyId, clientId, label });
  else if (action !== 'open') await taskSettled.announce({ taskId });
}
