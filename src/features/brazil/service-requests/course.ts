import type { Course } from '#features/tasks/answer-editor/course.ts';

/*
 * The course of a service request: the client asks, the firm answers, asks back or returns it. The strings of the statuses
 * are those of the specification. Pure, for server and browser.
 */

export type RequestStatus =
  'Draft' | 'WaitingForAnswer' | 'WaitingForClient' | 'WaitingForCorrection' | 'Replied';

/** How a request has ended. */
export type RequestOutcome = 'done' | 'declined' | 'cancelled' | 'lapsed';

export type RequestAction =
  | 'save'
  | 'submit'
  /** Sends what the firm needs first; the rest is filled in and sent afterwards. */
  | 'submit-minimum'
  /** Sends the whole after the minimum. */
  | 'submit-rest'
  | 'delete'
  | 'take-back'
  /** Answers the firm's question. */
  | 'answer'
  /** Sends what the firm returned. */
  | 'resubmit'
  | 'cancel'
  | 'reopen'
  | 'confirm-reading'
  | 'open'
  /** Asks the client a question. */
  | 'ask'
  /** Returns answers to be corrected. */
  | 'return'
  | 'reply'
  | 'decline'
  /** Nobody has answered for too long. */
  | 'lapse'
  /** A draft that nobody has touched for too long. */
  | 'expire';

/** What decides about an action besides the status. */
export interface RequestFacts {
  status: RequestStatus;
  /** Of a request that was replied to. */
  outcome?: RequestOutcome;
  isDeleted: boolean;
  /** Staff have opened it since it was sent. */
  isOpened: boolean;
  /** The firm began it on behalf of the client, and may fill the draft. */
  isBegunByFirm: boolean;
  /** A date that the law sets has not been met yet. */
  hasOpenDeadline: boolean;
  daysSinceReply: number;
  /** Its kind can be sent in two steps. */
  hasMinimum: boolean;
  /** Only the minimum was sent. */
  isMinimum: boolean;
}

/** Why something is refused; each is the code of an error. */
type RequestRefusal = 'NOT_FOUND' | 'CLOSED' | 'OPENED' | 'NOT_POSSIBLE';

/** How long a client can reopen a request. */
export const REOPEN_DAYS = 90;

const WAITING = ['WaitingForAnswer', 'WaitingForClient', 'WaitingForCorrection'] as const;

const ALLOWED = {
  client: {
    save: ['Draft', 'WaitingForAnswer', 'WaitingForClient', 'WaitingForCorrection'],
    submit: ['Draft'],
    'submit-minimum': ['Draft'],
    'submit-rest': ['WaitingForAnswer', 'WaitingForClient'],
    delete: ['Draft'],
    'take-back': ['WaitingForAnswer'],
    answer: ['WaitingForClient'],
    resubmit: ['WaitingForCorrection'],
    cancel: WAITING,
    reopen: ['Replied'],
    'confirm-reading': ['Replied'],
  },
  firm: {
    save: ['Draft'],
    open: ['WaitingForAnswer'],
    ask: ['WaitingForAnswer'],
    return: ['WaitingForAnswer'],
    reply: WAITING,
    decline: WAITING,
    cancel: WAITING,
    reopen: ['Replied'],
  },
  system: { lapse: ['WaitingForClient', 'WaitingForCorrection'], expire: ['Draft'] },
} as const satisfies RequestCourse['allowed'];

type RequestCourse = Course<RequestStatus, RequestAction, RequestFacts, RequestRefusal>;

export const requestCourse: RequestCourse = {
  statuses: ['Draft', ...WAITING, 'Replied'],
  final: ['Replied'],
  fillable: ALLOWED.client.save,
  allowed: ALLOWED,
  next: (action, { status }) => NEXT[action] ?? status,
  // until it is sent, the firm sees only a draft that it began
  refusedAnyway: ({ isDeleted, status, isBegunByFirm }, _, side) =>
    isDeleted || (side === 'firm' && status === 'Draft' && !isBegunByFirm) ? 'NOT_FOUND' : undefined,
  refusedByStatus: ({ status }, action, side) =>
    side === 'client' && action in ALLOWED.client && status === 'Replied' ? 'CLOSED' : 'NOT_POSSIBLE',
  refusedByFacts: (facts, action, side) => {
    if (action === 'lapse' && facts.hasOpenDeadline) return 'NOT_POSSIBLE';
    if (side !== 'client') return undefined;
    if (action === 'submit-minimum' && !facts.hasMinimum) return 'NOT_POSSIBLE';
    const isRest = action === 'submit-rest' || (action === 'save' && facts.status === 'WaitingForAnswer');
    if (isRest && !facts.isMinimum) return 'NOT_POSSIBLE';
    // what staff have opened, the client can only ask them to cancel
    if ((action === 'take-back' || action === 'cancel') && facts.isOpened) return 'OPENED';
    const isOver = facts.outcome === 'declined' || facts.daysSinceReply > REOPEN_DAYS;
    return action === 'reopen' && isOver ? 'CLOSED' : undefined;
  },
};

const NEXT: Partial<Record<RequestAction, RequestStatus>> = {
  submit: 'WaitingForAnswer',
  'submit-minimum': 'WaitingForAnswer',
  'submit-rest': 'WaitingForAnswer',
  answer: 'WaitingForAnswer',
  resubmit: 'WaitingForAnswer',
  reopen: 'WaitingForAnswer',
  'take-back': 'Draft',
  ask: 'WaitingForClient',
  return: 'WaitingForCorrection',
  reply: 'Replied',
  decline: 'Replied',
  cancel: 'Replied',
  lapse: 'Replied',
};

/** How a request has ended after an action; undefined if it has not. */
export const outcomeAfter = (action: RequestAction): RequestOutcome | undefined => OUTCOMES[action];

const OUTCOMES: Partial<Record<RequestAction, RequestOutcome>> = {
  reply: 'done',
  decline: 'declined',
  cancel: 'cancelled',
  lapse: 'lapsed',
};
