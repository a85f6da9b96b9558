import { calendarOfFirm } from '#features/base/work-calendars/firm-holidays.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { addDays } from '#platform/text/time-zones.ts';
import { todayOf } from './access.server.ts';
import type { ListRow } from './internal/rows.server.ts';
import { dueOn, monthOf, monthsFrom, nextNoticeOn } from './months.ts';

/* Each client of a list has a sheet for each month from its beginning: nobody has to ask for one. */

/** Makes the sheets of all published lists that are missing. */
export async function makeAllSheets(signal: AbortSignal): Promise<void> {
  const lists = await db().selectFrom('payroll_lists').selectAll().where('state', '=', 'published').execute();
  for (const list of lists) if (!signal.aborted) await inTransaction(() => makeSheets(list));
}

/** Makes the sheets of a published list that are missing until this month, in the open transaction. */
export async function makeSheets(list: ListRow): Promise<void> {
  const today = await todayOf(list.company_id);
  const current = monthOf(today);
  const calendar = await calendarOfFirm(list.company_id);
  const last = list.to_competence !== '' && list.to_competence < current ? list.to_competence : current;
  for (const competence of monthsFrom(list.from_competence, last)) {
    const due = dueOn(competence, Number(list.due_day), calendar);
    const sheets = (await clientsWithout(list, competence)).map((clientId) => ({
      sheet_id: newId('sheet'),
      company_id: list.company_id,
      client_id: clientId,
      list_id: list.list_id,
      list_version: list.version,
      competence,
      status: 'draft' as const,
      due_on: due,
      // of a month that is over nobody is reminded
      next_notice_on: competence === current ? nextNoticeOn(due, addDays(today, -1), calendar) : '',
      rows_filled: 0,
      cells_filled: 0,
      submission: 0,
      submitted_at: null,
      returned: null,
      undo: null,
      closed_at: null,
      closed_by: null,
      version: 1,
      changed_at: now(),
    }));
    for (const batch of inBatches(sheets))
      await db()
        .insertInto('payroll_sheets')
        .values(batch)
        .onConflict((conflict) => conflict.columns(['client_id', 'list_id', 'competence']).doNothing())
        .execute();
  }
}

/** The clients of a list with employees, and without a sheet for a month. */
async function clientsWithout(list: ListRow, competence: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('clients')
    .select('clients.client_id')
    .where('clients.company_id', '=', list.company_id)
    .where('clients.archived_at', 'is', null)
    .where('clients.merged_into', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('employees')
          .select('employee_id')
          .whereRef('employees.client_id', '=', 'clients.client_id')
          .where('employees.deleted_at', 'is', null),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payroll_sheets')
            .select('sheet_id')
            .whereRef('payroll_sheets.client_id', '=', 'clients.client_id')
            .where('payroll_sheets.list_id', '=', list.list_id)
            .where('payroll_sheets.competence', '=', competence),
        ),
      ),
    )
    .$if(list.tag_key !== '', (all) =>
      all.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('client_tags')
            .select('client_tags.client_id')
            .whereRef('client_tags.client_id', '=', 'clients.client_id')
            .where('client_tags.tag_key', '=', list.tag_key),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.client_id);
}
