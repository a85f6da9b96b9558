import { actorNow, assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { progressOf } from '#features/tasks/questionnaires/rules.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { taskCreated } from './events.server.ts';
import { updateGroupState } from './internal/group-state.server.ts';
import { taskOf } from './reading.server.ts';
import { groupsOf, lockGroup, lockTask } from './scope.server.ts';
import type { AcceptedBy } from './rules.ts';
import {
  childTask,
  newTask,
  type NewTask,
  type ParsedNewTask,
  type Task,
  type TaskType,
  type Triggers,
} from './tasks.ts';
import { writeAnswer } from './answers.server.ts';
import { storeCheckedForm, type StoredForm } from './task-forms.server.ts';
import { titleForFirm } from './titles.server.ts';
import { responsibleFor } from '#features/base/people/responsible.server.ts';

/** Whether the actor may create and change tasks: staff who publish. */
export const managesTasks = ({ staff, viewedBy, access }: Actor): boolean =>
  staff && viewedBy === undefined && access.permissions.has('Publish');

/** Throws FORBIDDEN unless the actor may create and change tasks. */
export function assertManagesTasks(actor: Actor): void {
  if (!managesTasks(actor)) throw new PortalError('FORBIDDEN');
}

/** What features above this one decide about a task that they create. */
export interface Creation {
  acceptedBy?: AcceptedBy;
  /** The member of staff who looks after it; by default who is responsible for the client. */
  responsible?: string;
  template?: { id: string; version: number | null; name: string };
  /** It has, or gets in the same transaction, the document, amount or documents that its type is about. */
  isPrepared?: boolean;
}

/** What tasks of a type are about, which a task alone does not have. */
const NEEDS: Partial<Record<TaskType, 'document' | 'amount' | 'documents'>> = {
  esign: 'document',
  payment_request: 'amount',
  document_review: 'documents',
};

/** Throws INVALID for tasks that a client could submit without having signed, paid or reviewed anything. */
export function assertPrepared(tasks: readonly { type: TaskType }[], field: string): void {
  for (const { type } of tasks) {
    const needs = NEEDS[type];
    if (needs) throw new PortalError('INVALID', { field, type, needs });
  }
}

/** The tasks of many clients. */
interface ManyCreation extends Creation {
  /** Clients that the actor may not act for any more get no task, instead of failing the others. */
  skipsMissing?: boolean;
}

/**
 * Creates a task, in its group or, without `taskGroupId`, in a group of its own. FORBIDDEN, NOT_FOUND for a client or
 * group that is not the actor's, INVALID if the group is of another client or type.
 */
export async function createTask(actor: Actor, input: NewTask, creation: Creation = {}): Promise<Task> {
  assertManagesTasks(actor);
  const values = newTask.parse(input);
  if (!creation.isPrepared) assertPrepared([values], 'type');
  assertPrepared(values.triggers?.create ?? [], 'triggers');
  const taskId = await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    await assertActsFor(current, values.clientId);
    return insertTask(current, values, creation);
  });
  return taskOf(actor, taskId, { data: true, steps: true });
}

/**
 * Creates tasks in the group of a task, after it: all of them or none. FORBIDDEN, NOT_FOUND, and INVALID with the
 * messages of all refused ones, joined by ". " (spec 2 section 8).
 */
export async function createTasksUnder(
  actor: Actor,
  parentId: string,
  inputs: readonly unknown[],
): Promise<Task[]> {
  assertManagesTasks(actor);
  const parsed = inputs.map((input) => childTask.safeParse(input));
  const problems = parsed.flatMap(({ error }, index) =>
    (error?.issues ?? []).map(({ path, message }) => `${[index, ...path].join('.')}: ${message}`),
  );
  if (problems.length > 0) throw new PortalError('INVALID', { message: problems.join('. ') });
  assertPrepared(
    parsed.flatMap(({ data }) => (data ? [data] : [])),
    'type',
  );
  const ids = await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const parent = await lockTask(current, parentId);
    const created = await createTriggered(
      current,
      {
        taskId: parentId,
        groupId: parent.group_id,
        clientId: parent.client_id,
        position: parent.position,
      },
      { create: parsed.flatMap(({ data }) => (data ? [data] : [])) },
    );
    await updateGroupState({ groupId: parent.group_id, companyId: parent.company_id });
    return created;
  });
  return Promise.all(ids.map((id) => taskOf(actor, id, { data: true, steps: true })));
}

/**
 * Creates the same task for each of these clients, all or none, and returns the ids in the order of the clients.
 * FORBIDDEN, NOT_FOUND for a client that is not the actor's or is archived, INVALID for questions that are not valid.
 */
export async function createTasks(
  actor: Actor,
  clientIds: readonly string[],
  input: Omit<NewTask, 'clientId' | 'taskGroupId'>,
  { skipsMissing = false, ...creation }: ManyCreation = {},
): Promise<(string | undefined)[]> {
  assertManagesTasks(actor);
  if (!creation.isPrepared)
    assertPrepared([newTask.pick({ type: true }).parse({ type: input.type })], 'type');
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const known = await currentClients(current, clientIds);
    const created: (string | undefined)[] = [];
    // what is asked is checked once, not for each client
    const { form, ...rest } = input;
    const asked = form && (await storeCheckedForm(actor.companyId, form));
    for (const clientId of clientIds) {
      const isKnown = known.has(clientId);
      if (!isKnown && !skipsMissing) throw notFound();
      const values = newTask.parse({ ...rest, clientId });
      created.push(isKnown ? await insertTask(current, values, creation, asked) : undefined);
    }
    return created;
  });
}

/** Those of these clients that the actor may act for and that are not archived. */
async function currentClients(actor: Actor, clientIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inBatches(clientIds)) {
    const rows = await clientIdsOf(actor)
      .where('clients.client_id', 'in', some)
      .where('clients.archived_at', 'is', null)
      .execute();
    for (const { client_id: id } of rows) found.add(id);
  }
  return found;
}

async function insertTask(
  actor: Actor,
  values: ParsedNewTask,
  creation: Creation,
  asked?: StoredForm,
): Promise<string> {
  const groupId =
    values.taskGroupId === undefined
      ? await insertGroup(actor, values)
      : await groupFor(actor, values.taskGroupId, values);
  const taskId = await insertIntoGroup(actor, values, {
    groupId,
    clientId: values.clientId,
    position: values.order ?? 1,
    parentTaskId: null,
    creation,
    asked,
  });
  if (values.taskGroupId !== undefined) await updateGroupState({ groupId, companyId: actor.companyId });
  return taskId;
}

async function groupFor(
  actor: Actor,
  groupId: string,
  { clientId, type }: Pick<ParsedNewTask, 'clientId' | 'type'>,
): Promise<string> {
  await lockGroup(groupId);
  const group = await groupsOf(actor)
    .select(['task_groups.client_id', 'task_groups.type'])
    .where('task_groups.group_id', '=', groupId)
    .executeTakeFirst();
  if (!group) throw notFound();
  if (group.client_id !== clientId || group.type !== type)
    throw new PortalError('INVALID', { field: 'taskGroupId' });
  return groupId;
}

async function insertGroup(actor: Actor, values: ParsedNewTask): Promise<string> {
  const groupId = newId('taskgroup');
  const label = values.label ?? '';
  await db()
    .insertInto('task_groups')
    .values({
      group_id: groupId,
      company_id: actor.companyId,
      client_id: values.clientId,
      type: values.type,
      tax_year: values.params?.taxYear ?? null,
      label,
      label_key: fold(label),
      due_on: values.dueDate ?? null,
      expires_on: values.expirationDate ?? null,
      tags: JSON.stringify(values.tags ?? []),
      created_at: now(),
      created_by: actor.contactId,
      status: 'New',
      completed_on: null,
      // the state of a group with its first task
      pending_count: 1,
      task_count: 1,
    })
    .execute();
  return groupId;
}

type NewStep = NonNullable<ParsedNewTask['steps']>[number] & { key?: string };
type TaskContent = Omit<ParsedNewTask, 'clientId' | 'taskGroupId'>;

async function insertIntoGroup(
  actor: Pick<Actor, 'companyId' | 'contactId'>,
  values: TaskContent,
  place: {
    groupId: string;
    clientId: string;
    position: number;
    parentTaskId: string | null;
    creation: Creation;
    asked?: StoredForm | undefined;
  },
): Promise<string> {
  const taskId = newId('task');
  const { acceptedBy = 'firm', responsible, template } = place.creation;
  const asked = place.asked ?? (values.form && (await storeCheckedForm(actor.companyId, values.form)));
  const named = {
    company_id: actor.companyId,
    type: values.type,
    kind: values.params?.kind ?? '',
    tax_year: values.params?.taxYear ?? null,
    label: values.label ?? '',
    form_id: asked?.formId ?? null,
  };
  const title = await titleForFirm(named);
  await db()
    .insertInto('tasks')
    .values({
      ...named,
      task_id: taskId,
      group_id: place.groupId,
      client_id: place.clientId,
      label_key: fold(title),
      position: place.position,
      status: 'New',
      due_on: values.dueDate ?? null,
      expires_on: values.expirationDate ?? null,
      version: 1,
      parent_task_id: place.parentTaskId,
      accepted_by: acceptedBy,
      is_mandatory: 0,
      send_notification: values.sendNotification ? 1 : 0,
      tags: JSON.stringify(values.tags ?? []),
      data: encryptFor('tasks.data', taskId, JSON.stringify(values.data ?? {})),
      firm_data: encryptFor('tasks.firm_data', taskId, JSON.stringify(values.data ?? {})),
      triggers: values.triggers
        ? encryptFor('tasks.triggers', taskId, JSON.stringify(values.triggers))
        : null,
      created_at: now(),
      created_by: actor.contactId,
      changed_at: now(),
      asked_at: now(),
      submitted_at: null,
      submission: 0,
      deleted_at: null,
      deleted_by: null,
      responsible: responsible ?? (await responsibleFor(place.clientId))?.contactId ?? null,
      template_id: template?.id ?? null,
      template_version: template?.version ?? null,
      template_name: template?.name ?? '',
    })
    .execute();
  await insertSteps(actor, taskId, asked ? stepsOf(asked.form) : (values.steps ?? []));
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'task.create',
    target: taskId,
    clientId: place.clientId,
    details: { type: values.type },
  });
  await taskCreated.announce({
    taskId,
    companyId: actor.companyId,
    clientId: place.clientId,
    title,
    isAnnounced: values.sendNotification ?? false,
  });
  return taskId;
}

/** The sections of a form as steps; those in which something has to be answered are required. */
function stepsOf(form: Template): NewStep[] {
  const progress = new Map(progressOf(form, {}).map((section) => [section.key, section]));
  return form.sections.map(({ key }) => ({ key, required: progress.get(key)?.isOptional === false }));
}

async function insertSteps(
  actor: Pick<Actor, 'contactId'>,
  taskId: string,
  steps: readonly NewStep[],
): Promise<void> {
  if (steps.length === 0) return;
  const isNotApplicable = ({ dnaComment = '' }: NewStep): boolean => dnaComment !== '';
  await db()
    .insertInto('task_steps')
    .values(
      steps.map((step, index) => {
        const stepId = newId('taskstep');
        return {
          step_id: stepId,
          task_id: taskId,
          number: index + 1,
          key: step.key ?? '',
          is_required: step.required ? (1 as const) : (0 as const),
          version: 1,
          is_settled: isNotApplicable(step) ? (1 as const) : (0 as const),
          data: encryptFor('task_steps.data', stepId, JSON.stringify(step.data ?? {})),
          firm_data: encryptFor('task_steps.firm_data', stepId, JSON.stringify(step.data ?? {})),
        };
      }),
    )
    .execute();
  for (const [index, step] of steps.entries()) {
    if (step.comment) await writeAnswer(actor, taskId, `${index + 1}#comment`, step.comment);
    if (isNotApplicable(step)) await writeAnswer(actor, taskId, `${index + 1}#not-apply`, step.dnaComment);
  }
}

/**
 * Creates the tasks that a submission triggers, in the group of their parent and after it, and without a
 * notification (spec 2 section 4).
 */
export async function createTriggered(
  actor: Pick<Actor, 'companyId' | 'contactId'>,
  parent: { taskId: string; groupId: string; clientId: string; position: number },
  { create }: Pick<Triggers, 'create'>,
): Promise<string[]> {
  const created: string[] = [];
  for (const values of create)
    created.push(
      await insertIntoGroup(
        actor,
        { ...values, sendNotification: false },
        {
          groupId: parent.groupId,
          clientId: parent.clientId,
          position: parent.position + 1,
          parentTaskId: parent.taskId,
          creation: {},
        },
      ),
    );
  return created;
}
