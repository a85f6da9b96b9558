import type { Actor } from '#features/base/people/people.ts';
import { sheetRow } from './internal/rows.server.ts';
import type { CellChange } from './payroll-entries.ts';
import { saveCells } from './saving.server.ts';
import { filledSheet } from './sheets.server.ts';

/** The entries of an employee, as a program has them. */
interface ProgramRow {
  registration: string;
  cells: readonly { column: string; value: number | null }[];
}

/**
 * Stores entries of employees by their registration, for time-clock programs: what is there is replaced, and what is missing
 * stays. A row is refused whole. CLOSED, NOT_POSSIBLE, FORBIDDEN, NOT_FOUND.
 */
export async function storeRows(
  actor: Actor,
  sheetId: string,
  rows: readonly ProgramRow[],
): Promise<{ registration: string; status: 'stored' | 'unchanged' | 'refused' }[]> {
  const row = await sheetRow(actor, sheetId);
  const { columns, entries } = await filledSheet(actor, row);
  const employees = Map.groupBy(entries, ({ employee }) => employee.registration.toLowerCase());
  const changesOf = rows.map(({ registration, cells: sent }): CellChange[] | undefined => {
    const found = employees.get(registration.trim().toLowerCase()) ?? [];
    const [entry] = found;
    if (!entry || found.length > 1) return undefined;
    const { id: employeeId } = entry.employee;
    const changes = sent.map(({ column: name, value }) => {
      const key = columns.find((column) => column.key === name || column.code === name)?.key;
      return key === undefined
        ? undefined
        : { employeeId, column: key, value, base: entry.cells[key]?.version ?? 0 };
    });
    return changes.includes(undefined) ? undefined : (changes as CellChange[]);
  });
  const outcomes = await saveCells(
    actor,
    sheetId,
    changesOf.flatMap((changes) => changes ?? []),
  );
  let next = 0;
  return rows.map(({ registration }, at) => {
    const changes = changesOf[at];
    const own = outcomes.slice(next, next + (changes?.length ?? 0)).map(({ kind }) => kind);
    next += own.length;
    const isRefused = !changes || own.includes('refused') || own.includes('conflict');
    return {
      registration,
      status: isRefused ? 'refused' : own.includes('saved') ? 'stored' : 'unchanged',
    };
  });
}
