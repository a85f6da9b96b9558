import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { notificationKind } from '#features/office/notifications/contributions.server.ts';
import { unreadNotification } from '#features/office/notifications/notifications.server.ts';
import type { Notification } from '#features/office/notifications/notifications.ts';
import type { PushTopic } from '#features/office/notifications/push-topics.ts';
import { notificationText } from '#features/office/notifications/texts.server.ts';
import { pageAddress } from '#platform/http/addresses.server.ts';
import { db } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { endOfSilence, notificationSettingsOf } from '#platform/mail/mail-delivery.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { isPracticeFirm } from '#platform/runtime/practice.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { vapidKeysOf } from './keys.server.ts';
import { isPushService, LOCAL_ADDRESS, postPush } from './services.server.ts';
import {
  endSubscription,
  recordRefused,
  recordSent,
  subscribedAmong,
  subscriptionIds,
  loadSubscription,
  loadTopics,
  type Subscription,
} from './subscriptions.server.ts';
import { encryptPush, vapidHeader, type VapidKeys } from './web-push.server.ts';

/*
 * A notification is pushed some minutes after it was added, if it was not read by then and nothing was added to it since: one
 * job decides about it, and one for each device sends it. The push service sees neither text nor address: the browser alone can
 * decrypt them.
 */

/** How long what is about these topics may be read, or gather, before it is pushed. */
const HOLD: Readonly<Record<PushTopic, number>> = {
  documents: 10 * MINUTE,
  tasks: 10 * MINUTE,
  messages: 10 * MINUTE,
  signatures: 0,
  shares: 0,
  requests: 0,
};

export const DECIDE = 'push-notification';
export const SEND = 'push-message';

interface Pushed {
  notificationId: string;
  contactId: string;
  companyId: string;
  /** When it was last added to; a later job pushes what came since. */
  at: number;
}

/** Begins to push notifications to those who have devices for it, in the transaction that adds them. */
export async function pushLater({
  kind,
  companyId,
  at,
  added,
}: {
  kind: string;
  companyId: string;
  at: number;
  added: readonly { notificationId: string; contactId: string }[];
}): Promise<void> {
  const topic = notificationKind(kind)?.push;
  if (topic === undefined || added.length === 0 || (await isPracticeFirm(companyId))) return;
  const subscribed = await subscribedAmong(added.map(({ contactId }) => contactId));
  for (const { notificationId, contactId } of added)
    if (subscribed.includes(contactId))
      await enqueue(
        DECIDE,
        { notificationId, contactId, companyId, at } satisfies Pushed,
        `push:${notificationId}:${at}`,
        companyId,
        at + HOLD[topic],
      );
}

/** The job that decides whether a notification is still worth pushing, and when; then there is one for each device. */
export async function decidePush(payload: unknown): Promise<void> {
  const pushed = payload as Pushed;
  const { notificationId, contactId, companyId } = pushed;
  const found = await worthPushing(pushed);
  if (!found) return;
  const instant = now();
  const until = endOfSilence(await notificationSettingsOf(contactId), instant);
  if (until > instant) {
    await enqueue(DECIDE, pushed, `push:${notificationId}:${pushed.at}:${until}`, companyId, until);
    return;
  }
  for (const id of await subscriptionIds(contactId))
    await enqueue(
      SEND,
      { ...pushed, subscriptionId: id },
      `push:${notificationId}:${pushed.at}:${id}`,
      companyId,
    );
}

/** The notification, if its reader may see it, has not read it, and wants to be told about it. */
async function worthPushing({ notificationId, contactId, at }: Pushed): Promise<Notification | undefined> {
  const reader = await loadReader(contactId);
  const found = reader && (await unreadNotification(reader, notificationId));
  const topic = found && notificationKind(found.kind)?.push;
  if (topic === undefined || found?.changedAt !== at) return undefined;
  return (await loadTopics(contactId)).includes(topic) ? found : undefined;
}

/** Who is told; undefined if they may no longer use the portal. */
async function loadReader(contactId: string): Promise<Actor | undefined> {
  const row = await db()
    .selectFrom('contacts')
    .select('contact_id')
    .where('contact_id', '=', contactId)
    .where('removed_at', 'is', null)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  const actor = row && (await actorOf(contactId));
  return actor && canAccessPortal(actor) ? actor : undefined;
}

/** A push service keeps a message for a device that is off, for so long (seconds). */
const KEPT_FOR = 86_400;
/** Tokens of senders are valid for at most a day. */
const TOKEN_LASTS = 12 * HOUR;
const MAX_WAIT = 6 * HOUR;

/** The job that sends a notification to one device. Throws for the next attempt where the push service does not answer. */
export async function sendPush(payload: unknown, { isLast }: { isLast: boolean }): Promise<void> {
  const pushed = payload as Pushed & { subscriptionId: string };
  if (await isPracticeFirm(pushed.companyId)) return;
  const subscription = await loadSubscription(pushed.subscriptionId);
  const found = await worthPushing(pushed);
  if (!subscription || !found || now() > pushed.at + 3 * KEPT_FOR * 1000) return;
  if (!isPushService(subscription.endpoint)) return void (await endSubscription(subscription.id));
  const body = encryptPush(JSON.stringify(await buildMessage(found, subscription)), subscription.keys);
  const own = await vapidKeysOf(subscription.publicKey);
  if (!own) return void (await endSubscription(subscription.id)); // no key that the browser knows: it gets nothing any more
  const answer = await postPush(subscription.endpoint, headersFor(found, subscription, own), body).catch(
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === LOCAL_ADDRESS) return undefined;
      throw error;
    },
  );
  if (answer) await settle(subscription, pushed, answer, isLast);
  else await recordRefused(subscription.id);
}

type Answer = Awaited<ReturnType<typeof postPush>>;

async function settle(
  { id }: Subscription,
  pushed: Pushed,
  { status, retryAfter }: Answer,
  isLast: boolean,
): Promise<void> {
  if (status >= 200 && status < 300) return void (await recordSent(id));
  if (status === 404 || status === 410) return void (await endSubscription(id));
  const isBusy = status === 429 || status >= 500;
  if (isBusy && retryAfter !== undefined && !isLast) {
    const until = now() + Math.min(retryAfter, MAX_WAIT);
    const payload = { ...pushed, subscriptionId: id };
    return enqueue(
      SEND,
      payload,
      `push:${pushed.notificationId}:${pushed.at}:${id}:${until}`,
      pushed.companyId,
      until,
    );
  }
  if (isBusy) throw Object.assign(new Error('the push service is busy'), { code: `PUSH_${status}` });
  await recordRefused(id);
}

function headersFor({ kind, notificationId }: Notification, { endpoint }: Subscription, own: VapidKeys) {
  const { origin, mailFrom } = config;
  const token = vapidHeader(own, {
    audience: new URL(endpoint).origin,
    contact: origin.startsWith('https:') ? origin : `mailto:${mailFrom}`,
    expiresAt: now() + TOKEN_LASTS,
  });
  return {
    Authorization: token,
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: String(KEPT_FOR),
    Urgency: kind === 'task-reminder' ? 'low' : 'normal',
    // what was not delivered yet is replaced by what says it anew
    Topic: topicOf(notificationId),
  };
}

const topicOf = (notificationId: string): string => sha256(notificationId).slice(0, 32);

/** What the service worker shows (worker.ts of offline): title, text, address and group. */
async function buildMessage(found: Notification, { companyId, language, showsTitles }: Subscription) {
  const t = translationsFor(language, 'push');
  const { name } = await firmOf(companyId);
  const address = `${pageAddress(language, `notifications/${found.notificationId}`)}?firm=${companyId}`;
  return {
    t: cut(t('newFrom', { firm: name }), 80),
    b: cut(showsTitles ? notificationText(language, found) : t('something', { count: found.count }), 120),
    u: address,
    g: topicOf(found.notificationId).slice(0, 12),
  };
}

/** Push services take little, and a locked screen shows less (characters). */
const cut = (text: string, length: number): string =>
  [...text].length > length ? `${[...text].slice(0, length - 1).join('')}…` : text;
