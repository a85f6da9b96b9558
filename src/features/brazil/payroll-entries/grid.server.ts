import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { actsForClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { formatMonth } from './month-text.ts';
import { STATES, type State } from './payroll-entries.ts';
import { presentSheet, type Sheet } from './sheets.server.ts';
import { STATE_CHIPS, STATE_TEXTS } from './texts.ts';

/** The form of the page that the checkboxes of rows belong to. */
export const SHEETS_FORM = 'sheets';

type Row = Sheet & { client: string };

const pageOf = ({ id }: Sheet): string => `staff/payroll-entries/sheets/${id}`;

/** The sheets of the clients of the actor, the newest month first. */
export const sheetGrid = defineGrid({
  name: 'payroll-sheets',
  namespace: 'payroll-entries',
  path: '/api/br-payroll/v1/grids/sheets',
  caption: 'title',
  submit: 'filterSubmit',
  empty: 'gridEmpty',
  noMatch: 'noneFound',
  from: (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return db()
      .selectFrom('payroll_sheets')
      .innerJoin('clients', 'clients.client_id', 'payroll_sheets.client_id')
      .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
      .where('payroll_sheets.company_id', '=', actor.companyId)
      .where('clients.archived_at', 'is', null)
      .where(actsForClient(actor));
  },
  id: sql.ref('payroll_sheets.sheet_id'),
  columns: {
    client: {
      label: 'columnClient',
      type: 'text',
      sql: sql.ref('clients.name_key'),
      isRowHeader: true,
      cell: (row, { pathTo }) => ({ text: row.client, href: pathTo(pageOf(row)) }),
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
      isFilterable: false,
      textStyle: 'phrase',
      cell: ({ name }) => name,
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
    dueOn: {
      label: 'columnDue',
      type: 'exact',
      sql: sql.ref('payroll_sheets.due_on'),
      isFilterable: false,
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ dueOn }, { lang }) => ({
        text: formatDate(LANGUAGES[lang], `${dueOn}T00:00:00Z`, 'UTC'),
        on: dueOn,
      }),
    },
    rows: {
      label: 'columnRows',
      type: 'number',
      sql: sql.ref('payroll_sheets.rows_filled'),
      isSortable: false,
      isFilterable: false,
      isMinor: true,
      cell: ({ rowsFilled }) => String(rowsFilled),
    },
  },
  orderBy: [{ by: 'competence', dir: 'desc' }],
  search: { label: 'searchClient', in: ['client'] },
  fields: {
    state: {
      kind: 'select',
      label: 'columnState',
      options: [['', 'allStates'], ...STATES.map((state) => [state, STATE_TEXTS[state]] as const)],
      where: (_, state) => hasState(state),
    },
    month: {
      kind: 'text',
      label: 'monthFilter',
      maxlength: 7,
      autocomplete: 'off',
      where: (_, month) => sql<SqlBool>`payroll_sheets.competence = ${month}`,
    },
  },
  rows: rowsWith,
  idOf: ({ id }) => id,
  nameOf: ({ client, name, competence }, { lang }) => `${client}, ${name}, ${formatMonth(lang, competence)}`,
  actions: (row, _, { t, pathTo }) => [{ label: t('open'), href: pathTo(pageOf(row)) }],
});

/** The state of a sheet (`stateOf`) as a condition. */
export function hasState(state: string): RawBuilder<SqlBool> {
  const [status, filled, closed] = ['status', 'cells_filled', 'closed_at'].map((column) =>
    sql.ref(`payroll_sheets.${column}`),
  );
  const isOpen = sql`${closed} is null`;
  const conditions: Readonly<Record<State, RawBuilder<SqlBool>>> = {
    empty: sql<SqlBool>`(${isOpen} and ${status} = 'draft' and ${filled} = 0)`,
    draft: sql<SqlBool>`(${isOpen} and ${status} = 'draft' and ${filled} > 0)`,
    submitted: sql<SqlBool>`(${isOpen} and ${status} = 'submitted')`,
    returned: sql<SqlBool>`(${isOpen} and ${status} = 'returned')`,
    closed: sql<SqlBool>`${closed} is not null`,
  };
  return (conditions as Readonly<Record<string, RawBuilder<SqlBool>>>)[state] ?? sql<SqlBool>`1 = 0`;
}

async function rowsWith(_: Actor, ids: readonly (string | number)[]): Promise<Row[]> {
  const rows = await db()
    .selectFrom('payroll_sheets')
    .innerJoin('clients', 'clients.client_id', 'payroll_sheets.client_id')
    .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
    .selectAll('payroll_sheets')
    .select(['payroll_lists.name', 'clients.name as client'])
    .where('sheet_id', 'in', ids.map(String))
    .execute();
  return rows.map((row) => ({ ...presentSheet(row), client: row.client }));
}
