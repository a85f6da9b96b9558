import { z } from 'zod';
import { actorNow, actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { dayOf, isTimeZone } from '#platform/text/time-zones.ts';
import { readPauseToken } from './pause-tokens.server.ts';
import { isPausedOn, reminderTimesOf, type ReminderTimes } from './reminder-settings.server.ts';
import { EARLIEST_HOUR, LATEST_HOUR, MAX_REST_DAYS, SEND_HOUR } from './schedule.ts';

/** When a contact wants reminders. */
export const reminderInput = z.strictObject({
  isPaused: z.boolean(),
  /** The last day of the pause; empty until it is resumed. */
  pausedUntil: z.iso.date().or(z.literal('')),
  sendHour: z.coerce
    .number()
    .int()
    .min(EARLIEST_HOUR)
    .max(LATEST_HOUR - 1),
  restDays: z.array(z.enum(['1', '2', '3', '4', '5', '6', '7'])).max(MAX_REST_DAYS),
  timeZone: z.string().refine(isTimeZone),
});
export type ReminderInput = z.infer<typeof reminderInput>;

/** When the caller gets reminders; FORBIDDEN for staff, whom nobody reminds. */
export async function reminderSettingsOf(actor: Actor): Promise<ReminderInput> {
  const times = await timesOf(actor.contactId);
  if (actor.staff || !times) throw new PortalError('FORBIDDEN');
  return {
    isPaused: isPaused(times),
    pausedUntil: isPaused(times) ? (times.pausedUntil ?? '') : '',
    sendHour: times.sendHour,
    restDays: reminderInput.shape.restDays.parse([...times.restDays]),
    timeZone: times.timeZone,
  };
}

/** Stores when the caller gets reminders. FORBIDDEN for staff, and while they view as a contact. */
export async function saveReminderSettings(actor: Actor, input: ReminderInput): Promise<void> {
  if (actor.staff || actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const current = await actorNow(actor);
    await store(current, {
      time_zone: input.timeZone,
      send_hour: input.sendHour,
      rest_days: input.restDays.toSorted().join(''),
      is_paused: input.isPaused ? 1 : 0,
      paused_until: input.isPaused && input.pausedUntil !== '' ? input.pausedUntil : null,
    });
    await note(current, 'reminders.change', input.isPaused);
  });
}

/** Whose reminders the link in a reminder pauses, and whether they are paused. */
export interface Pausing {
  companyId: string;
  isPaused: boolean;
  pausedUntil: string | null;
  /** The contact's current date. */
  today: string;
}

/** Finds what the token of a link pauses; undefined unless the portal signed it. Changes nothing. */
export async function pausingOf(token: string): Promise<Pausing | undefined> {
  const contactId = readPauseToken(token);
  const times = contactId === undefined ? undefined : await timesOf(contactId);
  return (
    times && {
      companyId: times.companyId,
      isPaused: isPaused(times),
      pausedUntil: times.pausedUntil,
      today: dayOf(now(), times.timeZone),
    }
  );
}

/**
 * Pauses the reminders of the contact that a token names, until the end of a day or until they are resumed, or resumes
 * them; without a session. NOT_FOUND for a token that the portal did not sign, TOO_MANY beyond 60 a minute from one
 * network.
 */
export async function pauseByToken(
  token: string,
  pause: { until: string | null } | 'resume',
  network: string,
): Promise<void> {
  await consumeForNetwork('pause-reminders', network, 60, MINUTE);
  const contactId = readPauseToken(token);
  if (contactId === undefined || !(await timesOf(contactId))) throw notFound();
  await inTransaction(async () => {
    const person = await actorOf(contactId);
    await store(person, {
      is_paused: pause === 'resume' ? 0 : 1,
      paused_until: pause === 'resume' ? null : pause.until,
    });
    await note(person, 'reminders.pause', pause !== 'resume');
  });
}

type Change = Partial<{
  time_zone: string;
  send_hour: number;
  rest_days: string;
  is_paused: 0 | 1;
  paused_until: string | null;
}>;

const store = ({ contactId, companyId }: Actor, change: Change): Promise<unknown> =>
  db()
    .insertInto('reminder_settings')
    .values({
      contact_id: contactId,
      company_id: companyId,
      time_zone: null,
      send_hour: SEND_HOUR,
      rest_days: '',
      is_paused: 0,
      paused_until: null,
      ...change,
    })
    .onConflict((conflict) => conflict.column('contact_id').doUpdateSet(change))
    .execute();

const note = (
  { companyId, contactId }: Actor,
  action: 'reminders.change' | 'reminders.pause',
  isPausedNow: boolean,
): Promise<void> =>
  audit({
    companyId,
    actor: contactId,
    action,
    target: contactId,
    details: { paused: isPausedNow ? 1 : 0 },
  });

const timesOf = async (contactId: string): Promise<ReminderTimes | undefined> =>
  (await reminderTimesOf([contactId])).get(contactId);

const isPaused = (times: ReminderTimes): boolean => isPausedOn(dayOf(now(), times.timeZone), times);
