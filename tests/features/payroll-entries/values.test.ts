import { calendarOf } from '#features/base/work-calendars/calendar.ts';
import { describe, expect, test } from 'vitest';
import { checkSheet, type CheckedRow } from '#features/brazil/payroll-entries/checks.ts';
import { dueOn, monthsFrom, noticesOf } from '#features/brazil/payroll-entries/months.ts';
import {
  cellsOfText,
  pastedValue,
  readPaste,
  type PasteStart,
} from '#features/brazil/payroll-entries/paste.ts';
import {
  readValue,
  shownText,
  typedText,
  type EntryColumn,
} from '#features/brazil/payroll-entries/values.ts';

const column = (change: Partial<EntryColumn> = {}): EntryColumn => ({
  key: 'hours',
  label: 'Horas extras 50%',
  code: '150',
  type: 'hours',
  unit: '',
  decimals: 2,
  min: null,
  max: null,
  isDeduction: false,
  hint: '',
  ...change,
});
const hours = column();
const amount = column({ key: 'commission', label: 'Comissões', code: '200', type: 'decimal' });
const days = column({
  key: 'absences',
  label: 'Faltas',
  code: '300',
  type: 'quantity',
  unit: 'days',
  decimals: 1,
  isDeduction: true,
});

describe('a value that is typed', () => {
  test.each([
    ['hours', '12', 720],
    ['hours', '7:5', 425],
    ['hours', '999:59', 59_999],
    ['hours', '', null],
    ['decimal', '1234,5', 123_450],
    ['decimal', '9999999.99', 999_999_999],
    ['decimal', '0', 0],
    ['quantity', '2,5', 250],
  ] as const)('as %s "%s" is stored as a whole number', (type, text, value) => {
    expect(readValue(column({ type, decimals: 1 }), text)).toEqual({ value });
  });

  test.each([
    ['hours', '7:60', 'invalidMinute'],
    ['hours', '1000:00', 'invalidHourPlaces'],
    ['hours', '7:055', 'invalidMinutePlaces'],
    ['hours', '7:05:00', 'invalidSeparator'],
    ['decimal', '-1', 'negativeValue'],
    ['decimal', '1.234,50', 'invalidSeparator'],
    ['decimal', '1,234', 'decimalPlaces'],
    ['decimal', '10000000', 'maxValue'],
    ['quantity', '1,55', 'decimalPlaces'],
  ] as const)('as %s "%s" is refused with the key of the specification', (type, text, problem) => {
    expect(readValue(column({ type, decimals: 1 }), text)).toEqual({ problem });
  });

  test('is shown with three digits of hours, and totals without the limit of a value', () => {
    expect(typedText(hours, 425, 'pt-BR')).toBe('007:05');
    expect(shownText(hours, 120_000, 'pt-BR')).toBe('2000:00');
    expect(typedText(amount, 123_450, 'pt-BR')).toBe('1234,50');
    expect(shownText(amount, 1_234_567_890, 'pt-BR')).toBe('12.345.678,90');
    expect(typedText(days, null, 'pt-BR')).toBe('');
  });
});

describe('a value that is pasted', () => {
  test.each([
    [hours, '8h30', 510],
    [hours, '08:30:00', 510],
    [hours, '0,354166', 510],
    [amount, '1.234,50', 123_450],
    [amount, '1,234.50', 123_450],
    [amount, 'R$ 80', 8000],
    [amount, '1.234', 123_400],
    [amount, '-5', 'negative'],
    [amount, 'oito', 'value'],
    [hours, '8:75', 'value'],
    [amount, '99999999', 'value'],
  ] as const)('is read as spreadsheets show it (%#)', (of, text, value) => {
    expect(pastedValue(of, text)).toBe(value);
  });

  const rows = [
    { employeeId: 'one', name: 'João Pedro', registration: '0002', cpf: '34127023074', values: new Map() },
    {
      employeeId: 'two',
      name: 'Mariana Alves',
      registration: '0007',
      cpf: '09448224605',
      values: new Map([['hours', 60]]),
    },
  ];
  const paste = (text: string, at?: PasteStart) =>
    readPaste(cellsOfText(text), rows, [hours, amount, days], at);

  test('begins in the cell into which was pasted where nothing names rows and columns', () => {
    const { changes, ignored } = paste('10\t1\n20\t2', { employeeId: 'two', column: 'commission' });
    expect(changes).toEqual([
      { employeeId: 'two', column: 'commission', value: 1000 },
      { employeeId: 'two', column: 'absences', value: 100 },
    ]);
    expect(ignored, 'nobody is below the last employee').toHaveLength(1);
  });

  test('finds columns by names or codes, and employees by registration, CPF or name', () => {
    const expected = {
      changes: [
        { employeeId: 'two', column: 'commission', value: 8000 },
        { employeeId: 'two', column: 'hours', value: 120 },
      ],
      filled: 1,
      replaced: 1,
      same: 0,
      ignored: [],
    };
    expect(paste('Matrícula\tcomissoes\t150\n0007\t80\t2:00')).toEqual(expected);
    // Excel has eaten the first zero of the CPF
    expect(paste('cpf;Comissões;150\n9448224605;80;2')).toEqual(expected);
    expect(paste('Nome;200;150\n"MARIANA ALVES";80;2')).toEqual(expected);
  });

  test('goes by position where nothing identifies an employee or a column', () => {
    expect(paste('1:00\t50\n1:00\t60').changes).toEqual([
      { employeeId: 'one', column: 'hours', value: 60 },
      { employeeId: 'one', column: 'commission', value: 5000 },
      { employeeId: 'two', column: 'commission', value: 6000 },
    ]);
  });

  test('is ignored with its line where no employee is found or a value does not fit', () => {
    const { changes, ignored } = paste('Matrícula\t150\n0002\t1:00\n9999\t1:00\n0007\t1:99');
    expect(changes).toHaveLength(1);
    expect(ignored).toEqual([
      { line: 3, text: '9999', reason: 'row' },
      { line: 4, text: '1:99', reason: 'value' },
    ]);
  });

  test('of ten thousand rows is read whole', () => {
    const many = Array.from({ length: 10_000 }, () => '0007\t1:00').join('\n');
    expect(paste(`Matrícula\t150\n${many}`).same).toBe(10_000);
  });
});

describe('the checks of a sheet', () => {
  const row = (change: Partial<CheckedRow>): CheckedRow => ({
    employeeId: 'one',
    values: new Map(),
    isEmployed: true,
    isAway: false,
    means: new Map(),
    ...change,
  });
  const rulesOf = (of: EntryColumn, change: Partial<CheckedRow>) =>
    checkSheet([of], [row(change)], 30).map(({ rule, blocks }) => [rule, blocks]);

  test.each([
    [
      'a value above the limit of its column',
      column({ max: 600 }),
      { values: new Map([['hours', 601]]) },
      'max',
      true,
    ],
    ['more days than the month has', days, { values: new Map([['absences', 3050]]) }, 'days', true],
    [
      'a value of somebody who is not employed',
      hours,
      { values: new Map([['hours', 1]]), isEmployed: false },
      'notEmployed',
      true,
    ],
    [
      'more than two hours of overtime a day',
      hours,
      { values: new Map([['hours', 3601]]) },
      'overtime',
      false,
    ],
    [
      'earnings of somebody who is away all month',
      amount,
      { values: new Map([['commission', 1]]), isAway: true },
      'onLeave',
      false,
    ],
    [
      'more than five times the mean',
      amount,
      { values: new Map([['commission', 501]]), means: new Map([['commission', 100]]) },
      'unusual',
      false,
    ],
  ] as const)('find %s', (_, of, change, rule, blocks) => {
    expect(rulesOf(of, change)).toEqual([[rule, blocks]]);
  });

  test('find nothing in an empty cell', () => {
    expect(rulesOf(column({ min: 60 }), { isEmployed: false })).toEqual([]);
  });
});

describe('the months of sheets', () => {
  test('are due on a business day, and reminded of five business days before', () => {
    expect(dueOn('2026-11', 15, calendarOf())).toBe('2026-11-13'); // a Sunday and a holiday
    expect(dueOn('2026-02', 31, calendarOf())).toBe('2026-02-27');
    expect(noticesOf('2026-11-27', calendarOf())).toEqual([
      '2026-11-19',
      '2026-11-26',
      '2026-11-27',
      '2026-11-28',
    ]);
  });

  test('go on over the end of a year', () => {
    expect(monthsFrom('2026-11', '2027-01')).toEqual(['2026-11', '2026-12', '2027-01']);
    expect(monthsFrom('2026-11', '2026-10')).toEqual([]);
  });
});
