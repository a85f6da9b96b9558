import { z } from 'zod';
import { MAX_REMARK, typedRemark } from '#platform/forms/remarks.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import {
  MAX_COLUMNS,
  MAX_LISTS,
  MAX_PASTED,
  PAYROLLS,
  listInput,
  type ListInput,
  type PayrollList,
} from './payroll-entries.ts';
import { PAYROLL_TEXTS } from './texts.ts';
import { readValue, typedText, type EntryColumn } from './values.ts';

/** What a column is in the form: quantities of days are a type of their own. */
const FORM_TYPES = ['hours', 'decimal', 'quantity', 'days'] as const;

const { name, from, to, tag, dueDay } = listInput.shape;

const columnRow = z.object({
  label: z.string().trim().max(60),
  code: z.string().trim().max(20),
  type: z.enum(FORM_TYPES),
  decimals: z.enum(['0', '1', '2']),
  max: z.string().max(20),
  isDeduction: z.boolean(),
  hint: z.string().trim().max(120),
});
type ColumnRow = z.output<typeof columnRow>;

/** A list of columns; the keys of columns are given by `withKeys`. */
export const listForm = defineForm('payroll-entries', (message) => ({
  id: 'list',
  title: 'listTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z
    .object({
      name,
      payroll: z.enum(PAYROLLS),
      from,
      to,
      tag,
      dueDay: z
        .string()
        .trim()
        .regex(/^\d{1,2}$/)
        .transform(Number)
        .pipe(dueDay),
      columns: z
        .array(
          columnRow
            .refine(({ label }) => label !== '', { path: ['label'], ...message('labelMissing') })
            .refine((row) => limitOf(row) !== undefined, { path: ['max'], ...message('maxWrong') }),
        )
        .min(1)
        .max(MAX_COLUMNS),
    })
    .refine((list) => list.to === '' || list.from <= list.to, { path: ['to'], ...message('toWrong') })
    .refine(
      ({ columns }) => new Set(columns.map(({ label }) => label.toLowerCase())).size === columns.length,
      {
        path: ['columns'],
        ...message('labelTwice'),
      },
    ),
  fields: {
    name: {
      kind: 'text',
      label: 'listName',
      missing: 'nameMissing',
      wrong: 'nameMissing',
      maxlength: 80,
      autocomplete: 'off',
    },
    payroll: {
      kind: 'select',
      label: 'payroll',
      options: PAYROLLS.map((payroll) => [payroll, PAYROLL_TEXTS[payroll]] as const),
    },
    from: { kind: 'select', label: 'fromMonth' },
    to: { kind: 'select', label: 'toMonth', optional: true },
    tag: { kind: 'select', label: 'audience', hint: 'audienceHint', optional: true },
    dueDay: {
      kind: 'text',
      label: 'dueDay',
      hint: 'dueDayHint',
      missing: 'dueDayWrong',
      wrong: 'dueDayWrong',
      inputmode: 'numeric',
      maxlength: 2,
      autocomplete: 'off',
    },
    columns: {
      kind: 'group',
      label: 'columns',
      hint: 'columnsHint',
      max: MAX_COLUMNS,
      add: 'columnAdd',
      remove: 'columnRemove',
      fields: {
        label: {
          kind: 'text',
          label: 'columnLabel',
          missing: 'labelMissing',
          maxlength: 60,
          autocomplete: 'off',
        },
        code: {
          kind: 'text',
          label: 'columnCode',
          hint: 'columnCodeHint',
          optional: true,
          maxlength: 20,
          autocomplete: 'off',
        },
        type: {
          kind: 'select',
          label: 'columnType',
          options: [
            ['hours', 'type_hours'],
            ['decimal', 'type_decimal'],
            ['quantity', 'type_quantity'],
            ['days', 'type_days'],
          ],
        },
        decimals: {
          kind: 'select',
          label: 'columnDecimals',
          options: [
            ['0', 'decimals_0'],
            ['1', 'decimals_1'],
            ['2', 'decimals_2'],
          ],
        },
        max: {
          kind: 'text',
          label: 'columnMax',
          hint: 'columnMaxHint',
          optional: true,
          wrong: 'maxWrong',
          maxlength: 20,
          autocomplete: 'off',
        },
        isDeduction: { kind: 'checkbox', label: 'columnDeduction' },
        hint: { kind: 'text', label: 'columnHint', optional: true, maxlength: 120, autocomplete: 'off' },
      },
    },
  },
  refusals: {
    TOO_MANY: { text: 'tooManyLists', vars: ({ most }) => ({ most: Number(most ?? MAX_LISTS) }) },
    CLOSED: 'listEnded',
  },
}));

const typeOf = ({ type, decimals }: ColumnRow): Pick<EntryColumn, 'type' | 'unit' | 'decimals'> => ({
  type: type === 'days' ? 'quantity' : type,
  unit: type === 'days' ? 'days' : '',
  decimals: Number(decimals),
});

/** The highest value of a column: null without one, undefined if it cannot be read. */
function limitOf(row: ColumnRow): number | null | undefined {
  const read = readValue(typeOf(row), row.max);
  return 'problem' in read ? undefined : read.value;
}

/**
 * The columns of a form with their keys. A column keeps its key if its code or its name stays, so that the entries of earlier
 * months belong to it.
 */
export function withKeys(rows: readonly ColumnRow[], known: readonly EntryColumn[]): ListInput['columns'] {
  const taken = new Set<string>();
  const keyOf = ({ code, label }: ColumnRow): string | undefined =>
    known.find(
      (column) => !taken.has(column.key) && ((code !== '' && column.code === code) || column.label === label),
    )?.key;
  return rows.map((row) => {
    const key = keyOf(row) ?? newKey(new Set([...taken, ...known.map((column) => column.key)]));
    taken.add(key);
    return {
      key,
      label: row.label,
      code: row.code,
      ...typeOf(row),
      min: null,
      max: limitOf(row) ?? null,
      isDeduction: row.isDeduction,
      hint: row.hint,
    };
  });
}

function newKey(taken: ReadonlySet<string>): string {
  let number = taken.size + 1;
  while (taken.has(`c${number}`)) number += 1;
  return `c${number}`;
}

/** What the form shows of a list. */
export const valuesOf = (list: PayrollList, locale: string) => ({
  name: list.name,
  payroll: list.payroll,
  from: list.from,
  to: list.to,
  tag: list.tag,
  dueDay: String(list.dueDay),
  columns: list.columns.map((column) => ({
    label: column.label,
    code: column.code,
    type: column.unit === 'days' ? 'days' : column.type,
    decimals: String(column.decimals),
    max: typedText(column, column.max, locale),
    isDeduction: column.isDeduction,
    hint: column.hint,
  })),
});

/** What the firm says when it closes a sheet that was sent. */
export const replyForm = defineForm('payroll-entries', (message) => ({
  id: 'reply',
  title: 'replyTitle',
  problemTitle: 'notReplied',
  submit: 'replySubmit',
  schema: z.object({
    text: typedRemark({ missing: message('replyMissing'), tooLong: message('replyTooLong') }),
  }),
  fields: {
    text: { kind: 'textarea', label: 'replyText', hint: 'replyHint', rows: 3, maxlength: MAX_REMARK },
  },
  refusals: { CLOSED: 'refusedClosed', NOT_POSSIBLE: 'refusedSent' },
}));

const file = z.array(z.instanceof(File));

/** What is pasted from a spreadsheet, or a file of one. */
export const pasteForm = defineForm('payroll-entries', () => ({
  id: 'paste',
  title: 'pasteTitle',
  problemTitle: 'notRead',
  submit: 'pastePreview',
  busy: 'reading',
  schema: z
    .object({ text: z.string().max(MAX_PASTED), file, at: z.string().max(130).default('') })
    .refine(({ text, file: files }) => text.trim() !== '' || (files[0]?.size ?? 0) > 0, { path: ['text'] }),
  fields: {
    at: { kind: 'hidden' },
    text: {
      kind: 'textarea',
      label: 'pasteText',
      hint: 'pasteHint',
      optional: true,
      wrong: 'pasteMissing',
      rows: 8,
    },
    file: {
      kind: 'file',
      label: 'pasteFile',
      hint: 'pasteFileHint',
      optional: true,
      wrong: 'notRead',
      accept: '.csv,.txt,.xlsx',
    },
  },
  refusals: {
    UNREADABLE: { field: 'file', text: 'fileUnreadable' },
    TOO_LARGE: { field: 'file', text: 'fileLong' },
    TOO_MANY: { field: 'file', text: 'fileLater' },
  },
}));
