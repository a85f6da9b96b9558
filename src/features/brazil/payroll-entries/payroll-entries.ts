import { z } from 'zod';
import { remark } from '#platform/forms/remarks.ts';
import { line } from '#platform/inputs/line-schemas.ts';
import { maxStored, VALUE_TYPES, type EntryColumn } from './values.ts';

/* The contract of payroll entries: lists of columns that the firm publishes, and a sheet of them per client and month. */

export const MAX_COLUMNS = 60;
export const MAX_LISTS = 50;
/** Employees on a sheet (decision 0135). */
const MAX_ROWS = 500;
export const MAX_CHANGES = 500;
export const MAX_REASON = 500;
export const MAX_MARKS = 200;
/** Characters that are pasted at once, or that a file has: far more than 500 employees with 60 columns need. */
export const MAX_PASTED = 500_000;
/** Employees on a page of the form. */
export const PAGE = 20;
const MAX_NAME = 80;
const MAX_LABEL = 60;
const MAX_CODE = 20;
const MAX_HINT = 120;
const MAX_ID = 60;
const MAX_PAGE = 100;

/** What a list is for. */
export const PAYROLLS = ['monthly', 'advance', '13th-1', '13th-2', 'profit-share', 'other'] as const;
export type Payroll = (typeof PAYROLLS)[number];

export type ListState = 'draft' | 'published' | 'ended';

/** What is stored of a sheet; one that was closed is closed whatever it was before. */
const STATUSES = ['draft', 'submitted', 'returned'] as const;
export type Status = (typeof STATUSES)[number];
export const STATES = ['empty', ...STATUSES, 'closed'] as const;
export type State = (typeof STATES)[number];

/** The state of a sheet as people see it. */
export function stateOf({
  status,
  isClosed,
  cellsFilled,
}: {
  status: Status;
  isClosed: boolean;
  cellsFilled: number;
}): State {
  if (isClosed) return 'closed';
  return status === 'draft' && cellsFilled === 0 ? 'empty' : status;
}

/** A month, such as `2026-11`. */
const competence = z.string().regex(/^20\d\d-(?:0[1-9]|1[0-2])$/);

const column = z
  .strictObject({
    key: z.string().regex(/^[a-z0-9-]{1,20}$/),
    label: line(MAX_LABEL).min(1),
    code: line(MAX_CODE).default(''),
    type: z.enum(VALUE_TYPES),
    unit: z.enum(['', 'days']).default(''),
    decimals: z.int().min(0).max(2).default(2),
    min: z.int().min(0).nullable().default(null),
    max: z.int().min(0).nullable().default(null),
    isDeduction: z.boolean().default(false),
    hint: line(MAX_HINT).default(''),
  })
  .refine(({ min, max, type }) => Math.max(min ?? 0, max ?? 0) <= maxStored(type))
  .refine(({ min, max }) => min === null || max === null || min <= max) satisfies z.ZodType<EntryColumn>;

export const columnList = z
  .array(column)
  .min(1)
  .max(MAX_COLUMNS)
  .refine((columns) => new Set(columns.map(({ key }) => key)).size === columns.length);

const listFields = {
  name: line(MAX_NAME).min(1),
  payroll: z.enum(PAYROLLS),
  /** The first month. */
  from: competence,
  /** The last month; empty for no end. */
  to: competence.or(z.literal('')).default(''),
  /** A tag of clients; empty for all clients. */
  tag: line(60).default(''),
  /** The day of the month by which sheets are due; in a shorter month its last day, and on a day off the one before. */
  dueDay: z.int().min(1).max(31),
  columns: columnList,
};
export const listInput = z.strictObject(listFields).refine(({ from, to }) => to === '' || from <= to);
export type ListInput = z.output<typeof listInput>;

const listAnswer = z.strictObject({
  ...listFields,
  id: z.string(),
  state: z.enum(['draft', 'published', 'ended']),
  /** How many times it was published. */
  version: z.int(),
});
export type PayrollList = z.output<typeof listAnswer>;
export const listItem = listAnswer;
export const listPage = z.strictObject({ items: z.array(listAnswer) });

const sheetSummary = z.strictObject({
  id: z.string(),
  clientId: z.string(),
  listId: z.string(),
  /** The name of its list. */
  name: z.string(),
  competence: z.string(),
  state: z.enum(STATES),
  dueOn: z.string(),
  rowsFilled: z.int(),
  cellsFilled: z.int(),
  version: z.int(),
});
export const sheetPage = z.strictObject({ items: z.array(sheetSummary) });

const cell = z.strictObject({
  /** Minutes, cents or hundredths; null for an empty cell. */
  value: z.int().nullable(),
  version: z.int(),
});
export const sheetAnswer = sheetSummary.extend({
  columns: z.array(column),
  /** Why it was returned, and the cells that are open then; without any, all are. */
  returned: z
    .strictObject({
      reason: z.string(),
      cells: z.array(z.strictObject({ employeeId: z.string(), column: z.string() })),
    })
    .nullable(),
  /** What the firm has replied; empty where it has not. */
  reply: z.string(),
  rows: z.array(
    z.strictObject({
      employeeId: z.string(),
      name: z.string(),
      registration: z.string(),
      cells: z.record(z.string(), cell),
    }),
  ),
  totalItems: z.int(),
});

export const sheetsQuery = z.strictObject({ competence: competence.optional() });
export const sheetQuery = z.strictObject({
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(MAX_PAGE),
});

const change = z.strictObject({
  employeeId: z.string().max(MAX_ID),
  column: z.string().max(MAX_ID),
  value: z.int().min(0).nullable(),
  /** The version of the cell that the person saw; 0 for an empty one. */
  base: z.int().min(0),
});
export type CellChange = z.output<typeof change>;
export const cellChanges = z.strictObject({ changes: z.array(change).min(1).max(MAX_CHANGES) });

/** What became of each change, in their order. */
const outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['saved', 'same']), version: z.int() }),
  /** Somebody else has changed the cell; `value` is theirs. */
  z.strictObject({ kind: z.literal('conflict'), version: z.int(), value: z.int().nullable() }),
  z.strictObject({ kind: z.literal('refused'), reason: z.enum(['unknown', 'value', 'notOpen']) }),
]);
export type Outcome = z.output<typeof outcome>;
export const outcomeList = z.strictObject({ items: z.array(outcome) });

export const rowsInput = z.strictObject({
  rows: z
    .array(
      z.strictObject({
        registration: z.string().min(1).max(30),
        cells: z
          .array(
            z.strictObject({
              /** The key or the code of a column. */
              column: z.string().max(MAX_ID),
              value: z.int().min(0).nullable(),
            }),
          )
          .max(MAX_COLUMNS),
      }),
    )
    .min(1)
    .max(MAX_ROWS),
});
export const rowOutcomes = z.strictObject({
  items: z.array(
    z.strictObject({
      registration: z.string(),
      status: z.enum(['stored', 'unchanged', 'refused']),
    }),
  ),
});

export const submitInput = z.strictObject({
  /** True to send it although something should be looked at. */
  isConfirmed: z.boolean().default(false),
});
export const returnInput = z.strictObject({
  reason: z.string().trim().min(1).max(MAX_REASON),
  cells: z
    .array(z.strictObject({ employeeId: z.string().max(MAX_ID), column: z.string().max(MAX_ID) }))
    .max(MAX_MARKS)
    .default([]),
});
export type ReturnInput = z.output<typeof returnInput>;
export const replyInput = z.strictObject({ text: remark });

export const totalsAnswer = z.strictObject({
  items: z.array(z.strictObject({ column: z.string(), total: z.int(), count: z.int() })),
});

export const exportQuery = z.strictObject({ competence, format: z.enum(['csv', 'xlsx']).default('csv') });
