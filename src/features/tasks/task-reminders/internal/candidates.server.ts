import { sql, type SqlBool } from 'kysely';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { addDays, startOfDay } from '#platform/text/time-zones.ts';
import { MAX_DAYS_OFF, OVERDUE_WEEKS, UNDATED_WEEKS } from '../schedule.ts';

/*
 * Which tasks may be due for a reminder: more than are, since what depends on a contact's own time zone and settings is
 * decided afterwards (schedule.ts), but hardly any of those that were told already. Everything is found by the ids of
 * contacts, so a page costs the same in a firm of any size.
 */

/** Contacts in a page. */
const PAGE = 500;

/** A range of contacts, by id: after the one and up to the other. */
export interface Page {
  after: string;
  last: string;
}

/** The page of contacts that follows one; undefined after the last. */
export async function pageAfter(after: string): Promise<Page | undefined> {
  const next = db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('contact_id', '>', after)
    .orderBy('contact_id')
    .limit(PAGE)
    .as('next');
  const { last } = await db()
    .selectFrom(next)
    .select((e) => e.fn.max('next.contact_id').as('last'))
    .executeTakeFirstOrThrow();
  // the aggregate of no rows
  const found = last as string | null;
  return found === null ? undefined : { after, last: found };
}

const zone = sql<string>`coalesce(chosen.time_zone, quiet.time_zone, firms.time_zone)`;

/** The time zones of contacts. */
export async function contactZones(): Promise<string[]> {
  const rows = await db()
    .selectFrom('firms')
    .select('time_zone as zone')
    .union(
      db()
        .selectFrom('reminder_settings')
        .select(sql<string>`time_zone`.as('zone'))
        .where('time_zone', 'is not', null),
    )
    .union(db().selectFrom('quiet_hours').select('time_zone as zone'))
    .execute();
  return rows.map((row) => row.zone);
}

/** The contacts of a page in one of these time zones who may enter the portal, and had no reminder today. */
const contactsIn = ({ after, last }: Page, today: string, zones: readonly string[]) =>
  db()
    .selectFrom('contacts')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .leftJoin('reminder_settings as chosen', 'chosen.contact_id', 'contacts.contact_id')
    .leftJoin('quiet_hours as quiet', 'quiet.contact_id', 'contacts.contact_id')
    .where('contacts.contact_id', '>', after)
    .where('contacts.contact_id', '<=', last)
    .where('contacts.staff', '=', 0)
    .where('contacts.suspended_at', 'is', null)
    .where('contacts.removed_at', 'is', null)
    .where('firms.locked', '=', 0)
    .where(zone, 'in', zones)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('task_digests')
            .select('digest_id')
            .whereRef('task_digests.contact_id', '=', 'contacts.contact_id')
            .where('task_digests.local_date', '=', today),
        ),
      ),
    );

export interface Candidate {
  contactId: string;
  taskId: string;
}

/** The tasks that contacts of a page may have to be reminded of on this day of theirs. */
export async function candidatesIn(
  page: Page,
  today: string,
  zones: readonly string[],
): Promise<Candidate[]> {
  const pairs = contactsIn(page, today, zones)
    .innerJoin('client_contacts', 'client_contacts.contact_id', 'contacts.contact_id')
    .innerJoin('tasks', 'tasks.client_id', 'client_contacts.client_id')
    .where('tasks.status', 'in', ['New', 'WIP'])
    .where('tasks.deleted_at', 'is', null)
    .select(['contacts.contact_id', 'tasks.task_id']);
  const reached = await pairs
    .where((e) =>
      e.or([
        e.and([
          e('tasks.due_on', '>=', addDays(today, -7 * OVERDUE_WEEKS - 6)),
          e('tasks.due_on', '<=', addDays(today, 7)),
        ]),
        e.and([
          e('chosen.rest_days', '<>', ''),
          e('tasks.due_on', '>', addDays(today, 7)),
          e('tasks.due_on', '<=', addDays(today, 7 + MAX_DAYS_OFF)),
        ]),
        e.and([
          e('tasks.due_on', 'is', null),
          e('tasks.asked_at', '<', undatedFrom(today, 1)),
          e('tasks.asked_at', '>', now() - (7 * UNDATED_WEEKS + 9) * DAY),
        ]),
      ]),
    )
    .where((e) =>
      e.or([
        sql<SqlBool>`coalesce(chosen.rest_days, '') <> ''`,
        e.not(
          e.exists(
            e
              .selectFrom('task_reminders as told')
              .select('told.digest_id')
              .whereRef('told.task_id', '=', 'tasks.task_id')
              .whereRef('told.contact_id', '=', 'contacts.contact_id')
              .where('told.milestone', '<>', 'requested')
              .where('told.milestone', '=', milestoneKey(today)),
          ),
        ),
      ]),
    )
    .execute();
  const promised = await pairs
    .innerJoin('task_promises', (join) =>
      join
        .onRef('task_promises.task_id', '=', 'tasks.task_id')
        .onRef('task_promises.contact_id', '=', 'contacts.contact_id'),
    )
    .where('task_promises.promised_on', '<', today)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('task_reminders as told')
            .select('told.digest_id')
            .whereRef('told.task_id', '=', 'tasks.task_id')
            .whereRef('told.contact_id', '=', 'contacts.contact_id')
            .where('told.milestone', '<>', 'requested')
            .where('told.milestone', '=', sql<string>`'promise:' || task_promises.promised_on`),
        ),
      ),
    )
    .execute();
  const found = new Map(
    [...reached, ...promised].map((row) => [
      `${row.contact_id} ${row.task_id}`,
      { contactId: row.contact_id, taskId: row.task_id },
    ]),
  );
  return [...found.values()];
}

/** Contacts of a page for whom changes by the firm wait, which a reminder tells. */
export async function withChanges(page: Page, today: string, zones: readonly string[]): Promise<string[]> {
  const rows = await contactsIn(page, today, zones)
    .innerJoin('task_notices', 'task_notices.contact_id', 'contacts.contact_id')
    .where('task_notices.told_at', 'is', null)
    .where('task_notices.kind', 'in', ['reopened', 'cancelled', 'rescheduled'])
    .select('contacts.contact_id')
    .distinct()
    .execute();
  return rows.map((row) => row.contact_id);
}

/** An instant before which a task without a due date was requested so many weeks ago, in every time zone. */
const undatedFrom = (today: string, weeks: number): number =>
  startOfDay(addDays(today, 1 - 7 * weeks), 'Etc/GMT+12');

/** The key of `milestoneOn` in SQL; without a due date it may be that of the week that begins within a day. */
function milestoneKey(today: string) {
  const overdue = Array.from(
    { length: OVERDUE_WEEKS },
    (_, week) =>
      sql`when tasks.due_on > ${addDays(today, -7 * (week + 2))} then ${`due+${week + 1}w:`} || tasks.due_on`,
  );
  const undated = Array.from({ length: UNDATED_WEEKS }, (_, index) => {
    const weeks = UNDATED_WEEKS - index;
    return sql`when tasks.asked_at < ${undatedFrom(today, weeks)} then ${`week-${weeks}:`} || cast(tasks.asked_at as text)`;
  });
  return sql<string>`case
    when tasks.due_on is not null then case
      when tasks.due_on > ${addDays(today, 1)} then 'due-7:' || tasks.due_on
      when tasks.due_on > ${today} then 'due-1:' || tasks.due_on
      when tasks.due_on > ${addDays(today, -7)} then 'due:' || tasks.due_on
      ${sql.join(overdue, sql` `)} end
    else case ${sql.join(undated, sql` `)} end
  end`;
}
