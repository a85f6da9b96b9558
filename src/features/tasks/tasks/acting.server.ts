import type { Side } from '#features/tasks/answer-editor/course.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { freeze, type FrozenAnswer } from '#features/tasks/questionnaires/rules.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { releaseToFirm, takeBackFromFirm } from '#features/documents/documents/unsubmitted.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import { documentsAsked } from './asked-documents.ts';
import { assertManagesTasks, assertPrepared, createTriggered } from './creating.server.ts';
import {
  taskBeingSubmitted,
  taskChangedByFirm,
  taskDeleted,
  taskNotApplicable,
  taskSettled,
  taskSubmitted,
  type FirmChange,
} from './events.server.ts';
import { writeAnswer } from './answers.server.ts';
import { hasReturnedItems, submissionOf, type Submission } from './decisions.server.ts';
import { prevents, taskFindings } from './findings.server.ts';
import { dataOf, dataOfStep } from './free-objects.server.ts';
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
import { factsOf, firmToday, lockTask, lockTaskOfSystem, sideOf, type TaskRow } from './scope.server.ts';
import { formOfTask, isReason, isReserved, questionAnswers, type TaskAnswers } from './task-forms.server.ts';
import { notApplicableSections, submissionProblems } from './form-state.server.ts';
import { titleForFirm } from './titles.server.ts';
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
  /** Gives back dates that a task had before, which may be over. */
  isUndo?: boolean;
}

/** Actions that need a reason, or, when the firm cancels, may have one. */
const WITH_REASON: readonly TaskAction[] = ['set-not-applicable', 'return', 'decline'];

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
  assertPrepared(input.triggers?.create ?? [], 'triggers');
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (current.staff) assertManagesTasks(current);
    const row = await lockTask(current, taskId, { withDeleted: true });
    await assertVersion(current, row, input.version);
    await change({ ...current, side: sideOf(current) }, row, action, input);
  });
  return taskOf(actor, taskId, { data: true, steps: true, deleted: actor.staff });
}

/** What another feature does with a task that it has created. */
export type SystemAction = 'start' | 'submit' | 'confirm' | 'fail' | 'decline';

interface SystemInput {
  /** The contact, or the recipient of a link, who caused it. */
  by: string;
  /** Why it was declined, or has failed. */
  reason?: string;
  /** What a submission freezes besides the task itself; JSON. */
  content?: unknown;
}

/**
 * Does something with a task that was created with `acceptedBy: 'system'`, within the transaction of the caller, who
 * has checked that it may be done. NOT_FOUND for a deleted task, CLOSED, EXPIRED or NOT_POSSIBLE if its status does
 * not allow it, EMPTY if it is declined without a reason.
 */
export async function performSystemAction(
  taskId: string,
  action: SystemAction,
  { by, reason, content }: SystemInput,
): Promise<void> {
  await inTransaction(async () => {
    const row = await lockTaskOfSystem(taskId);
    await change({ contactId: by, side: 'system' }, row, action, { reason, content });
  });
}

/** Throws EDIT_CONFLICT, with the current task, if somebody has changed it since this version. */
export async function assertVersion(actor: Actor, row: TaskRow, version: number | undefined): Promise<void> {
  if (version === undefined || version === row.version) return;
  const current = await taskOf(actor, row.task_id, { data: true, steps: true, deleted: true });
  throw new PortalError('EDIT_CONFLICT', { current });
}

/** Throws unless the actor's side may do this with the task now. */
export const assertPossible = (actor: Actor, row: TaskRow, action: TaskAction): Promise<void> =>
  assertPossibleFor(sideOf(actor), row, action);

async function assertPossibleFor(side: Side, row: TaskRow, action: TaskAction): Promise<void> {
  const facts = await factsOf(row);
  const refused: TaskRefusal | undefined = refusalOf(facts, action, side);
  if (refused === 'NOT_FOUND') throw notFound();
  if (refused) throw new PortalError(refused, { possible: possibleActions(facts, side) });
}

/** Who acts: a contact, staff, or the recipient of a link. */
interface Agent {
  contactId: string;
  side: Side;
}

async function change(
  agent: Agent,
  row: TaskRow,
  action: TaskAction,
  input: ActionInput & { content?: unknown },
): Promise<void> {
  await assertPossibleFor(agent.side, row, action);
  const reason = input.reason?.trim() ?? '';
  const hasReturned =
    ['accept', 'return'].includes(action) && (await hasReturnedItems(row.task_id, row.submission));
  if (hasReturned && action === 'accept') throw new PortalError('NOT_POSSIBLE', { returned: true });
  if (WITH_REASON.includes(action) && reason === '' && !hasReturned)
    throw new PortalError('EMPTY', { field: 'reason' });
  if (action === 'start' && row.status === 'WIP') return;
  if (action === 'submit') {
    await assertComplete(row);
    await taskBeingSubmitted.announce({ taskId: row.task_id });
  }
  const status = statusAfter(row.status, action, row.accepted_by);
  const submitted = action === 'submit' ? await submit(agent, row, input.content) : undefined;
  if (action === 'submit') await releaseToFirm(filesIn(await submissionOf(row.task_id)));
  if (action === 'take-back') await takeBackFiles(row);
  await db()
    .updateTable('tasks')
    .set({
      status,
      version: row.version + 1,
      changed_at: now(),
      ...(isAskedAgain(action, row, input) && { asked_at: now() }),
      ...(submitted && { submission: submitted.number, submitted_at: now() }),
      ...(action === 'delete' && { deleted_at: now(), deleted_by: agent.contactId }),
      ...(action === 'restore' && { deleted_at: null, deleted_by: null }),
      ...(action === 'reschedule' && (await newDates(row, input))),
    })
    .where('task_id', '=', row.task_id)
    .execute();
  await settle(agent, row, action, reason);
  if (status === 'Done' || status === 'Received') await writeAnswer(agent, row.task_id, '#not-apply', '');
  if (action === 'submit') await runTriggers(agent, row, storedTriggers(row));
  if (action === 'accept' && input.triggers) await runTriggers(agent, row, input.triggers);
  await updateGroupState(
    { groupId: row.group_id, companyId: row.company_id },
    isPending(status) ? undefined : status,
  );
  if (action !== 'open' || row.submission > 0)
    await audit({
      companyId: row.company_id,
      actor: agent.contactId,
      action: `task.${action === 'save' ? 'start' : action}`,
      target: row.task_id,
      clientId: row.client_id,
      details: submitted?.details ?? {},
    });
  await announce(agent.side, row, action, { status, reason });
  if (agent.side === 'firm') await announceChange(row, action, input);
}

/** The documents that the answers of a submission consist of. */
const filesIn = (submission: Submission | undefined): string[] =>
  (submission?.answers ?? []).flatMap(({ kind, value }) =>
    kind === 'files' && Array.isArray(value) ? value : [],
  );

/** Withholds the files that the firm has only by the submission that is taken back. */
async function takeBackFiles(row: TaskRow): Promise<void> {
  const earlier = new Set(filesIn(await submissionOf(row.task_id, { upTo: row.submission - 1 })));
  await takeBackFromFirm(filesIn(await submissionOf(row.task_id)).filter((id) => !earlier.has(id)));
}

/** Whether the client is asked for the task anew, from which reminders count. */
const isAskedAgain = (action: TaskAction, row: TaskRow, { dueDate }: ActionInput): boolean =>
  ['return', 'reopen', 'restore', 'fail'].includes(action) ||
  (action === 'reschedule' && dueDate !== undefined && dueDate !== row.due_on);

/** Records what an action means for the submission that it is about. */
async function settle(agent: Agent, row: TaskRow, action: TaskAction, reason: string): Promise<void> {
  if (action === 'set-not-applicable' || action === 'decline')
    await writeAnswer(agent, row.task_id, '#not-apply', reason);
  const submission = { task: row.task_id, number: row.submission };
  switch (action) {
    case 'open':
      return updateSubmission(submission, { opened_at: now(), opened_by: agent.contactId });
    case 'take-back':
      return updateSubmission(submission, { taken_back_at: now() });
    case 'accept':
    case 'confirm':
    case 'return':
    case 'fail':
      return updateSubmission(
        submission,
        {
          decision: action === 'accept' || action === 'confirm' ? 'accepted' : 'returned',
          decided_at: now(),
          decided_by: agent.contactId,
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
    const filled = await questionAnswers(row.task_id);
    const notApplicable = await notApplicableSections(row.task_id, filled);
    const problems = submissionProblems(form, filled.answers, notApplicable);
    const findings = await taskFindings(row, form, filled, DEFAULT_LANG);
    const paths = [...problems, ...findings.filter(prevents)].map(({ path }) => path);
    if (paths.length > 0) throw new PortalError('INCOMPLETE', { paths: paths.slice(0, 100) });
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
  agent: Agent,
  row: TaskRow,
  extra: unknown,
): Promise<{ number: number; details: Record<string, string | number> }> {
  const [submissionId, number] = [newId('submission'), row.submission + 1];
  const content = JSON.stringify({ ...(await contentOf(row)), ...(extra !== undefined && { extra }) });
  const digest = sha256(content);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'submission',
    actor: agent.contactId,
    documents: [
      {
        documentId: row.task_id,
        clientId: row.client_id,
        name: await titleForFirm(row),
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
      submitted_by: agent.contactId,
      content: encryptFor('task_submissions.content', submissionId, content),
      content_sha256: digest,
      receipt: receipt.receipt ?? null,
      opened_at: null,
      opened_by: null,
      taken_back_at: null,
      decision: row.accepted_by === 'submission' ? 'accepted' : '',
      reason: null,
      decided_at: row.accepted_by === 'submission' ? now() : null,
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
  const filled = await questionAnswers(row.task_id);
  const form = await formOfTask(row);
  return {
    task: { id: row.task_id, type: row.type, kind: row.kind, label: row.label, taxYear: row.tax_year },
    data: dataOf(row),
    steps: steps.map((step) => ({
      number: step.number,
      data: dataOfStep(step),
    })),
    comments: [...filled.stored.values()]
      .filter(({ path, value }) => isReserved(path) && !isReason(path) && value !== null)
      .map(({ path, value }) => ({ path, value }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ...(form && {
      form: row.form_id,
      answers: await submittedAnswers(row.task_id, form, filled),
      ...(form.checks && {
        findings: await taskFindings(row, form, filled, form.languages[0] ?? DEFAULT_LANG),
      }),
      ...(await reviewedDocuments(form)),
    }),
  };
}

/** The documents that were reviewed, with their digests at this time. */
async function reviewedDocuments(form: Template) {
  const ids = [...documentsAsked(form).values()];
  if (ids.length === 0) return {};
  const rows = await db()
    .selectFrom('documents')
    .select(['document_id', 'name', 'sha256'])
    .where('document_id', 'in', ids)
    .orderBy('document_id')
    .execute();
  return {
    documents: rows.map(({ document_id: id, name, sha256: digest }) => ({ id, name, sha256: digest })),
  };
}

/** The answers to what applies, in the order of the questions. */
async function submittedAnswers(
  taskId: string,
  form: Template,
  filled: TaskAnswers,
): Promise<FrozenAnswer[]> {
  const notApplicable = await notApplicableSections(taskId, filled);
  return freeze(form, filled.answers).filter(({ path }) => !notApplicable.has(path.split('.')[0] ?? ''));
}

const storedTriggers = (row: TaskRow): Triggers =>
  row.triggers === null
    ? { create: [], update: [] }
    : triggersSchema.parse(JSON.parse(decryptFrom('tasks.triggers', row.task_id, row.triggers)));

/**
 * Creates and reopens what a task triggers, once for each task: a second submission finds the tasks that the first
 * one created. Tasks of other clients are refused with INVALID, which undoes the whole submission.
 */
async function runTriggers(agent: Agent, row: TaskRow, triggers: Triggers): Promise<void> {
  const created = await db()
    .selectFrom('tasks')
    .select('task_id')
    .where('parent_task_id', '=', row.task_id)
    .where('deleted_at', 'is', null)
    .execute();
  if (created.length === 0)
    await createTriggered(
      { companyId: row.company_id, contactId: agent.contactId },
      {
        taskId: row.task_id,
        groupId: row.group_id,
        clientId: row.client_id,
        position: row.position,
      },
      triggers,
    );
  for (const { taskId } of triggers.update.toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1))) {
    const other = await db()
      .selectFrom('tasks')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('client_id', '=', row.client_id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!other || other.task_id === row.task_id)
      throw new PortalError('INVALID', { field: 'triggers', taskId });
    if (isPending(other.status)) continue;
    await db()
      .updateTable('tasks')
      .set({ status: 'WIP', version: other.version + 1, changed_at: now(), asked_at: now() })
      .where('task_id', '=', taskId)
      .execute();
    await updateGroupState({ groupId: other.group_id, companyId: other.company_id });
    await taskSettled.announce({ taskId });
    await audit({
      companyId: row.company_id,
      actor: agent.contactId,
      action: 'task.reopen',
      target: taskId,
      clientId: row.client_id,
      details: { triggeredBy: row.task_id },
    });
  }
}

async function newDates(row: TaskRow, { dueDate, expirationDate, isUndo = false }: ActionInput) {
  const today = await firmToday(row.company_id);
  for (const [field, date] of Object.entries({ dueDate, expirationDate }))
    if (typeof date === 'string' && date < today && !isUndo) throw new PortalError('INVALID', { field });
  return {
    ...(dueDate !== undefined && { due_on: dueDate }),
    ...(expirationDate !== undefined && { expires_on: expirationDate }),
  };
}

/** Features that decide about tasks announce themselves what the firm has to look at. */
async function announce(
  side: Side,
  row: TaskRow,
  action: TaskAction,
  { status, reason }: { status: TaskStatus; reason: string },
): Promise<void> {
  const { task_id: taskId } = row;
  if (action === 'delete') await taskDeleted.announce({ taskId });
  if (side === 'system') await taskSettled.announce({ taskId });
  else if (action === 'submit' && status === 'Received') await taskSubmitted.announce(await eventOf(row));
  else if (action === 'set-not-applicable')
    await taskNotApplicable.announce({ ...(await eventOf(row)), reason });
  else if (action !== 'open') await taskSettled.announce({ taskId });
}

const eventOf = async (row: TaskRow) => ({
  taskId: row.task_id,
  companyId: row.company_id,
  clientId: row.client_id,
  title: await titleForFirm(row),
});

const CHANGES: Partial<Record<TaskAction, FirmChange>> = {
  return: 'returned',
  reopen: 'reopened',
  cancel: 'cancelled',
  accept: 'accepted',
  reschedule: 'rescheduled',
};

/** Announces what contacts want to know; another due date, but not another expiration date. */
async function announceChange(row: TaskRow, action: TaskAction, input: ActionInput): Promise<void> {
  const change = CHANGES[action];
  if (!change || (action === 'reschedule' && !isAskedAgain(action, row, input))) return;
  await taskChangedByFirm.announce({ ...(await eventOf(row)), change });
}
