import { db } from '#platform/database/database.server.ts';
import { sheetsSettled } from './events.server.ts';
import { loadCells, countFilled, storeCells } from './internal/rows.server.ts';

/** The sheets of a merged client are of the other one; of a month that both had, the entries are on the sheet of that one. */
export async function uniteSheets({ from, into }: { from: string; into: string }): Promise<void> {
  const own = (clientId: string) =>
    db()
      .selectFrom('payroll_sheets')
      .select(['sheet_id', 'list_id', 'competence'])
      .where('client_id', '=', clientId)
      .execute();
  const [sheets, others] = [await own(from), await own(into)];
  for (const { sheet_id: sheetId, list_id: listId, competence } of sheets) {
    const twin = others.find((each) => each.list_id === listId && each.competence === competence);
    if (!twin) continue;
    const known = await loadCells(twin.sheet_id);
    // of an employee whom both had, the entries of the other client stay
    const added = new Map([...(await loadCells(sheetId))].filter(([employeeId]) => !known.has(employeeId)));
    await storeCells(twin.sheet_id, added);
    await db()
      .updateTable('payroll_sheets')
      .set(countFilled([...known.values(), ...added.values()]))
      .where('sheet_id', '=', twin.sheet_id)
      .execute();
    await db().deleteFrom('payroll_rows').where('sheet_id', '=', sheetId).execute();
    const toTwin = { sheet_id: twin.sheet_id };
    await db().updateTable('payroll_late_entries').set(toTwin).where('sheet_id', '=', sheetId).execute();
    await db().updateTable('payroll_submissions').set(toTwin).where('sheet_id', '=', sheetId).execute();
    await db().deleteFrom('payroll_sheets').where('sheet_id', '=', sheetId).execute();
    await sheetsSettled.announce({ sheetIds: [sheetId] });
  }
  await db().updateTable('payroll_sheets').set({ client_id: into }).where('client_id', '=', from).execute();
}
