import { firmOf, languageOfFirm } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { calendarOfFirm } from '#features/base/work-calendars/firm-holidays.server.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import { hasPart, type Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, LANGUAGES, languageOf } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { keepsEntries, seesEntries, todayOf } from './access.server.ts';
import { sheetLate } from './events.server.ts';
import type { SheetRow } from './internal/rows.server.ts';
import { nextNoticeOn } from './months.ts';
import { formatMonth } from './month-text.ts';
import { sheetName } from './names.server.ts';

/*
 * Mails about sheets, without anything of their content. Contacts are reminded before a sheet is due; the day after, it waits
 * in the inbox of the firm.
 */

/** What a mail about a sheet is about: it is done when the other side has acted. */
export const aboutSheet = (sheetId: string): string => `payroll-sheet:${sheetId}`;

const TITLES = {
  submitted: 'mailSubmitted',
  returned: 'mailReturned',
  replied: 'mailReplied',
  reopened: 'mailReopened',
  due: 'mailDue',
} as const satisfies Record<string, KeysOf<'payroll-entries'>>;
type Notice = keyof typeof TITLES;

/** Notifies the contacts of the client, in the open transaction. */
export const notifyClient = (
  row: SheetRow,
  notice: 'returned' | 'replied' | 'reopened' | 'due',
): Promise<void> => notify(row, notice, 'contacts');

/** Notifies the staff of the client of a sheet that was sent, in the open transaction. */
export const notifyFirm = (row: SheetRow): Promise<void> => notify(row, 'submitted', 'staff');

async function notify(row: SheetRow, notice: Notice, side: 'contacts' | 'staff'): Promise<void> {
  const { company_id: companyId, client_id: clientId, sheet_id: id } = row;
  const firm = await firmOf(companyId);
  const { name: client } = await db()
    .selectFrom('clients')
    .select('name')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  const time = notice === 'due' ? row.next_notice_on : String(now());
  for (const reader of await readersOf(companyId, clientId, side))
    if (isReader(reader))
      await queueMail(
        mailTo(reader, row, { firm, client, notice }),
        `payroll-sheet:${id}:${notice}:${time}:${reader.contactId}`,
      );
}

const isReader = (reader: Actor): boolean =>
  reader.staff ? keepsEntries(reader) : seesEntries(reader) && hasPart(reader.access, 'actions');

function mailTo(
  reader: Actor,
  row: SheetRow,
  { firm, client, notice }: { firm: Firm; client: string; notice: Notice },
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'payroll-entries');
  const { company_id: companyId, client_id: clientId, sheet_id: id } = row;
  const page = reader.staff
    ? `staff/payroll-entries/sheets/${id}`
    : `actions/service-request/payroll-sheets/${id}`;
  return firmMail({
    about: { kind: 'payroll-sheet', contactId: reader.contactId, clientId, targets: [aboutSheet(id)] },
    firm,
    to: reader.emailAddress,
    lang,
    title: t(TITLES[notice], {
      month: formatMonth(lang, row.competence),
      date: formatDate(LANGUAGES[lang], `${row.due_on}T00:00:00Z`, 'UTC'),
    }),
    text: [t('mailText', { list: row.name, client })],
    button: { label: t('mailButton'), link: mailedPage(lang, page, { companyId, clientId }) },
    reason: t(reader.staff ? 'mailReasonStaff' : 'mailReason', { firm: firm.name }),
  });
}

const AT_ONCE = 100;

/** Reminds of the sheets that are due, and tells the firm of those that are late; each day once. */
export async function remindOfSheets(signal: AbortSignal): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined && !signal.aborted) {
    const rows: { sheet_id: string }[] = await dueAfter(after);
    for (const row of rows) await inTransaction(() => remind(row.sheet_id));
    after = rows.length < AT_ONCE ? undefined : rows.at(-1)?.sheet_id;
  }
}

/** Those whose day has come anywhere in the world; the firm's own day decides then. */
const dueAfter = (after: string): Promise<{ sheet_id: string }[]> =>
  db()
    .selectFrom('payroll_sheets')
    .select('sheet_id')
    .where('next_notice_on', '<>', '')
    .where('next_notice_on', '<=', dayOf(now() + DAY, 'UTC'))
    .where('sheet_id', '>', after)
    .orderBy('sheet_id')
    .limit(AT_ONCE)
    .execute();

async function remind(sheetId: string): Promise<void> {
  const row = await db()
    .selectFrom('payroll_sheets')
    .innerJoin('payroll_lists', 'payroll_lists.list_id', 'payroll_sheets.list_id')
    .innerJoin('clients', 'clients.client_id', 'payroll_sheets.client_id')
    .selectAll('payroll_sheets')
    .select(['payroll_lists.name', 'clients.archived_at'])
    .where('sheet_id', '=', sheetId)
    .executeTakeFirstOrThrow();
  const today = await todayOf(row.company_id);
  if (row.next_notice_on > today) return;
  const { numUpdatedRows } = await db()
    .updateTable('payroll_sheets')
    .set({ next_notice_on: nextNoticeOn(row.due_on, today, await calendarOfFirm(row.company_id)) })
    .where('sheet_id', '=', sheetId)
    .where('next_notice_on', '=', row.next_notice_on)
    .executeTakeFirst();
  // another node was sooner, or nothing is to be filled in any more
  const isDone = row.archived_at !== null || row.closed_at !== null || row.status === 'submitted';
  if (numUpdatedRows === 0n || isDone) return;
  if (today <= row.due_on) return notifyClient(row, 'due');
  const { company_id: companyId, client_id: clientId } = row;
  await sheetLate.announce({
    companyId,
    clientId,
    sheetId,
    name: sheetName(await languageOfFirm(companyId), row),
  });
}
