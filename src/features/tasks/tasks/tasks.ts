import { z } from 'zod';

/*
 * The contract of the task service (spec 2 sections 3 and 7). Dates are `2026-02-28`, moments ISO 8601.
 */

export const TASK_TYPES = [
  'questionnaire',
  'esign',
  'payment_request',
  'document_request',
  'document_review',
  'misc',
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** Their places are the numbers of the spec: New(0), WIP(1), Done(2), Cancelled(3), Received(4). */
export const TASK_STATUSES = ['New', 'WIP', 'Done', 'Cancelled', 'Received'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Groups of a page (spec 2 section 9). */
export const GROUPS_A_PAGE = 15;
/** Tasks of a page of the API, and at most. */
export const DEFAULT_PAGE_SIZE = 30;
const MAX_PAGE_SIZE = 500;
/** Steps of a task. */
export const MAX_STEPS = 60;
/** Tasks that one call creates, or that one submission creates or reopens. */
export const MAX_TASKS = 50;
export const MAX_LABEL = 200;
export const MAX_COMMENT = 4000;
/** The fields of a posted section: answers of up to 10,000 characters in up to four bytes, and rows of groups. */
export const SECTION_FIELDS = { most: 5000, size: 65_536 };
/** The free object of a task or a step: its JSON in UTF-16 code units, and how deep it nests. */
const MAX_DATA = 64 * 1024;
const MAX_DEPTH = 16;

const byLowerCase = <const T extends string>(names: readonly T[]) => {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return (text: string): T | undefined => known.get(text.toLowerCase());
};

const taskTypeOf = byLowerCase(TASK_TYPES);
const statusNamed = byLowerCase(TASK_STATUSES);
/** The status with this name or number. */
const taskStatusOf = (text: string | number): TaskStatus | undefined =>
  TASK_STATUSES[Number(text)] ?? statusNamed(String(text));

const id = z.string().min(1).max(60);
const day = z.iso.date();
const year = z.number().int().min(1900).max(2200);
const label = z.string().trim().max(MAX_LABEL);
const comment = z.string().max(MAX_COMMENT);

/** A type in any letter case; programs of the Brazilian services write it in capitals. */
const type = z
  .string()
  .max(40)
  .transform((text, context): TaskType => {
    const found = taskTypeOf(text);
    if (found === undefined) context.addIssue({ code: 'custom' });
    return found ?? 'misc';
  });
const status = z.union([z.string().max(20), z.number().int()]).transform((text, context): TaskStatus => {
  const found = taskStatusOf(text);
  if (found === undefined) context.addIssue({ code: 'custom' });
  return found ?? 'New';
});

/** The depth of a JSON value: 0 for a text or number. Stops at `limit`. */
const depthOf = (value: unknown, limit: number): number =>
  typeof value !== 'object' || value === null
    ? 0
    : limit === 0
      ? 1
      : 1 + Math.max(0, ...Object.values(value).map((each) => depthOf(each, limit - 1)));

/** Whether no key of a value, however deep, could change a prototype. */
export const hasPlainKeys = (value: unknown): boolean =>
  !/"(?:__proto__|constructor|prototype)":/u.test(JSON.stringify(value));

/** A free object, at most 64 Ki characters of JSON and 16 levels. Keys that change prototypes are refused. */
export const freeObject = z
  .record(z.string().max(200), z.unknown())
  .refine((value) => depthOf(value, MAX_DEPTH + 1) <= MAX_DEPTH)
  .refine((value) => JSON.stringify(value).length <= MAX_DATA && hasPlainKeys(value));
export type FreeObject = z.infer<typeof freeObject>;

const params = z.strictObject({
  /** What distinguishes tasks of a type, such as `organizer` or `upload`. */
  kind: z.string().max(60).optional(),
  taxYear: year.optional(),
});

const newStep = z.strictObject({
  data: freeObject.optional(),
  comment: comment.optional(),
  dnaComment: comment.optional(),
  required: z.boolean().optional(),
});

/** A task that is created in the group of another one. */
export const childTask = z.strictObject({
  type,
  label: label.optional(),
  order: z.number().int().min(0).max(10_000).optional(),
  dueDate: day.nullish(),
  expirationDate: day.nullish(),
  params: params.optional(),
  data: freeObject.optional(),
  steps: z.array(newStep).max(MAX_STEPS).optional(),
  /** What it asks: a questionnaire, whose sections are its steps. */
  form: z.record(z.string().max(40), z.unknown()).optional(),
  sendNotification: z.boolean().optional(),
  tags: z.array(z.string().min(1).max(60)).max(20).optional(),
});

/** Tasks that a submission creates in the group of its task, and tasks that it changes: a complete one is reopened. */
export const triggers = z.strictObject({
  create: z.array(childTask).max(MAX_TASKS).default([]),
  update: z
    .array(z.strictObject({ taskId: id }))
    .max(MAX_TASKS)
    .default([]),
});
export type Triggers = z.output<typeof triggers>;

/**
 * A task to create. Without `taskGroupId` it gets a group of its own. Its triggers run when the client submits it; no
 * contact can send any.
 */
export const newTask = childTask.extend({
  clientId: id,
  taskGroupId: id.optional(),
  triggers: triggers.optional(),
});
export type NewTask = z.input<typeof newTask>;
export type ParsedNewTask = z.output<typeof newTask>;

/** A change of a task. An empty comment clears it; `data` is merged with what is there unless `replace` is set. */
export const taskChange = z.strictObject({
  status: status.optional(),
  doesNotApplyComment: comment.optional(),
  comment: comment.optional(),
  data: freeObject.optional(),
  replace: z.boolean().optional(),
  dueDate: day.nullish(),
  expirationDate: day.nullish(),
  /** Never changed by this call; accepted, since the spec's programs may send it. */
  label: z.string().max(1000).optional(),
  triggers: triggers.optional(),
  /** The version that the change is based on. */
  version: z.number().int().min(1).optional(),
});
export type TaskChange = z.output<typeof taskChange>;

/** A change of a step. */
export const stepChange = z.strictObject({
  comment: comment.optional(),
  dnaComment: comment.optional(),
  data: freeObject.optional(),
  replace: z.boolean().optional(),
  version: z.number().int().min(1).optional(),
});
export type StepChange = z.output<typeof stepChange>;

const step = z.strictObject({
  number: z.number().int(),
  required: z.boolean(),
  settled: z.boolean(),
  data: freeObject,
  comment: z.string(),
  dnaComment: z.string(),
  version: z.number().int(),
});

export const task = z.strictObject({
  taskId: z.string(),
  clientId: z.string(),
  taskGroupId: z.string(),
  type: z.enum(TASK_TYPES),
  status: z.enum(TASK_STATUSES),
  label: z.string(),
  order: z.number().int(),
  dueDate: z.string().nullable(),
  expirationDate: z.string().nullable(),
  deleted: z.boolean(),
  params: z.strictObject({ kind: z.string(), taxYear: z.number().int().nullable() }),
  sendNotification: z.boolean(),
  tags: z.array(z.string()),
  comment: z.string(),
  doesNotApplyComment: z.string(),
  version: z.number().int(),
  /** With the option `data`. */
  data: freeObject.optional(),
  /** With the option `steps`. */
  steps: z.array(step).optional(),
});
export type Task = z.infer<typeof task>;

export const taskGroup = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  type: z.enum(TASK_TYPES),
  label: z.string(),
  taxYear: z.number().int().nullable(),
  status: z.enum(TASK_STATUSES),
  completedDate: z.string().nullable(),
  expirationDate: z.string().nullable(),
  dueDate: z.string().nullable(),
  tags: z.array(z.string()),
  /** Whole tasks with the option `taskDetails`, otherwise their ids. */
  tasks: z.array(z.union([task, z.strictObject({ taskId: z.string() })])),
});
export type TaskGroup = z.infer<typeof taskGroup>;

const on = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
/** A set of statuses: `NEW,WIP`. Unknown ones are refused, so that a typing error never widens a list. */
const statuses = z
  .string()
  .max(100)
  .transform((text, context): TaskStatus[] => {
    const found = text.split(',').map((each) => taskStatusOf(each.trim()));
    if (found.includes(undefined)) context.addIssue({ code: 'custom' });
    return found.filter((each) => each !== undefined);
  });

/** The options of the calls that read (spec 2 section 7). Pages count from 0; without `pageNum`, all. */
export const readOptions = z.strictObject({
  data: on,
  steps: on,
  deleted: on,
  taskDetails: on,
  taskStatuses: statuses.optional(),
  taskGroupStatuses: statuses.optional(),
  pageNum: z.coerce.number().int().min(0).max(100_000).optional(),
  pageSize: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).optional(),
});
export type ReadOptions = z.output<typeof readOptions>;

export const removal = z.strictObject({ delete: on });
