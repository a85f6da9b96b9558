import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, hasPart, type Actor } from '#features/base/people/people.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { addDays } from '#features/base/work-calendars/days.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { nextDates } from './dates.server.ts';
import { reminderMail } from './mails.server.ts';
import type { TaxDate } from './tax-calendar.ts';

/*
 * Nobody is reminded of tax dates who did not choose so. Of each date a contact is reminded once, in one email a day about
 * all their companies; not of what was handled, or where there is nothing to send.
 */

const EARLIEST_HOUR = 8;
const LATEST_HOUR = 20;
const FIRMS_AT_ONCE = 100;
const MAX_DATES = 50;

/** On how many days before a date the caller is reminded; undefined for never. FORBIDDEN for staff. */
export async function remindedBefore({ contactId, staff }: Actor): Promise<number | undefined> {
  if (staff) throw new PortalError('FORBIDDEN');
  const row = await db()
    .selectFrom('tax_reminders')
    .select('days_before')
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row?.days_before;
}

/** Chooses it. FORBIDDEN for staff, and while they view as a contact. */
export async function chooseReminders(actor: Actor, daysBefore: number | undefined): Promise<void> {
  if (actor.staff || actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const { contactId, companyId } = await actorNow(actor);
    if (daysBefore === undefined) {
      await db().deleteFrom('tax_reminders').where('contact_id', '=', contactId).execute();
      return;
    }
    const values = { days_before: daysBefore, checked_on: '', changed_at: now() };
    await db()
      .insertInto('tax_reminders')
      .values({ contact_id: contactId, company_id: companyId, ...values })
      .onConflict((conflict) => conflict.column('contact_id').doUpdateSet(values))
      .execute();
  });
}

/** Sends the reminders that are due today, by the day of each firm. */
export async function sweepReminders(signal?: AbortSignal): Promise<void> {
  const firms = await db()
    .selectFrom('tax_reminders')
    .innerJoin('firms', 'firms.company_id', 'tax_reminders.company_id')
    .select(['firms.company_id', 'firms.time_zone'])
    .distinct()
    .where('firms.locked', '=', 0)
    .execute();
  for (const { company_id: companyId, time_zone: timeZone } of firms) {
    const hour = Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(timeZone).hour;
    if (hour < EARLIEST_HOUR || hour >= LATEST_HOUR) continue;
    await remindFirm(companyId, dayOf(now(), timeZone), signal);
  }
}

async function remindFirm(companyId: string, today: string, signal: AbortSignal | undefined): Promise<void> {
  for (let found = FIRMS_AT_ONCE; found === FIRMS_AT_ONCE && !signal?.aborted;) {
    const rows = await db()
      .selectFrom('tax_reminders')
      .select(['contact_id', 'days_before'])
      .where('company_id', '=', companyId)
      .where('checked_on', '<', today)
      .limit(FIRMS_AT_ONCE)
      .execute();
    for (const { contact_id: contactId, days_before: daysBefore } of rows)
      await inTransaction(() => remind(contactId, { today, daysBefore }));
    found = rows.length;
  }
}

async function remind(
  contactId: string,
  { today, daysBefore }: { today: string; daysBefore: number },
): Promise<void> {
  const own = await db()
    .updateTable('tax_reminders')
    .set({ checked_on: today })
    .where('contact_id', '=', contactId)
    .where('checked_on', '<', today)
    .returning('contact_id')
    .executeTakeFirst();
  if (!own) return; // another process did
  const { firmLocked, ...reader } = await actorOf(contactId);
  if (firmLocked || reader.staff || !canAccessPortal(reader) || !hasPart(reader.access, 'dashboards')) return;
  const dates = await nextDates(reader, { from: today, until: addDays(today, daysBefore), limit: MAX_DATES });
  const fresh = await notReminded(contactId, dates);
  if (fresh.length === 0) return;
  for (const some of inBatches(fresh))
    await db()
      .insertInto('tax_reminded')
      .values(some.map(({ id }) => ({ contact_id: contactId, tax_date_id: id, reminded_at: now() })))
      .execute();
  const firm = await firmOf(reader.companyId);
  await queueMail(await reminderMail(firm, reader, fresh), `tax-dates:${contactId}:${today}`);
}

async function notReminded(contactId: string, dates: readonly TaxDate[]): Promise<TaxDate[]> {
  if (dates.length === 0) return [];
  const rows = await db()
    .selectFrom('tax_reminded')
    .select('tax_date_id')
    .where('contact_id', '=', contactId)
    .where(
      'tax_date_id',
      'in',
      dates.map(({ id }) => id),
    )
    .execute();
  const known = new Set(rows.map((row) => row.tax_date_id));
  return dates.filter(({ id }) => !known.has(id));
}
