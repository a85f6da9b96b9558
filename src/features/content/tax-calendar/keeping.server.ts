import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addMonths } from '#features/base/work-calendars/days.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { db, inTransaction, lockRows } from '#platform/database/database.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { taxDateOf } from './dates.server.ts';
import { aboutTaxDate, taxDateMarked } from './events.server.ts';
import { assertKeepsCalendar, keepsCalendar } from './internal/scope.server.ts';
import type { Mark, TaxDate } from './tax-calendar.ts';

/* What became of a date, and where the firm moves it. */

/**
 * Notes that a date was handled, that there is nothing to send this time, or that it is open again; the same again changes
 * nothing. Nobody is reminded of it any more, unless it is open. NOT_FOUND, FORBIDDEN for staff who only read.
 */
export const markDate = (actor: Actor, taxDateId: string, mark: Mark): Promise<TaxDate> =>
  changeDate(actor, taxDateId, async (current, date) => {
    if (date.mark === mark) return undefined;
    await taxDateMarked.announce({
      companyId: current.companyId,
      clientId: date.clientId,
      taxDateId,
      name: date.name,
      mark,
      isByStaff: current.staff,
    });
    if (mark !== 'open') await recordDone([aboutTaxDate(taxDateId)]);
    await note(current, 'calendar.mark', date, { mark });
    return {
      mark,
      marked_by: mark === 'open' ? '' : current.contactId,
      marked_at: mark === 'open' ? null : now(),
    };
  });

/**
 * Moves a date of a client, or back with `undefined`. INVALID for a day that is over or too far away. NOT_FOUND, FORBIDDEN.
 */
export const moveDate = (
  actor: Actor,
  taxDateId: string,
  to: { day: string; reason: string } | undefined,
): Promise<TaxDate> =>
  changeDate(actor, taxDateId, async (current, date) => {
    assertKeepsCalendar(current);
    if (!to) {
      if (date.movedFrom === null) return undefined;
      await note(current, 'calendar.date', date, { to: date.movedFrom });
      return { due_on: date.movedFrom, reason: null };
    }
    const { timeZone } = await firmOf(current.companyId);
    const today = dayOf(now(), timeZone);
    if (to.day < today || to.day > addMonths(today, 24)) throw new PortalError('INVALID', { field: 'day' });
    await note(current, 'calendar.date', date, { to: to.day });
    return { due_on: to.day, reason: encryptFor('tax_dates.reason', taxDateId, to.reason) };
  });

interface Change {
  mark?: Mark;
  marked_by?: string;
  marked_at?: number | null;
  due_on?: string;
  reason?: string | null;
}

async function changeDate(
  actor: Actor,
  taxDateId: string,
  change: (current: Actor, date: TaxDate) => Promise<Change | undefined>,
): Promise<TaxDate> {
  if (actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  return inTransaction(async () => {
    const current = await actorNow(actor);
    if (current.staff && !keepsCalendar(current)) throw new PortalError('FORBIDDEN');
    // what two people do at the same time happens once
    await db()
      .selectFrom('tax_dates')
      .select('version')
      .where('tax_date_id', '=', taxDateId)
      .modifyEnd(lockRows)
      .execute();
    const changed = await change(current, await taxDateOf(current, taxDateId));
    if (changed)
      await db()
        .updateTable('tax_dates')
        .set(({ eb }) => ({ ...changed, version: eb('version', '+', 1), changed_at: now() }))
        .where('tax_date_id', '=', taxDateId)
        .execute();
    return taxDateOf(current, taxDateId);
  });
}

const note = (
  { companyId, contactId }: Actor,
  action: 'calendar.mark' | 'calendar.date',
  { id: target, clientId }: TaxDate,
  details: Record<string, string>,
): Promise<void> => audit({ companyId, actor: contactId, action, target, clientId, details });
