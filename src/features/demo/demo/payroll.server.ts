import type { Actor } from '#features/base/people/people.ts';
import { todayOf } from '#features/brazil/payroll-entries/access.server.ts';
import { closeSheet, submitSheet } from '#features/brazil/payroll-entries/acting.server.ts';
import { monthOf, previousMonth } from '#features/brazil/payroll-entries/months.ts';
import { listInput, type CellChange } from '#features/brazil/payroll-entries/payroll-entries.ts';
import { addList, publishList } from '#features/brazil/payroll-entries/publishing.server.ts';
import { saveCells } from '#features/brazil/payroll-entries/saving.server.ts';
import { listSheets, openSheet } from '#features/brazil/payroll-entries/sheets.server.ts';

/*
 * The payroll entries of the bakery in the demo: a list of what varies from month to month, last month sent and closed, this
 * month filled in for some of the employees.
 */

const COLUMNS = [
  { key: 'overtime-50', label: 'Horas extras 50%', code: '150', type: 'hours' },
  { key: 'overtime-100', label: 'Horas extras 100%', code: '151', type: 'hours' },
  { key: 'night', label: 'Adicional noturno', code: '160', type: 'hours' },
  { key: 'commission', label: 'Comissões', code: '210', type: 'decimal' },
  {
    key: 'absences',
    label: 'Faltas',
    code: '410',
    type: 'quantity',
    unit: 'days',
    decimals: 1,
    isDeduction: true,
  },
  { key: 'advance', label: 'Vale', code: '420', type: 'decimal', isDeduction: true },
];

/** Publishes the list, and fills in the sheets of two months. */
export async function bakeryEntries({
  ana,
  firm,
  clientId,
}: {
  ana: Actor;
  firm: Actor;
  clientId: string;
}): Promise<void> {
  const month = monthOf(await todayOf(firm.companyId));
  const last = previousMonth(month);
  const listId = await addList(
    firm,
    listInput.parse({
      name: 'Variáveis da folha',
      payroll: 'monthly',
      from: last,
      dueDay: 28,
      columns: COLUMNS,
    }),
  );
  await publishList(firm, listId);
  const sheetOf = async (competence: string): Promise<string> =>
    (await listSheets(firm, clientId, competence))[0]?.id ?? '';
  const before = await sheetOf(last);
  await fill(ana, before, 1);
  await submitSheet(ana, before, { isConfirmed: true });
  await closeSheet(firm, before);
  await fill(ana, await sheetOf(month), 0.6);
}

/** Fills in a part of the employees, differently from one to the next. */
async function fill(by: Actor, sheetId: string, part: number): Promise<void> {
  const { entries } = await openSheet(by, sheetId);
  const chosen = entries.filter(({ isEmployed }) => isEmployed).slice(0, Math.ceil(entries.length * part));
  const changes = chosen.flatMap(({ employee }, index): CellChange[] => {
    const cell = (column: string, value: number): CellChange => ({
      employeeId: employee.id,
      column,
      value,
      base: 0,
    });
    return [
      cell('overtime-50', (index % 5) * 90),
      ...(index % 3 === 0 ? [cell('night', 480 + index * 15)] : []),
      ...(index % 4 === 1 ? [cell('commission', 18_050 + index * 1000)] : []),
      ...(index % 6 === 2 ? [cell('absences', 100)] : []),
      ...(index % 2 === 0 ? [cell('advance', 30_000)] : []),
    ];
  });
  await saveCells(by, sheetId, changes);
}
