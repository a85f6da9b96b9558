import { now } from './clock.server.ts';
import { db, inTransaction } from './database.server.ts';
import { isOptional, type OptionalKind } from './mail-kinds.ts';
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
  quietHours: QuietHours | undefined;
}

export type Delivery = { kind: 'now' } | { kind: 'turned-off' } | { kind: 'held'; until: number };

/** Decides about a mail that is being queued. */
export async function deliveryOf({ kind, contactId }: MailAbout): Promise<Delivery> {
  if (!isOptional(kind) || contactId === undefined) return { kind: 'now' };
  const { turnedOff, quietHours } = await notificationSettingsOf(contactId);
  if (turnedOff.includes(kind)) return { kind: 'turned-off' };
  const until = quietHours && endOfQuietHours(quietHours, now());
  return until === undefined ? { kind: 'now' } : { kind: 'held', until };
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
  const optOuts = await db()
    .selectFrom('notification_opt_outs')
    .select('kind')
    .where('contact_id', '=', contactId)
    .orderBy('kind')
    .execute();
  const hours = await db()
    .selectFrom('quiet_hours')
    .selectAll()
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return {
    turnedOff: optOuts.map(({ kind }) => kind),
    quietHours: hours && { from: hours.from_hour, until: hours.until_hour, timeZone: hours.time_zone },
  };
}

/** Stores what a person chose. */
export async function storeNotificationSettings(
  contactId: string,
  { turnedOff, quietHours }: NotificationSettings,
): Promise<void> {
  await inTransaction(async () => {
    await db()
      .deleteFrom('notification_opt_outs')
      .where('contact_id', '=', contactId)
      .$if(turnedOff.length > 0, (rows) => rows.where('kind', 'not in', turnedOff))
      .execute();
    for (const kind of turnedOff) await turnOffKind(contactId, kind);
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
