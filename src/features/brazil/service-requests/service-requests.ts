import { z } from 'zod';
import { remark } from '#platform/forms/remarks.ts';
import { REQUEST_TYPES, type RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { KINDS } from '#features/brazil/service-request-forms/kinds.ts';
import type { RequestAction, RequestOutcome, RequestStatus } from './course.ts';

/* The contract of service requests: what a client asks of its payroll office (spec 2, sections 2 and 3). */

const STATUSES = [
  'Draft',
  'WaitingForAnswer',
  'WaitingForClient',
  'WaitingForCorrection',
  'Replied',
] as const satisfies readonly RequestStatus[];

const OUTCOMES = ['done', 'declined', 'cancelled', 'lapsed'] as const satisfies readonly RequestOutcome[];

/** The address of a kind among the actions (spec 1, section 2). */
export const actionOf = (type: RequestType): string => KINDS[type].action;

/** The kind of requests with this address. */
export const typeOfAction = (action: string): RequestType | undefined =>
  REQUEST_TYPES.find((type) => actionOf(type) === action);

/** The categories of requests in a status. */
const STATUS_OF = {
  waitingForClient: 'WaitingForClient',
  waitingForAnswer: 'WaitingForAnswer',
  waitingForCorrection: 'WaitingForCorrection',
  replied: 'Replied',
  draft: 'Draft',
} as const satisfies Record<string, RequestStatus>;

export type Category = 'all' | keyof typeof STATUS_OF | (typeof KINDS)[RequestType]['category'];

/** The categories of the list: all of them, those of a status, and those of a kind. */
export const CATEGORIES: readonly [Category, ...Category[]] = [
  'all',
  ...(Object.keys(STATUS_OF) as (keyof typeof STATUS_OF)[]),
  ...REQUEST_TYPES.map((each) => KINDS[each].category),
];

/** What a category shows: requests of a status, of a kind, or all. */
export const inCategory = (category: Category): { status?: RequestStatus; type?: RequestType } => {
  const status = Object.entries(STATUS_OF).find(([name]) => name === category)?.[1];
  const type = REQUEST_TYPES.find((each) => KINDS[each].category === category);
  return { ...(status && { status }), ...(type && { type }) };
};

export const PAGE = 30;
const MAX_PAGE = 100;
export const MAX_REASON = 1000;
/** Days in which the client has to answer, unless the firm says otherwise. */
export const LAPSE_DAYS = 30;

export const type = z.enum(REQUEST_TYPES);
/** Words that may be left out. */
const text = remark.or(z.literal('')).default('');
const id = z.string().max(60);

/** What somebody writes to the other side. */
export const textInput = z.strictObject({ text: remark });
export const messageInput = textInput.extend({
  /** A note that only the firm sees. */
  isInternal: z.boolean().default(false),
});

export const newRequest = z.strictObject({ clientId: id, type, employeeId: id.optional() });
export type NewRequest = z.input<typeof newRequest>;

/** Why the client wants what a rule asks a reason for. */
export const submission = z.strictObject({
  /** Sends what the firm needs first, of a draft whose kind has such a part. */
  isMinimum: z.boolean().default(false),
  confirmations: z
    .array(z.strictObject({ rule: z.string().max(20), reason: remark.max(MAX_REASON) }))
    .max(50)
    .default([]),
});

/** Answers that are to be corrected, each with its reason. */
export const returnInput = z.strictObject({
  marks: z
    .array(z.strictObject({ path: z.string().max(130), reason: remark.max(MAX_REASON) }))
    .min(1)
    .max(100),
});

/** The employee that a reply changes, as the request says. */
const changedEmployee = z.strictObject({
  /** The number of a new contract (matrícula); empty for none. */
  registration: z.string().trim().max(30).default(''),
});

export const reopenInput = z.strictObject({
  text,
  /** Undoes what the reply changed of the employee; for the firm. */
  undoesChange: z.boolean().default(false),
});

export const replyInput = z.strictObject({
  outcome: z.enum(['done', 'declined']),
  text,
  documentIds: z.array(id).max(20).default([]),
  /** Changes the employee, too. */
  employee: changedEmployee.optional(),
});

export const requestQuery = z.strictObject({
  clientId: id.optional(),
  category: z.enum(CATEGORIES).default('all'),
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});
export type RequestQuery = z.output<typeof requestQuery>;

const moment = z.iso.datetime().nullable();

/** A request in a list. */
const listedRequest = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  /** `2026-000123`. */
  number: z.string(),
  type,
  status: z.enum(STATUSES),
  outcome: z.enum(OUTCOMES).nullable(),
  /** Whom or what it is about, in a few words; empty if nobody has said yet. */
  about: z.string(),
  employeeId: z.string().nullable(),
  submittedAt: moment,
  changedAt: z.iso.datetime(),
  /** Since when the side waits that it waits for. */
  waitsSince: moment,
  /** By when the client has to answer; by when the law wants it done. */
  lapsesOn: z.string().nullable(),
  dueOn: z.string().nullable(),
  /** By when the firm has promised an answer. */
  promisedOn: z.string().nullable(),
  responsible: z.string().nullable(),
  /** Only the minimum was sent; the client still fills in the rest. */
  isMinimum: z.boolean(),
});
export type ListedRequest = z.infer<typeof listedRequest>;
export const requestPage = z.strictObject({ items: z.array(listedRequest), totalItems: z.int() });

/** What a rule says about the answers before they are sent. */
const finding = z.strictObject({
  rule: z.string(),
  severity: z.enum(['blocks', 'confirm', 'warns', 'informs']),
  path: z.string(),
  text: z.string(),
  law: z.string(),
  /** The client's reason, where it asks for one. */
  reason: z.string(),
  /** The values of its text; of what was sent earlier they are missing. */
  vars: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  /** It warns because the firm asks for no reason. */
  isSoftened: z.literal(true).optional(),
});
export type RequestFinding = z.infer<typeof finding>;
export const findings = z.strictObject({
  /** Answers that are missing or wrong. */
  problems: z.array(z.strictObject({ path: z.string(), code: z.string() })),
  findings: z.array(finding),
});

const message = z.strictObject({
  id: z.string(),
  kind: z.string(),
  text: z.string(),
  createdBy: z.string(),
  role: z.enum(['Client', 'Firm']),
  isInternal: z.boolean(),
  createdDate: z.iso.datetime(),
  documents: z.array(z.strictObject({ id: z.string(), name: z.string() })),
});
export type RequestMessage = z.infer<typeof message>;

const ACTION_NAMES = [
  'save',
  'submit',
  'submit-minimum',
  'submit-rest',
  'delete',
  'take-back',
  'answer',
  'resubmit',
  'cancel',
  'reopen',
  'confirm-reading',
  'open',
  'ask',
  'return',
  'reply',
  'decline',
] as const satisfies readonly RequestAction[];

export const request = listedRequest.extend({
  version: z.int(),
  /** The number of the newest submission; 0 before the first. */
  submission: z.int(),
  /** What you can do with it now. */
  possible: z.array(z.enum(ACTION_NAMES)),
  messages: z.array(message),
  marks: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
});
export type ServiceRequest = z.infer<typeof request>;

export const submittedRequest = z.strictObject({
  number: z.int(),
  submittedAt: z.iso.datetime(),
  sha256: z.string(),
  receipt: z.int().nullable(),
  content: z.unknown(),
});

/** The number of a request as people read it. */
export const shownNumber = (year: number, number: number): string =>
  `${year}-${String(number).padStart(6, '0')}`;
