import { sql } from 'kysely';
import { MINUTE, now } from '../runtime/clock.server.ts';
import { db, inTransaction } from '../database/database.server.ts';
import { DAILY_MAIL, isOptional } from './mail-kinds.server.ts';
import type { OptionalKind } from './mail-kinds.ts';
import type { MailAbout } from './mail.server.ts';

/*
 * Whether an email goes out now, later or not at all, as its recipient chose. Every email is queued by `queueMail`,
 * which asks here; necessary ones always go out.
 */

/** The hours of the day from `from` to `until`, which may be the next morning, in a person's time zone. */
export interface QuietHours {
  from: number;
  until: number;
  timeZone: string;
}

export interface NotificationSettings {
  turnedOff: OptionalKind[];
  /** The kinds that come together, once a day. */
  daily: OptionalKind[];
  times: MailTimes | undefined;
  quietHours: QuietHours | undefined;
}

interface MailTimes {
  /** The hour of the daily email. */
  dailyHour: number;
  timeZone: string;
  /** The last day without optional emails, `2026-02-28`. */
  pausedUntil: string | undefined;
}

/**
 * `read`: the recipient has read in the portal what the mail says, and so does not get it. `isDaily`: it will be part of
 * their daily email.
 */
export type Delivery =
  | { kind: 'now' }
  | { kind: 'turned-off' }
  | { kind: 'read' }
  | { kind: 'held'; until: number; isDaily: boolean };

/** Decides about a mail that is being queued. */
export async function deliveryOf({ kind, contactId }: MailAbout): Promise<Delivery> {
  if (!isOptional(kind) || contactId === undefined) return { kind: 'now' };
  const settings = await notificationSettingsOf(contactId);
  return isTurnedOff(settings, kind) ? { kind: 'turned-off' } : timeOf(settings, kind, now());
}

/** A kind is turned off by itself, or with the daily email that it is part of. */
export const isTurnedOff = ({ turnedOff, daily }: NotificationSettings, kind: OptionalKind): boolean =>
  turnedOff.includes(kind) || (daily.includes(kind) && turnedOff.includes(DAILY_MAIL));

/** The people who get no emails of a kind: they turned it off, or the daily email that it is part of. */
export const withoutMailsOf = (kind: OptionalKind) =>
  db()
    .selectFrom('notification_opt_outs as off')
    .select('off.contact_id')
    .where((e) =>
      e.or([
        e('off.kind', '=', kind),
        e.and([
          e('off.kind', '=', DAILY_MAIL),
          e.exists(
            e
              .selectFrom('daily_mail_kinds as daily')
              .select('daily.kind')
              .whereRef('daily.contact_id', '=', 'off.contact_id')
              .where('daily.kind', '=', kind),
          ),
        ]),
      ]),
    );

/** What is told of once a day has so long to be gathered before its email is sent. */
const GATHERING = 5 * MINUTE;

/** Until when (epoch ms) what a held mail says may be gathered, so that it is current when it is sent. */
export const gatheringEnd = ({ until, isDaily }: Extract<Delivery, { kind: 'held' }>): number =>
  isDaily ? until - GATHERING : until;

/** When an email of a kind goes out: after the pause, with the daily email, and not in quiet hours. */
function timeOf(
  { daily, times, quietHours }: NotificationSettings,
  kind: OptionalKind,
  instant: number,
): Delivery {
  const resumed = times === undefined ? instant : Math.max(instant, endOfPause(times));
  const isDaily = times !== undefined && daily.includes(kind);
  const due = isDaily ? nextDailyMail(times, resumed) : resumed;
  const until = (quietHours && endOfQuietHours(quietHours, due)) ?? due;
  return until > instant ? { kind: 'held', until, isDaily } : { kind: 'now' };
}

/** From when on a person wants to be told things (epoch ms): after a pause, and not in quiet hours. */
export function endOfSilence({ times, quietHours }: NotificationSettings, instant: number): number {
  const resumed = times === undefined ? instant : Math.max(instant, endOfPause(times));
  return (quietHours && endOfQuietHours(quietHours, resumed)) ?? resumed;
}

/** The end of the last day of a pause (epoch ms); 0 if there is none. */
function endOfPause({ pausedUntil, timeZone }: MailTimes): number {
  if (pausedUntil === undefined) return 0;
  return Temporal.PlainDate.from(pausedUntil).add({ days: 1 }).toZonedDateTime({ timeZone })
    .epochMilliseconds;
}

/** When the next daily email is sent (epoch ms). */
export function nextDailyMail({ dailyHour, timeZone }: MailTimes, instant: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
  const on = (day: Temporal.PlainDate): number =>
    day.toZonedDateTime({ timeZone, plainTime: { hour: dailyHour } }).epochMilliseconds + GATHERING;
  return on(today) > instant ? on(today) : on(today.add({ days: 1 }));
}

/** When the quiet hours of this moment end (epoch ms); undefined outside of them. */
export function endOfQuietHours({ from, until, timeZone }: QuietHours, instant: number): number | undefined {
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  const isQuiet =
    from < until ? local.hour >= from && local.hour < until : local.hour >= from || local.hour < until;
  if (!isQuiet) return undefined;
  const day = local.hour < until ? local.toPlainDate() : local.toPlainDate().add({ days: 1 });
  return day.toZonedDateTime({ timeZone, plainTime: { hour: until } }).epochMilliseconds;
}

/** What a person chose; by default they get every email at once. */
export async function notificationSettingsOf(contactId: string): Promise<NotificationSettings> {
  const kinds = await db()
    .selectFrom('notification_opt_outs')
    .select(['kind', sql<'off' | 'daily'>`'off'`.as('choice')])
    .where('contact_id', '=', contactId)
    .unionAll(
      db()
        .selectFrom('daily_mail_kinds')
        .select(['kind', sql<'off' | 'daily'>`'daily'`.as('choice')])
        .where('contact_id', '=', contactId),
    )
    .orderBy('kind')
    .execute();
  const chosen = await db()
    .selectFrom('contacts')
    .leftJoin('quiet_hours as quiet', 'quiet.contact_id', 'contacts.contact_id')
    .leftJoin('mail_times as times', 'times.contact_id', 'contacts.contact_id')
    .select([
      'quiet.from_hour',
      'quiet.until_hour',
      'quiet.time_zone as quiet_zone',
      'times.daily_hour',
      'times.time_zone',
      'times.paused_until',
    ])
    .where('contacts.contact_id', '=', contactId)
    .executeTakeFirst();
  const of = (choice: 'off' | 'daily') =>
    kinds.filter((row) => row.choice === choice).map(({ kind }) => kind);
  return {
    turnedOff: of('off'),
    daily: of('daily'),
    times: timesIn(chosen),
    quietHours: quietHoursIn(chosen),
  };
}

interface Chosen {
  from_hour: number | null;
  until_hour: number | null;
  quiet_zone: string | null;
  daily_hour: number | null;
  time_zone: string | null;
  paused_until: string | null;
}

const quietHoursIn = (row: Chosen | undefined): QuietHours | undefined =>
  row && row.from_hour !== null && row.until_hour !== null && row.quiet_zone !== null
    ? { from: row.from_hour, until: row.until_hour, timeZone: row.quiet_zone }
    : undefined;

const timesIn = (row: Chosen | undefined): MailTimes | undefined =>
  row && row.daily_hour !== null && row.time_zone !== null
    ? { dailyHour: row.daily_hour, timeZone: row.time_zone, pausedUntil: row.paused_until ?? undefined }
    : undefined;

/** Stores what a person chose. */
export async function storeNotificationSettings(
  contactId: string,
  { turnedOff, daily, times, quietHours }: NotificationSettings,
): Promise<void> {
  await inTransaction(async () => {
    await db()
      .deleteFrom('notification_opt_outs')
      .where('contact_id', '=', contactId)
      .$if(turnedOff.length > 0, (rows) => rows.where('kind', 'not in', turnedOff))
      .execute();
    for (const kind of turnedOff) await turnOffKind(contactId, kind);
    await storeDaily(contactId, daily);
    await storeTimes(contactId, times);
    await db().deleteFrom('quiet_hours').where('contact_id', '=', contactId).execute();
    if (quietHours)
      await db()
        .insertInto('quiet_hours')
        .values({
          contact_id: contactId,
          from_hour: quietHours.from,
          until_hour: quietHours.until,
          time_zone: quietHours.timeZone,
        })
        .execute();
  });
}

async function storeDaily(contactId: string, daily: readonly OptionalKind[]): Promise<void> {
  await db().deleteFrom('daily_mail_kinds').where('contact_id', '=', contactId).execute();
  if (daily.length > 0)
    await db()
      .insertInto('daily_mail_kinds')
      .values(daily.map((kind) => ({ contact_id: contactId, kind, created_at: now() })))
      .execute();
}

async function storeTimes(contactId: string, times: MailTimes | undefined): Promise<void> {
  await db().deleteFrom('mail_times').where('contact_id', '=', contactId).execute();
  if (times)
    await db()
      .insertInto('mail_times')
      .values({
        contact_id: contactId,
        daily_hour: times.dailyHour,
        time_zone: times.timeZone,
        paused_until: times.pausedUntil ?? null,
      })
      .execute();
}

/** Turns off one kind of emails for a person. Returns false if it was off. */
export async function turnOffKind(contactId: string, kind: OptionalKind): Promise<boolean> {
  const added = await db()
    .insertInto('notification_opt_outs')
    .values({ contact_id: contactId, kind, created_at: now() })
    .onConflict((conflict) => conflict.columns(['contact_id', 'kind']).doNothing())
    .returning('kind')
    .executeTakeFirst();
  return added !== undefined;
}
