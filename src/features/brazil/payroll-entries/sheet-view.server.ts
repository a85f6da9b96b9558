import { z } from 'zod';
import { fold } from '#platform/database/database.server.ts';
import { defineList, useList } from '#platform/forms/lists.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import type { Finding } from './checks.ts';
import { daysOfMonth } from './months.ts';
import { PAGE } from './payroll-entries.ts';
import { isCellOpen, totalsOf, type OpenedSheet, type SheetEntry, type Total } from './sheets.server.ts';
import { RULE_TEXTS } from './texts.ts';
import { maxStored, shownText, typedText, type EntryColumn } from './values.ts';

/* What the pages of both sides show of a sheet. */

/** The employees of a sheet: a page of them, those with a part of a name, those with values. */
const entryList = defineList('payroll-entries', {
  schema: z.object({
    from: z.coerce.number().int().min(0).max(100_000).default(0),
    searchTerm: z.string().max(200).default(''),
    only: z.enum(['', 'filled']).default(''),
  }),
  position: 'from',
  filter: {
    id: 'entries',
    title: 'filterTitle',
    submit: 'filterSubmit',
    fields: {
      searchTerm: { kind: 'text', type: 'search', label: 'searchEmployee', optional: true },
      only: {
        kind: 'select',
        label: 'onlyLabel',
        options: [
          ['', 'onlyAll'],
          ['filled', 'onlyFilled'],
        ],
      },
    },
  },
});

/** What was typed into a cell and could not be stored. */
export interface CellProblem {
  text: string;
  problem: string;
}

interface CellView {
  column: string;
  label: string;
  /** The name of its field, and of its checkbox. */
  name: string;
  value: string;
  /** As it is read. */
  shown: string;
  isOpen: boolean;
  /** Whether it was returned. */
  isMarked: boolean;
  problem: string | undefined;
}

export interface RowView {
  employeeId: string;
  name: string;
  registration: string;
  /** Its place among all that are shown, from 1. */
  position: number;
  /** JSON: what the cells contained when the page was made. */
  base: string;
  isEmployed: boolean;
  cells: CellView[];
}

/** The name of the field of a cell. */
export const fieldOf = (employeeId: string, column: string): string => `c.${employeeId}.${column}`;

/** A page of the employees of a sheet. */
export function rowsView(
  page: { url: URL; locals: { lang: Lang } },
  opened: OpenedSheet,
  problems: ReadonlyMap<string, CellProblem> = new Map(),
) {
  const list = useList(page, entryList);
  const { searchTerm, only, from } = list.query;
  const term = fold(searchTerm.trim());
  const found = opened.entries.filter(
    ({ employee, cells }) =>
      (term === '' || fold(employee.name).includes(term) || fold(employee.registration) === term) &&
      (only === '' || Object.values(cells).some(({ value }) => value !== null)),
  );
  const locale = LANGUAGES[page.locals.lang];
  return {
    rows: found
      .slice(from, from + PAGE)
      .map((entry, at) => rowView(entry, { opened, problems, locale, position: from + at + 1 })),
    total: found.length,
    pager: list.pager(found.length, PAGE),
    /** The address of the next page. */
    next: from + PAGE < found.length ? list.urlFor({ from: from + PAGE }) : undefined,
    filter: list.filter(term === '' && only === '' ? undefined : { count: found.length }),
  };
}

function rowView(
  { employee, cells, isEmployed }: SheetEntry,
  {
    opened: { columns, returned, isOpen },
    problems,
    locale,
    position,
  }: { opened: OpenedSheet; problems: ReadonlyMap<string, CellProblem>; locale: string; position: number },
): RowView {
  const { id: employeeId, name, registration } = employee;
  const base = columns.flatMap(({ key }) => {
    const cell = cells[key];
    return cell ? [[key, [cell.version, cell.value]] as const] : [];
  });
  return {
    employeeId,
    name,
    registration,
    position,
    base: JSON.stringify(Object.fromEntries(base)),
    isEmployed,
    cells: columns.map((column) => {
      const field = fieldOf(employeeId, column.key);
      const value = cells[column.key]?.value ?? null;
      const problem = problems.get(field);
      return {
        column: column.key,
        label: column.label,
        name: field,
        value: problem?.text ?? typedText(column, value, locale),
        shown: shownText(column, value, locale),
        isOpen: isOpen && isCellOpen(returned, employeeId, column.key),
        isMarked:
          returned?.cells.some((cell) => cell.employeeId === employeeId && cell.column === column.key) ??
          false,
        problem: problem?.problem,
      };
    }),
  };
}

/** The totals of a sheet, as a table. */
export function totalsView(lang: Lang, opened: Pick<OpenedSheet, 'columns' | 'entries'>) {
  const t = translationsFor(lang, 'payroll-entries');
  const byKey = new Map(opened.columns.map((column) => [column.key, column]));
  const columns: Column<Total>[] = [
    {
      key: 'column',
      label: t('columnEntry'),
      text: ({ column }) => byKey.get(column)?.label ?? column,
      isRowHeader: true,
    },
    {
      key: 'total',
      label: t('columnTotal'),
      text: ({ column, total }) => {
        const known = byKey.get(column);
        return known ? shownText(known, total, LANGUAGES[lang]) : '';
      },
      isNumber: true,
      isLabelled: true,
    },
    {
      key: 'count',
      label: t('columnEmployees'),
      text: ({ count }) => String(count),
      isNumber: true,
      isLabelled: true,
    },
  ];
  return { columns, rows: totalsOf(opened) };
}

/** What is to be corrected or looked at, as a sentence. */
export function findingText(
  lang: Lang,
  { rule, employeeId, column: key }: Finding,
  { sheet, columns, entries }: Pick<OpenedSheet, 'sheet' | 'columns' | 'entries'>,
): string {
  const t = translationsFor(lang, 'payroll-entries');
  const column = columns.find((each) => each.key === key);
  const entry = entries.find(({ employee }) => employee.id === employeeId);
  const text = (of: EntryColumn | undefined, value: number | null): string =>
    of ? shownText(of, value, LANGUAGES[lang]) : '';
  return t(RULE_TEXTS[rule], {
    employee: entry?.employee.name ?? '',
    column: column?.label ?? key,
    value: text(column, entry?.cells[key]?.value ?? null),
    limit: text(
      column,
      rule === 'min' ? (column?.min ?? 0) : (column?.max ?? maxStored(column?.type ?? 'decimal')),
    ),
    days: daysOfMonth(sheet.competence),
  });
}
