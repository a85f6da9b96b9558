import {
  courseActions,
  courseRefusal,
  type Course,
  type Side,
} from '#features/tasks/answer-editor/course.ts';
import type { TaskStatus, TaskType } from './tasks.ts';

/*
 * The rules of tasks, for server and browser: which status counts as complete, who may do what in which
 * status, the order of lists, and the next task. Pure.
 */

/** Statuses that wait for the client; the others are complete for the client (spec 2 section 4). */
const PENDING = ['New', 'WIP'] as const satisfies readonly TaskStatus[];
export const COMPLETE = ['Done', 'Cancelled', 'Received'] as const satisfies readonly TaskStatus[];

export const isPending = (status: TaskStatus): boolean => (PENDING as readonly TaskStatus[]).includes(status);

/** Who accepts a submission: the firm, nobody (it is accepted as submitted), or another feature. */
export type AcceptedBy = 'firm' | 'submission' | 'system';

/** What can be done with a task that exists. */
export type TaskAction =
  | 'start'
  | 'save'
  | 'submit'
  | 'set-not-applicable'
  | 'take-back'
  | 'open'
  | 'accept'
  | 'return'
  | 'cancel'
  | 'reopen'
  | 'reschedule'
  | 'delete'
  | 'restore'
  | 'confirm'
  | 'fail'
  | 'decline';

const ALL: readonly TaskStatus[] = [...PENDING, ...COMPLETE];

/** `restore` is for deleted tasks only. */
const ALLOWED = {
  client: {
    start: PENDING,
    save: PENDING,
    submit: PENDING,
    'set-not-applicable': PENDING,
    'take-back': ['Received'],
  },
  firm: {
    cancel: [...PENDING, 'Received'],
    open: ['Received'],
    accept: ['Received'],
    return: ['Received'],
    reopen: COMPLETE,
    reschedule: ALL,
    delete: ALL,
    restore: ALL,
  },
  system: {
    start: PENDING,
    submit: PENDING,
    decline: PENDING,
    confirm: ['Received'],
    // also of what was done, when it turns out not to be
    fail: ['Received', 'Done'],
  },
} as const satisfies TaskCourse['allowed'];

/** What contacts and staff can do with a task whose course another feature decides. */
const WITH_SYSTEM: readonly TaskAction[] = ['start', 'save', 'reschedule', 'delete', 'restore'];

/** What decides about a change besides the status. */
export interface TaskFacts {
  status: TaskStatus;
  isDeleted: boolean;
  /** Past the end of its expiration date, in the firm's time zone. */
  isExpired: boolean;
  /** Staff have opened the current submission. */
  isOpened: boolean;
  /** The client may not set it to "does not apply". */
  isMandatory: boolean;
  acceptedBy: AcceptedBy;
}

/** Why a change is refused; each is the code of an error. */
export type TaskRefusal = 'NOT_FOUND' | 'CLOSED' | 'EXPIRED' | 'OPENED' | 'MANDATORY' | 'NOT_POSSIBLE';

type TaskCourse = Course<TaskStatus, TaskAction, TaskFacts, TaskRefusal>;

/** The course of tasks: the firm asks, the client answers, the firm accepts. */
export const taskCourse: TaskCourse = {
  statuses: ['New', 'WIP', 'Received', 'Done', 'Cancelled'],
  final: ['Done', 'Cancelled'],
  fillable: PENDING,
  allowed: ALLOWED,
  next: (action, { status, acceptedBy }) => statusAfter(status, action, acceptedBy),
  refusedAnyway: (facts, action, side) => {
    if (facts.isDeleted !== (action === 'restore')) return facts.isDeleted ? 'NOT_FOUND' : 'NOT_POSSIBLE';
    return isLeftToSystem(facts, action, side) ? 'NOT_POSSIBLE' : undefined;
  },
  refusedByStatus: ({ status }, action, side) =>
    side === 'client' && action in ALLOWED.client && !isPending(status) ? 'CLOSED' : 'NOT_POSSIBLE',
  refusedByFacts: ({ isOpened, isMandatory, isExpired }, action) => {
    if (action === 'take-back' && isOpened) return 'OPENED';
    if (action === 'set-not-applicable' && isMandatory) return 'MANDATORY';
    const isForAnswers = ['start', 'save', 'submit', 'take-back'].includes(action);
    return isExpired && isForAnswers ? 'EXPIRED' : undefined;
  },
};

/** Returns why this side may not do this with a task now; undefined if it may. */
export const refusalOf = (facts: TaskFacts, action: TaskAction, side: Side): TaskRefusal | undefined =>
  courseRefusal(taskCourse, facts, action, side);

/** The firm can cancel such a task only until it is submitted. */
function isLeftToSystem({ acceptedBy, status }: TaskFacts, action: TaskAction, side: Side): boolean {
  if (side === 'system') return acceptedBy !== 'system';
  if (acceptedBy !== 'system') return false;
  return !WITH_SYSTEM.includes(action) && !(side === 'firm' && action === 'cancel' && isPending(status));
}

/** What this side can do with a task now. */
export const possibleActions = (facts: TaskFacts, side: Side): TaskAction[] =>
  courseActions(taskCourse, facts, side);

/** The text for a status on the firm's side, which says that it canceled a task; to a client, the task does not apply. */
export const firmStatusKey = (status: TaskStatus) => `firm_${status}` as const;

/** The status after an action; the same status if it does not change it. */
export function statusAfter(status: TaskStatus, action: TaskAction, acceptedBy: AcceptedBy): TaskStatus {
  switch (action) {
    case 'start':
    case 'save':
    case 'take-back':
    case 'return':
    case 'reopen':
    case 'fail':
      return 'WIP';
    case 'submit':
      return acceptedBy === 'submission' ? 'Done' : 'Received';
    case 'accept':
    case 'confirm':
      return 'Done';
    case 'set-not-applicable':
    case 'cancel':
    case 'decline':
      return 'Cancelled';
    default:
      return status;
  }
}

/** The UK tax year that ends in `year`: 2024 is `2023/24`, 2000 is `1999/00` (spec 2 section 9). */
export const ukTaxYear = (year: number): string => `${year - 1}/${String(year % 100).padStart(2, '0')}`;

/** What orders tasks (spec 2 section 9). */
export interface SortableTask {
  taskId: string;
  order: number;
  dueDate: string | null;
  label: string;
}

const NO_DATE = '9999-12-31';
const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The order of tasks: `order`, due date (none last), label without regard to case, id. The rank of the status, which
 * the spec puts second, is the same for all.
 */
export const compareTasks = (a: SortableTask, b: SortableTask): number =>
  compare(a.order, b.order) ||
  compare(a.dueDate ?? NO_DATE, b.dueDate ?? NO_DATE) ||
  compare(a.label.toLowerCase(), b.label.toLowerCase()) ||
  compare(a.taskId, b.taskId);

interface ChosenTask {
  taskId: string;
  groupId: string;
  status: TaskStatus;
}

/**
 * Selects the next task after one is done: the next pending one of its group, else the first pending one of the
 * group, else the first pending one at all (spec 2 section 4). With `isGroupList`, the old list without the tree, the
 * first pending task of the group, else its first task. `tasks` are in their order.
 */
export function nextTask<Task extends ChosenTask>(
  tasks: readonly Task[],
  current: Pick<Task, 'taskId' | 'groupId'>,
  { isGroupList = false }: { isGroupList?: boolean } = {},
): Task | undefined {
  const inGroup = tasks.filter(({ groupId }) => groupId === current.groupId);
  const firstPending = inGroup.find(({ status }) => isPending(status));
  if (isGroupList) return firstPending ?? inGroup[0];
  const place = inGroup.findIndex(({ taskId }) => taskId === current.taskId);
  return (
    inGroup.slice(place + 1).find(({ status }) => isPending(status)) ??
    firstPending ??
    tasks.find(({ status }) => isPending(status))
  );
}

/** The types of tasks that an access control or flag hides from contacts (spec 1 section 6). */
export const HIDDEN_BY = {
  esign: 'HideEsignTask',
  payment_request: 'HideInvoiceTask',
  document_request: 'HideDocRequestTask',
} as const satisfies Partial<Record<TaskType, string>>;
