import type { Actor, Session } from '#features/base/people/people.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import {
  notificationSettingsOf,
  storeNotificationSettings,
  turnOffKind,
  type QuietHours,
} from '#platform/mail/mail-delivery.server.ts';
import { dailyKinds, optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import type { OptionalKind } from '#platform/mail/mail-kinds.ts';
import { readUnsubscribeToken } from '#platform/mail/unsubscribing.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { NotificationInput } from './notifications.ts';

/** The hours that the form offers to people who have none. */
const USUAL_HOURS = { from: 20, until: 7 };
const USUAL_DAILY_HOUR = 8;

/** Returns which optional emails the actor gets, and their quiet hours; `timeZone` is used if they have none. */
export async function notificationsOf(actor: Actor, timeZone: string): Promise<NotificationInput> {
  const { turnedOff, daily, times, quietHours } = await notificationSettingsOf(actor.contactId);
  const zone = quietHours?.timeZone ?? times?.timeZone ?? timeZone;
  const { pausedUntil = '' } = times ?? {};
  return {
    kinds: optionalKinds().filter((kind) => !turnedOff.includes(kind)),
    daily,
    dailyHour: times?.dailyHour ?? USUAL_DAILY_HOUR,
    isQuiet: quietHours !== undefined,
    ...(quietHours ?? USUAL_HOURS),
    timeZone: zone,
    pausedUntil: pausedUntil < dayOf(now(), zone) ? '' : pausedUntil,
  };
}

/** Saves which optional emails the caller gets. FORBIDDEN while staff view as a contact. */
export async function saveNotifications(
  { actor, viewing }: Session,
  { kinds, daily, dailyHour, isQuiet, from, until, timeZone, pausedUntil }: NotificationInput,
): Promise<void> {
  if (viewing || actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  const turnedOff = optionalKinds().filter((kind) => !kinds.includes(kind));
  const quietHours: QuietHours | undefined = isQuiet ? { from, until, timeZone } : undefined;
  const chosenDaily = dailyKinds().filter((kind) => daily.includes(kind));
  const hasTimes = chosenDaily.length > 0 || pausedUntil !== '';
  const times = hasTimes ? { dailyHour, timeZone, pausedUntil: pausedUntil || undefined } : undefined;
  await inTransaction(async () => {
    await storeNotificationSettings(actor.contactId, {
      turnedOff,
      daily: chosenDaily,
      times,
      quietHours,
    });
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'notifications.change',
      target: actor.contactId,
      details: {
        turnedOff: turnedOff.join(' '),
        daily: chosenDaily.join(' '),
        quietHours: isQuiet ? 1 : 0,
        pausedUntil,
      },
    });
  });
}

/** What a link in an email turns off, and for whom. */
export interface Unsubscribing {
  person: Actor;
  kind: OptionalKind;
  isTurnedOff: boolean;
}

/** Finds what the token of a link turns off; undefined unless the portal signed it. Changes nothing. */
export async function unsubscribingOf(token: string): Promise<Unsubscribing | undefined> {
  const named = readUnsubscribeToken(token);
  if (!named) return undefined;
  const person = await actorOf(named.contactId);
  const { turnedOff } = await notificationSettingsOf(named.contactId);
  return { person, kind: named.kind, isTurnedOff: turnedOff.includes(named.kind) };
}

/**
 * Turns off the emails that a token names, without a session. NOT_FOUND for a token that the portal did not sign,
 * TOO_MANY beyond 120 a minute from one network: mail providers send the requests of many people.
 */
export async function unsubscribe(token: string, network: string): Promise<void> {
  await consumeForNetwork('unsubscribe', network, 120, MINUTE);
  const found = await unsubscribingOf(token);
  if (!found) throw notFound();
  const { person, kind } = found;
  await inTransaction(async () => {
    if (!(await turnOffKind(person.contactId, kind))) return;
    await audit({
      companyId: person.companyId,
      actor: person.contactId,
      action: 'notifications.unsubscribe',
      target: person.contactId,
      details: { kind },
    });
  });
}
