import { dayOf } from '#platform/text/time-zones.ts';
import { endOfQuietHours, type QuietHours } from '#platform/mail/mail-delivery.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Bit } from '#platform/database/schema.server.ts';
import { EARLIEST_HOUR, isRestDay, LATEST_HOUR, SEND_HOUR } from './schedule.ts';

/** When a contact gets reminders. */
export interface ReminderTimes {
  contactId: string;
  companyId: string;
  timeZone: string;
  sendHour: number;
  /** Days of the week without reminders, 1 for Monday to 7: `67`. */
  restDays: string;
  isPaused: boolean;
  /** The last day of the pause; null until it is resumed. */
  pausedUntil: string | null;
  isTurnedOff: boolean;
  quietHours: QuietHours | undefined;
}

/** When these contacts get reminders, of those who are part of a firm that is not locked. */
export async function reminderTimesOf(contactIds: readonly string[]): Promise<Map<string, ReminderTimes>> {
  if (contactIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('contacts')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .leftJoin('reminder_settings as chosen', 'chosen.contact_id', 'contacts.contact_id')
    .leftJoin('quiet_hours as quiet', 'quiet.contact_id', 'contacts.contact_id')
    .leftJoin('mail_times as times', 'times.contact_id', 'contacts.contact_id')
    .leftJoin('notification_opt_outs as off', (join) =>
      join.onRef('off.contact_id', '=', 'contacts.contact_id').on('off.kind', '=', 'task-reminder'),
    )
    .select([
      'contacts.contact_id',
      'contacts.company_id',
      'firms.time_zone as firm_zone',
      'chosen.time_zone',
      'chosen.send_hour',
      'chosen.rest_days',
      'chosen.is_paused',
      'chosen.paused_until',
      'quiet.from_hour',
      'quiet.until_hour',
      'quiet.time_zone as quiet_zone',
      'times.paused_until as mails_paused_until',
      'off.kind as turned_off',
    ])
    .where('contacts.contact_id', 'in', contactIds)
    .where('contacts.staff', '=', 0)
    .where('contacts.suspended_at', 'is', null)
    .where('contacts.removed_at', 'is', null)
    .where('firms.locked', '=', 0)
    .execute();
  return new Map(
    rows.map((row) => [
      row.contact_id,
      {
        contactId: row.contact_id,
        companyId: row.company_id,
        timeZone: row.time_zone ?? row.quiet_zone ?? row.firm_zone,
        sendHour: row.send_hour ?? SEND_HOUR,
        restDays: row.rest_days ?? '',
        ...pauseIn(row),
        isTurnedOff: row.turned_off !== null,
        quietHours:
          row.from_hour === null || row.until_hour === null || row.quiet_zone === null
            ? undefined
            : { from: row.from_hour, until: row.until_hour, timeZone: row.quiet_zone },
      },
    ]),
  );
}

/** The pause of reminders, or that of all optional emails if it is longer. */
function pauseIn(row: {
  is_paused: Bit | null;
  paused_until: string | null;
  mails_paused_until: string | null;
}): Pick<ReminderTimes, 'isPaused' | 'pausedUntil'> {
  const ofAll = row.mails_paused_until;
  const isPaused = row.is_paused === 1;
  if (ofAll === null || (isPaused && (row.paused_until === null || row.paused_until > ofAll)))
    return { isPaused, pausedUntil: row.paused_until };
  return { isPaused: true, pausedUntil: ofAll };
}

/** Whether a pause holds on a day of the contact. */
export const isPausedOn = (
  day: string,
  { isPaused, pausedUntil }: Pick<ReminderTimes, 'isPaused' | 'pausedUntil'>,
): boolean => isPaused && (pausedUntil === null || day <= pausedUntil);

/** Whether the schedule may send this contact a reminder at this instant. */
export function maySendAt(instant: number, times: ReminderTimes): boolean {
  const today = dayOf(instant, times.timeZone);
  return (
    !times.isTurnedOff &&
    !isPausedOn(today, times) &&
    !isRestDay(today, times.restDays) &&
    hourOf(instant, times.timeZone) >= times.sendHour &&
    hourOf(instant, times.timeZone) < LATEST_HOUR &&
    (times.quietHours === undefined || endOfQuietHours(times.quietHours, instant) === undefined)
  );
}

/** When a reminder that staff ask for may be sent: now, or at the end of the night or of the quiet hours. */
export function sendableAt(instant: number, { timeZone, quietHours }: ReminderTimes): number {
  const night = endOfQuietHours({ from: LATEST_HOUR, until: EARLIEST_HOUR, timeZone }, instant) ?? instant;
  return (quietHours && endOfQuietHours(quietHours, night)) ?? night;
}

export const hourOf = (instant: number, timeZone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).hour;
