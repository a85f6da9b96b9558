import { CATEGORIES, END_REASONS } from '#features/brazil/labor-rules/esocial-tables.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import { decimalOf, decimalProblem, hoursProblem, minutesOf } from '#platform/inputs/numbers.ts';
import { dateFromText } from '#platform/inputs/typed-dates.ts';
import type { EmployeeFields, FieldName } from './employees.ts';

/* What a row of a spreadsheet says about an employee. An empty cell says nothing. */

type Values = Readonly<Record<string, string>>;

/** The columns of a row by the field of the employee that they fill in. */
const COLUMNS: Readonly<Record<string, FieldName>> = {
  employeeName: 'name',
  cpf: 'cpf',
  registration: 'registration',
  hiredOn: 'hiredOn',
  category: 'category',
  position: 'position',
  cbo: 'cbo',
  salary: 'salaryCents',
  salaryUnit: 'salaryUnit',
  weeklyHours: 'weeklyMinutes',
  bornOn: 'bornOn',
  endedOn: 'endedOn',
  endReason: 'endReason',
};
export const PERIOD_COLUMNS = ['periodStart', 'absences', 'takenDays', 'soldDays'] as const;

/** The column that fills in a field. */
export const columnOf = (field: string): string => {
  if (field === 'establishmentId') return 'establishment';
  if (field.startsWith('vacationPeriods')) return 'periodStart';
  return Object.entries(COLUMNS).find(([, name]) => name === field)?.[0] ?? field;
};

/** The fields that a row gives, for the schema to judge: what cannot be read stays as it is. */
export const fieldsIn = (values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(COLUMNS).flatMap(([column, field]) => {
      const cell = values[column];
      return cell === undefined ? [] : [[field, readCell(field, cell)]];
    }),
  );

function readCell(field: FieldName, cell: string): unknown {
  switch (field) {
    case 'hiredOn':
    case 'endedOn':
    case 'bornOn':
      return dateFromText(cell);
    case 'category':
      return codeIn(CATEGORIES, cell);
    case 'endReason':
      return codeIn(END_REASONS, cell.padStart(2, '0'));
    case 'cbo':
      return cell.replaceAll(/[\s.-]/g, '');
    case 'salaryCents': {
      const amount = withoutMask('decimal', cell);
      return decimalProblem(amount) === undefined ? Math.round(decimalOf(amount) * 100) : cell;
    }
    case 'weeklyMinutes':
      return hoursProblem(cell) === undefined ? minutesOf(cell) : cell;
    case 'salaryUnit':
      return UNITS[plain(cell)] ?? cell;
    default:
      return cell;
  }
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

/** A code, or the name that the table has for it. */
const codeIn = (table: Readonly<Record<string, string>>, cell: string): string =>
  Object.keys(table).find((code) => code === cell.trim() || plain(table[code] ?? '') === plain(cell)) ?? cell;

const UNITS: Readonly<Record<string, string>> = {
  hora: '1',
  hour: '1',
  dia: '2',
  day: '2',
  semana: '3',
  week: '3',
  quinzena: '4',
  mes: '5',
  mensal: '5',
  month: '5',
  tarefa: '6',
  variavel: '7',
};

/** The years of vacation with that of a row: its numbers replace those of the same year. */
export function periodsWith(
  stored: EmployeeFields['vacationPeriods'],
  values: Values,
): EmployeeFields['vacationPeriods'] | { problem: string } | undefined {
  if (values['periodStart'] === undefined) return undefined;
  const startsOn = dateFromText(values['periodStart']);
  if (!/^\d{4}-\d\d-\d\d$/.test(startsOn)) return { problem: 'periodStart' };
  const before = stored.find((period) => period.startsOn === startsOn);
  const period = { startsOn, absences: 0, takenDays: 0, soldDays: 0, ...before };
  for (const column of ['absences', 'takenDays', 'soldDays'] as const) {
    const cell = values[column];
    if (cell === undefined) continue;
    if (!/^\d{1,3}$/.test(cell)) return { problem: column };
    period[column] = Number(cell);
  }
  return [...stored.filter((each) => each !== before), period].toSorted((one, other) =>
    one.startsOn < other.startsOn ? -1 : 1,
  );
}
