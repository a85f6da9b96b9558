import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import { loadCells, filledIn } from './internal/rows.server.ts';
import { previousMonth } from './months.ts';
import { cellsOfText, readPaste, type Pasted, type PasteStart } from './paste.ts';
import { MAX_PASTED, type CellChange } from './payroll-entries.ts';
import { saveStep } from './saving.server.ts';
import { openSheet, type FilledSheet, type OpenedSheet } from './sheets.server.ts';

/*
 * What fills in many cells in one step, which can be undone: pasting from a spreadsheet or a file of one, after a preview, and
 * copying the month before.
 */

/** What a text would change of a sheet; FORBIDDEN, NOT_FOUND. */
export async function previewPaste(
  actor: Actor,
  sheetId: string,
  text: string,
  start?: PasteStart,
): Promise<{ opened: OpenedSheet; pasted: Pasted }> {
  const opened = await openSheet(actor, sheetId);
  return { opened, pasted: pastedInto(opened, text, start) };
}

/** Stores what a text changes. CHANGED if the sheet is not as it was in the preview (`version`). As `saveStep`. */
export const applyPaste = (
  actor: Actor,
  sheetId: string,
  { text, version, start }: { text: string; version: number; start?: PasteStart | undefined },
): Promise<number> =>
  saveStep(actor, sheetId, (row, filled): CellChange[] => {
    if (text.length > MAX_PASTED) throw new PortalError('TOO_LARGE');
    if (row.closed_at === null && Number(row.version) !== version) throw new PortalError('CHANGED');
    const cells = new Map(filled.entries.map((entry) => [entry.employee.id, entry.cells]));
    return pastedInto(filled, text, start).changes.map((change) => ({
      ...change,
      base: cells.get(change.employeeId)?.[change.column]?.version ?? 0,
    }));
  });

const pastedInto = ({ columns, entries }: FilledSheet, text: string, start?: PasteStart): Pasted =>
  readPaste(
    cellsOfText(text),
    entries.map(({ employee, cells }) => ({
      employeeId: employee.id,
      name: employee.name,
      registration: employee.registration,
      cpf: employee.cpf,
      values: filledIn(cells),
    })),
    columns,
    start,
  );

/** The table in a file as text, as if it had been pasted. UNREADABLE if it has none; TOO_LARGE if it is longer than any sheet; TOO_MANY if too many files wait. */
export async function textOfFile({ companyId, contactId }: Actor, file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const table = await readTabular(bytes, { person: contactId, firm: companyId });
  if ('refused' in table) throw new PortalError('UNREADABLE');
  const clean = (cell: string): string => cell.replaceAll(/[\t\r\n"]/g, ' ').trim();
  const text = [table.columns, ...table.rows.map(({ cells }) => cells)]
    .map((row) => row.map(clean).join('\t'))
    .join('\n');
  if (text.length > MAX_PASTED) throw new PortalError('TOO_LARGE');
  return text;
}

/**
 * Fills empty cells with what the sheet of the month before has; what is filled in stays. Returns how many cells it has
 * filled, which can be undone. As `saveStep`.
 */
export const copyLastMonth = (actor: Actor, sheetId: string): Promise<number> =>
  saveStep(actor, sheetId, async (row, { columns, entries }) => {
    const last = await db()
      .selectFrom('payroll_sheets')
      .select('sheet_id')
      .where('client_id', '=', row.client_id)
      .where('list_id', '=', row.list_id)
      .where('competence', '=', previousMonth(row.competence))
      .executeTakeFirst();
    if (!last) return [];
    const before = await loadCells(last.sheet_id);
    return entries
      .filter(({ isEmployed }) => isEmployed)
      .flatMap(({ employee, cells }) =>
        columns.flatMap(({ key }): CellChange[] => {
          const value = before.get(employee.id)?.[key]?.value ?? null;
          const cell = cells[key];
          return value === null || (cell && cell.value !== null)
            ? []
            : [{ employeeId: employee.id, column: key, value, base: cell?.version ?? 0 }];
        }),
      );
  });
