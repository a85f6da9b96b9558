import { CATEGORIES, END_REASONS, LEAVE_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { cpfOf, fieldsOf, leavesOf } from './internal/store.server.ts';

/** The employees of a client in an export of all data, with their years of vacation and their leaves. */
export const exportedEmployees: Contributions['exports'] = [
  {
    of: 'client',
    name: 'employees.csv',
    text: text('employees', 'exportEmployees'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'name',
          'cpf',
          'registration',
          'hiredOn',
          'endedOn',
          'endReason',
          'category',
          'position',
          'salary',
          'bornOn',
          'data',
          'employee',
        ],
        eachRow(employeesIn(ids), async (row) => {
          const [fields] = (await fieldsOf([row])).values();
          return {
            employee: row.employee_id,
            name: row.name,
            cpf: withMask('cpf', cpfOf(row)),
            registration: row.registration,
            hiredOn: row.hired_on,
            endedOn: row.ended_on,
            endReason: END_REASONS[fields?.endReason ?? ''] ?? fields?.endReason,
            category: CATEGORIES[row.category] ?? row.category,
            position: row.position,
            salary: fields?.salaryCents === null ? null : { minor: fields?.salaryCents ?? 0 },
            bornOn: fields?.bornOn,
            data: JSON.stringify(fields),
          };
        }),
      ),
  },
  {
    of: 'client',
    name: 'vacation-periods.csv',
    text: text('employees', 'exportPeriods'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'startsOn', 'absences', 'takenDays', 'soldDays', 'employee'],
        eachRow(periodsIn(ids), (row) => ({
          employee: row.employee_id,
          name: row.name,
          startsOn: row.starts_on,
          absences: Number(row.absences),
          takenDays: Number(row.taken_days),
          soldDays: Number(row.sold_days),
        })),
      ),
  },
  {
    of: 'client',
    name: 'leaves.csv',
    text: text('employees', 'exportLeaves'),
    content: ({ lang }, { ids }) =>
      exportedTable(lang, ['name', 'startsOn', 'endsOn', 'reason', 'employee'], leavesIn(ids)),
  },
];

const employeesIn = (clientIds: readonly string[]) =>
  rowPages(['client_id', 'name_key', 'employee_id'], (page) =>
    db()
      .selectFrom('employees')
      .selectAll()
      .where('client_id', 'in', clientIds)
      .where('deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );

const periodsIn = (clientIds: readonly string[]) =>
  rowPages(['vacation_periods.employee_id', 'vacation_periods.starts_on'], (page) =>
    db()
      .selectFrom('vacation_periods')
      .innerJoin('employees', 'employees.employee_id', 'vacation_periods.employee_id')
      .selectAll('vacation_periods')
      .select('employees.name')
      .where('employees.client_id', 'in', clientIds)
      .where('employees.deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );

async function* leavesIn(clientIds: readonly string[]) {
  for await (const rows of employeesIn(clientIds)) {
    const leaves = await leavesOf(rows.map((row) => row.employee_id));
    for (const { employee_id: employee, name } of rows)
      for (const { startsOn, endsOn, reason } of leaves.get(employee) ?? [])
        yield { employee, name, startsOn, endsOn, reason: LEAVE_REASONS[reason] ?? reason };
  }
}
