import type { Actor, Session } from '#features/people/people.ts';
import { actorOf } from '#features/people/people.server.ts';
import { audit } from '#platform/audit.server.ts';
import { MINUTE } from '#platform/clock.server.ts';
import { inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { consumeForNetwork } from '#platform/limits.server.ts';
import {
  notificationSettingsOf,
  storeNotificationSettings,
  turnOffKind,
  type QuietHours,
} from '#platform/mail-delivery.server.ts';
import { OPTIONAL_KINDS, type OptionalKind } from '#platform/mail-kinds.ts';
import { readUnsubscribeToken } from '#platform/unsubscribing.server.ts';
import type { NotificationInput } from './notifications.ts';

/** The hours that the form offers to people who have none. */
const USUAL_HOURS = { from: 20, until: 7 };

/** Returns which optional emails the actor gets, and their quiet hours; `timeZone` is used if they have none. */
export async function notificationsOf(actor: Actor, timeZone: string): Promise<NotificationInput> {
  const { turnedOff, quietHours } = await notificationSettingsOf(actor.contactId);
  return {
    kinds: OPTIONAL_KINDS.filter((kind) => !turnedOff.includes(kind)),
    isQuiet: quietHours !== undefined,
    ...(quietHours ?? { ...USUAL_HOURS, timeZone }),
  };
}

/** Saves which optional emails the caller gets. FORBIDDEN while staff view as a contact. */
export async function saveNotifications(
  { actor, viewing }: Session,
  { kinds, isQuiet, from, until, timeZone }: NotificationInput,
): Promise<void> {
  if (viewing || actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  const turnedOff = OPTIONAL_KINDS.filter((kind) => !kinds.includes(kind));
  const quietHours: QuietHours | undefined = isQuiet ? { from, until, timeZone } : undefined;
  await inTransaction(async () => {
    await storeNotificationSettings(actor.contactId, { turnedOff, quietHours });
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'notifications.change',
      target: actor.contactId,
      details: { turnedOff: turnedOff.join(' '), quietHours: isQuiet ? 1 : 0 },
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
