import { sql, type RawBuilder } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { idsOf } from '#features/base/grids/reading.server.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import { hasArea, hasPart, type Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { assertSees } from './access.server.ts';
import { sheetPath } from './client-page.server.ts';
import { hasState } from './grid.server.ts';
import { cellsIn, filledIn, readColumns, sheetsOf } from './internal/rows.server.ts';
import { formatMonth } from './month-text.ts';
import { STATES, type State } from './payroll-entries.ts';
import { presentSheet } from './sheets.server.ts';
import { STATE_CHIPS, STATE_TEXTS } from './texts.ts';
import { shownText, type EntryColumn } from './values.ts';

/*
 * The report on entries: a row for each employee and sheet. Values are encrypted, so that a column is looked for, and sums
 * are made, by reading the rows; those of the newest months first, and at most so many.
 */

const MAX_READ = 20_000;

interface ReportRow {
  id: string;
  sheetId: string;
  list: string;
  competence: string;
  employee: string;
  registration: string;
  state: State;
  /** Of one column, if that was chosen. */
  entries: { column: EntryColumn; value: number }[];
  isOfColumn: boolean;
}

/** Throws FORBIDDEN for people who have no reports, or no payroll entries. */
function assertReportOpen(actor: Actor): void {
  assertSees(actor);
  if (!hasPart(actor.access, 'actions') || !hasArea(actor.access, 'br-reports'))
    throw new PortalError('FORBIDDEN');
}

/** A column of a list in the filter: `<list>:<key>`. */
function columnIn(text: string | undefined): { listId: string; key: string } | undefined {
  const at = (text ?? '').indexOf(':');
  return text === undefined || at < 0 ? undefined : { listId: text.slice(0, at), key: text.slice(at + 1) };
}

const rowsOfSheets = (actor: Actor, client: string | undefined) =>
  sheetsOf(actor)
    .innerJoin('payroll_rows', 'payroll_rows.sheet_id', 'payroll_sheets.sheet_id')
    .innerJoin('employees', 'employees.employee_id', 'payroll_rows.employee_id')
    .$if(client !== undefined, (rows) => rows.where('payroll_sheets.client_id', '=', client ?? ''));

type Months = Readonly<Record<string, string>>;

/** The employees and sheets with a value in a column, as conditions of ids. */
async function rowsWithColumn(
  actor: Actor,
  client: string | undefined,
  { listId, key }: { listId: string; key: string },
  { from = '', to = '' }: Months,
): Promise<RawBuilder<string>[]> {
  const rows = await rowsOfSheets(actor, client)
    .select(['payroll_rows.sheet_id', 'payroll_rows.employee_id', 'payroll_rows.cells'])
    .where('payroll_sheets.list_id', '=', listId)
    .$if(from !== '', (all) => all.where('payroll_sheets.competence', '>=', from))
    .$if(to !== '', (all) => all.where('payroll_sheets.competence', '<=', to))
    .orderBy('payroll_sheets.competence', 'desc')
    .limit(MAX_READ)
    .execute();
  return rows
    .filter((row) => filledIn(cellsIn(row)).has(key))
    .map((row) => sql<string>`${`${row.sheet_id}:${row.employee_id}`}`);
}

const rowId = sql<string>`(payroll_rows.sheet_id || ':' || payroll_rows.employee_id)`;

/** The entries of the active client, the newest month first. */
export const entriesReport = defineGrid({
  name: 'payroll-entries-report',
  namespace: 'payroll-entries',
  path: '/api/br-payroll/v1/grids/entries',
  caption: 'reportTitle',
  submit: 'filterSubmit',
  empty: 'reportEmpty',
  noMatch: 'reportNone',
  isOfClient: true,
  from: async (actor, { client, fields }) => {
    assertReportOpen(actor);
    if (client !== undefined) await assertActsFor(actor, client);
    const column = columnIn(fields['column']);
    const chosen = column && (await rowsWithColumn(actor, client, column, fields));
    const key = sql<string>`${column?.key ?? ''}`.as('chosen_key');
    return rowsOfSheets(actor, client)
      .innerJoin(db().selectNoFrom(key).as('chosen'), (join) => join.onTrue())
      .$if(chosen !== undefined, (rows) =>
        rows.where(
          chosen && chosen.length > 0
            ? sql<boolean>`${rowId} in (${sql.join(chosen)})`
            : sql<boolean>`${sql.ref('payroll_rows.sheet_id')} is null`,
        ),
      );
  },
  id: sql`(${rowId} || ':' || chosen.chosen_key)`,
  columns: {
    employee: {
      label: 'columnEmployee',
      type: 'text',
      sql: sql.ref('employees.name_key'),
      isRowHeader: true,
      textStyle: 'person',
      cell: ({ employee, sheetId }, { pathTo }) => ({ text: employee, href: pathTo(sheetPath(sheetId)) }),
    },
    registration: {
      label: 'columnRegistration',
      type: 'text',
      textStyle: 'meta',
      isLabelled: true,
      isMinor: true,
      cell: ({ registration }) => registration,
    },
    competence: {
      label: 'columnMonth',
      type: 'exact',
      sql: sql.ref('payroll_sheets.competence'),
      isFilterable: false,
      textStyle: 'meta',
      cell: ({ competence }, { lang }) => formatMonth(lang, competence),
    },
    list: {
      label: 'columnList',
      type: 'exact',
      sql: sql.ref('payroll_lists.name'),
      isSortable: false,
      isGroupable: true,
      textStyle: 'phrase',
      cell: ({ list }) => list,
    },
    state: {
      label: 'columnState',
      type: 'exact',
      isSortable: false,
      isFilterable: false,
      textStyle: 'phrase',
      options: STATES.map((state) => [state, STATE_TEXTS[state]] as const),
      chip: {},
      cell: ({ state }, { t }) => ({ text: t(STATE_TEXTS[state]), chip: STATE_CHIPS[state] }),
    },
    entries: {
      label: 'columnEntries',
      type: 'text',
      textStyle: 'phrase',
      cell: ({ entries, isOfColumn }, { lang, t }) =>
        entries
          .map(({ column, value }) => {
            const shown = shownText(column, value, LANGUAGES[lang]);
            return isOfColumn ? shown : t('entryOf', { column: column.label, value: shown });
          })
          .join('; ') || '-',
    },
  },
  orderBy: [{ by: 'competence', dir: 'desc' }],
  search: { label: 'searchEmployee', in: ['employee'] },
  fields: {
    from: {
      kind: 'select',
      label: 'filterFromMonth',
      where: (_, month) => sql`payroll_sheets.competence >= ${month}`,
    },
    to: {
      kind: 'select',
      label: 'filterToMonth',
      where: (_, month) => sql`payroll_sheets.competence <= ${month}`,
    },
    list: { kind: 'select', label: 'columnList', where: (_, id) => sql`payroll_sheets.list_id = ${id}` },
    column: { kind: 'select', label: 'columnEntry', isInFrom: true },
    state: {
      kind: 'select',
      label: 'columnState',
      options: [['', 'allStates'], ...STATES.map((state) => [state, STATE_TEXTS[state]] as const)],
      where: (_, state) => hasState(state),
    },
  },
  rows: reportRows,
  idOf: ({ id }) => id,
  nameOf: ({ employee, competence }, { lang }) => `${employee}, ${formatMonth(lang, competence)}`,
});

async function reportRows(actor: Actor, ids: readonly (string | number)[]): Promise<ReportRow[]> {
  const wanted = new Map(
    ids.map((id): [string, string] => {
      const [sheetId = '', employeeId = '', ...key] = String(id).split(':');
      return [`${sheetId}:${employeeId}`, key.join(':')];
    }),
  );
  const parts = [...wanted.keys()].map((id) => id.split(':'));
  const rows = await rowsOfSheets(actor, undefined)
    .selectAll('payroll_sheets')
    .select([
      'payroll_lists.name',
      'payroll_rows.employee_id',
      'payroll_rows.cells',
      'employees.name as employee_name',
      'employees.registration',
    ])
    .where('payroll_rows.sheet_id', 'in', [...new Set(parts.map(([sheetId = '']) => sheetId))])
    .where('payroll_rows.employee_id', 'in', [...new Set(parts.map(([, employeeId = '']) => employeeId))])
    .execute();
  const columns = await columnsOf(rows);
  return rows.flatMap((row) => {
    const place = `${row.sheet_id}:${row.employee_id}`;
    const key = wanted.get(place);
    if (key === undefined) return [];
    const values = filledIn(cellsIn(row));
    const { id: sheetId, name: list, competence, state } = presentSheet(row);
    return [
      {
        id: `${place}:${key}`,
        sheetId,
        list,
        competence,
        state,
        employee: row.employee_name,
        registration: row.registration,
        isOfColumn: key !== '',
        entries: (columns.get(`${row.list_id} ${row.list_version}`) ?? [])
          .filter((column) => key === '' || column.key === key)
          .flatMap((column) => {
            const value = values.get(column.key);
            return value === undefined ? [] : [{ column, value }];
          }),
      },
    ];
  });
}

/** The columns of versions of lists. */
async function columnsOf(
  versions: readonly { list_id: string; list_version: number }[],
): Promise<ReadonlyMap<string, EntryColumn[]>> {
  const listIds = [...new Set(versions.map(({ list_id: id }) => id))];
  if (listIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('payroll_list_versions')
    .selectAll()
    .where('list_id', 'in', listIds)
    .execute();
  return new Map(rows.map((row) => [`${row.list_id} ${row.version}`, readColumns(row.columns)]));
}

/** The total of each column over all rows that the filter finds; with `isCut` there are more than are read. */
export async function totalsOfReport(
  actor: Actor,
  query: GridQuery,
  lang: Lang,
): Promise<{ sums: { label: string; text: string; count: number }[]; isCut: boolean }> {
  const totals = new Map<string, { column: EntryColumn; total: number; count: number }>();
  let read = 0;
  for await (const ids of idsOf(entriesReport, actor, query)) {
    for (const { list, entries } of await reportRows(actor, ids))
      for (const { column, value } of entries) {
        const key = `${list} ${column.key} ${column.type}`;
        const before = totals.get(key) ?? { column, total: 0, count: 0 };
        totals.set(key, { column, total: before.total + value, count: before.count + 1 });
      }
    read += ids.length;
    if (read >= MAX_READ) return { sums: [], isCut: true };
  }
  const { compare } = new Intl.Collator(LANGUAGES[lang]);
  const sums = [...totals.values()]
    .map(({ column, total, count }) => ({
      label: column.label,
      text: shownText(column, total, LANGUAGES[lang]),
      count,
    }))
    .toSorted((one, other) => compare(one.label, other.label));
  return { sums, isCut: false };
}

/** What the report can be filtered by: the months, lists and columns of a client. */
export async function reportChoices(
  actor: Actor,
  clientId: string,
  lang: Lang,
): Promise<{ months: Choice[]; lists: Choice[]; columns: Choice[] }> {
  assertReportOpen(actor);
  const rows = await sheetsOf(actor)
    .select([
      'payroll_sheets.list_id',
      'payroll_sheets.list_version',
      'payroll_sheets.competence',
      'payroll_lists.name',
    ])
    .where('payroll_sheets.client_id', '=', clientId)
    .where('payroll_sheets.cells_filled', '>', 0)
    .orderBy('payroll_sheets.competence', 'desc')
    .orderBy('payroll_lists.name')
    .execute();
  const columns = await columnsOf(rows);
  const lists = new Map(rows.map((row) => [row.list_id, row.name]));
  const labels = new Map(
    rows
      .toReversed()
      .flatMap((row) =>
        (columns.get(`${row.list_id} ${row.list_version}`) ?? []).map(({ key, label }): [string, string] => [
          `${row.list_id}:${key}`,
          lists.size > 1 ? `${label} (${row.name})` : label,
        ]),
      ),
  );
  return {
    months: [...new Set(rows.map(({ competence }) => competence))].map((value) => ({
      value,
      text: formatMonth(lang, value),
    })),
    lists: [...lists].map(([value, text]) => ({ value, text })),
    columns: [...labels].map(([value, text]) => ({ value, text })),
  };
}
