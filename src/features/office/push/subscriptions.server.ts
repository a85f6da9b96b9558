import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { Session } from '#features/base/people/people.ts';
import { PUSH_TOPICS, type PushTopic } from '#features/office/notifications/push-topics.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { isPracticeFirm } from '#platform/runtime/practice.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { vapidKeys, vapidKeysOf } from './keys.server.ts';
import type { NewSubscription, subscriptionState } from './push.ts';
import { isPushService } from './services.server.ts';
import { encryptPush, type BrowserKeys } from './web-push.server.ts';

/** More devices of a person push out the one that was used the longest ago. */
export const MAX_DEVICES = 10;
/** A browser in which nobody used the portal for so long gets nothing any more. */
const UNUSED = 60 * DAY;

/** A browser that gets push notifications, as its owner's list shows it. */
export interface PushDevice {
  id: string;
  /** Its User-Agent. */
  userAgent: string;
  showsTitles: boolean;
  createdAt: number;
  sentAt: number | undefined;
  /** Whether it was last used in this sign-in. */
  isThisOne: boolean;
}

const familyOf = ({ id, actor }: Session): string => actor.sessionId ?? id;

function assertOwn({ actor, viewing }: Session): void {
  if (viewing || actor.viewedBy !== undefined) throw new PortalError('EMULATION_READ_ONLY');
}

/** Lists the browsers in which the caller gets push notifications, the newest first. */
export async function listDevices(session: Session): Promise<PushDevice[]> {
  const rows = await db()
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('contact_id', '=', session.actor.contactId)
    .orderBy('created_at', 'desc')
    .orderBy('subscription_id')
    .execute();
  return rows.map((row) => ({
    id: row.subscription_id,
    userAgent: decryptFrom('push_subscriptions.device', row.subscription_id, row.device),
    showsTitles: row.shows_titles === 1,
    createdAt: row.created_at,
    sentAt: row.sent_at ?? undefined,
    isThisOne: row.session_id === familyOf(session),
  }));
}

/** What the caller's browser is. */
interface Browser {
  language: Lang;
  userAgent: string;
}

/**
 * Subscribes a browser for the caller, or renews its subscription; returns whether it is subscribed, and with which key it
 * should anew. A renewal adds nothing,
 * and ends the subscription of somebody else who used this browser before. INVALID for keys or a push service that cannot be
 * used, EMULATION_READ_ONLY while viewing as a contact.
 */
export async function subscribe(
  session: Session,
  { endpoint, keys, showsTitles, isRenewal, replaces, publicKey }: NewSubscription,
  browser: Browser,
): Promise<z.infer<typeof subscriptionState>> {
  assertOwn(session);
  // nor does trying things end what the same person has in this browser
  if (await isPracticeFirm(session.actor.companyId)) return { isOn: false };
  if (!isPushService(endpoint) || !areUsable(keys)) throw new PortalError('INVALID');
  const current = (await vapidKeys()).publicKey;
  // a key that the portal no longer has, or never had: nothing would arrive
  if (publicKey !== undefined && !(await vapidKeysOf(publicKey))) throw new PortalError('INVALID');
  return inTransaction(async () => {
    await endOfOthers(session, endpoint);
    if (isRenewal) return renew(session, { endpoint, keys, replaces, publicKey }, { browser, current });
    await remove(session.actor.contactId, endpoint);
    await insert(session, { endpoint, keys, showsTitles, publicKey: publicKey ?? current }, browser);
    await removeOldest(session.actor.contactId);
    await audit({
      companyId: session.actor.companyId,
      actor: session.actor.contactId,
      action: 'push.add',
      target: session.actor.contactId,
    });
    return { isOn: true };
  });
}

/** Whether something can be encrypted for them: a public key may be no point of the curve. */
function areUsable(keys: BrowserKeys): boolean {
  try {
    encryptPush('', keys);
    return true;
  } catch {
    return false;
  }
}

/** Ends the subscriptions of other people in this browser; other accounts of the same person keep theirs. */
async function endOfOthers({ actor }: Session, endpoint: string): Promise<void> {
  await db()
    .deleteFrom('push_subscriptions')
    .where('endpoint_hash', '=', sha256(endpoint))
    .where('contact_id', 'not in', (e) =>
      e.selectFrom('contacts').select('contact_id').where('prism_guid', '=', actor.prismGuid),
    )
    .execute();
}

type Endpoint = Pick<NewSubscription, 'endpoint' | 'keys' | 'replaces' | 'publicKey'>;

async function renew(
  session: Session,
  { endpoint, keys, replaces, publicKey }: Endpoint,
  { browser, current }: { browser: Browser; current: string },
): Promise<z.infer<typeof subscriptionState>> {
  const row = await db()
    .selectFrom('push_subscriptions')
    .select(['subscription_id', 'public_key'])
    .where('contact_id', '=', session.actor.contactId)
    .where('endpoint_hash', '=', sha256(replaces ?? endpoint))
    .executeTakeFirst();
  if (!row) return { isOn: false };
  const id = row.subscription_id;
  const known = publicKey ?? row.public_key;
  await db()
    .updateTable('push_subscriptions')
    .set({
      ...encrypted(id, endpoint, keys),
      public_key: known,
      session_id: familyOf(session),
      language: browser.language,
      seen_at: now(),
    })
    .where('subscription_id', '=', id)
    .execute();
  if (replaces !== undefined)
    await moveOtherAccounts(session, { endpoint, keys, replaces, publicKey: known });
  return { isOn: true, ...(known !== current && { renewWith: current }) };
}

/** The same browser gets what is for other accounts of the same person, too. */
async function moveOtherAccounts(
  { actor }: Session,
  {
    endpoint,
    keys,
    replaces,
    publicKey,
  }: Pick<Endpoint, 'endpoint' | 'keys'> & { replaces: string; publicKey: string },
): Promise<void> {
  const rows = await db()
    .selectFrom('push_subscriptions')
    .select('subscription_id')
    .where('endpoint_hash', '=', sha256(replaces))
    .where('contact_id', 'in', (e) =>
      e.selectFrom('contacts').select('contact_id').where('prism_guid', '=', actor.prismGuid),
    )
    .execute();
  for (const { subscription_id: id } of rows)
    await db()
      .updateTable('push_subscriptions')
      .set({ ...encrypted(id, endpoint, keys), public_key: publicKey })
      .where('subscription_id', '=', id)
      .execute();
}

const encrypted = (id: string, endpoint: string, keys: BrowserKeys) => ({
  endpoint: encryptFor('push_subscriptions.endpoint', id, endpoint),
  endpoint_hash: sha256(endpoint),
  keys: encryptFor('push_subscriptions.keys', id, JSON.stringify(keys)),
});

async function insert(
  session: Session,
  {
    endpoint,
    keys,
    showsTitles,
    publicKey,
  }: Pick<NewSubscription, 'endpoint' | 'keys' | 'showsTitles'> & { publicKey: string },
  { language, userAgent }: Browser,
): Promise<void> {
  const id = newId('push');
  const instant = now();
  await db()
    .insertInto('push_subscriptions')
    .values({
      subscription_id: id,
      company_id: session.actor.companyId,
      contact_id: session.actor.contactId,
      session_id: familyOf(session),
      ...encrypted(id, endpoint, keys),
      public_key: publicKey,
      device: encryptFor('push_subscriptions.device', id, userAgent.slice(0, 300)),
      language,
      shows_titles: showsTitles ? 1 : 0,
      created_at: instant,
      seen_at: instant,
      sent_at: null,
      failures: 0,
    })
    .execute();
}

const remove = (contactId: string, endpoint: string): Promise<unknown> =>
  db()
    .deleteFrom('push_subscriptions')
    .where('contact_id', '=', contactId)
    .where('endpoint_hash', '=', sha256(endpoint))
    .execute();

async function removeOldest(contactId: string): Promise<void> {
  await db()
    .deleteFrom('push_subscriptions')
    .where('subscription_id', 'in', (e) =>
      e
        .selectFrom('push_subscriptions as old')
        .select('old.subscription_id')
        .where('old.contact_id', '=', contactId)
        .orderBy('old.seen_at', 'desc')
        .orderBy('old.subscription_id')
        .limit(1000)
        .offset(MAX_DEVICES),
    )
    .execute();
}

/** Ends push notifications on a device of the caller. NOT_FOUND for one of somebody else. */
export async function removeDevice(session: Session, id: string): Promise<void> {
  assertOwn(session);
  await inTransaction(async () => {
    const removed = await db()
      .deleteFrom('push_subscriptions')
      .where('subscription_id', '=', id)
      .where('contact_id', '=', session.actor.contactId)
      .returning('subscription_id')
      .executeTakeFirst();
    if (!removed) throw notFound();
    await audit({
      companyId: session.actor.companyId,
      actor: session.actor.contactId,
      action: 'push.remove',
      target: session.actor.contactId,
    });
  });
}

/** Changes whether texts on a device of the caller say what they are about. NOT_FOUND for one of somebody else. */
export async function showTitles(session: Session, id: string, showsTitles: boolean): Promise<void> {
  assertOwn(session);
  const changed = await db()
    .updateTable('push_subscriptions')
    .set({ shows_titles: showsTitles ? 1 : 0 })
    .where('subscription_id', '=', id)
    .where('contact_id', '=', session.actor.contactId)
    .returning('subscription_id')
    .executeTakeFirst();
  if (!changed) throw notFound();
}

/** What the caller gets push notifications about. */
export async function loadTopics(contactId: string): Promise<PushTopic[]> {
  const off = await db()
    .selectFrom('push_opt_outs')
    .select('topic')
    .where('contact_id', '=', contactId)
    .execute();
  return PUSH_TOPICS.filter((topic) => !off.some((row) => row.topic === topic));
}

/** Saves what the caller gets push notifications about. EMULATION_READ_ONLY while viewing as a contact. */
export async function saveTopics(session: Session, topics: readonly PushTopic[]): Promise<void> {
  assertOwn(session);
  const { contactId } = session.actor;
  const off = PUSH_TOPICS.filter((topic) => !topics.includes(topic));
  await inTransaction(async () => {
    await db().deleteFrom('push_opt_outs').where('contact_id', '=', contactId).execute();
    if (off.length > 0)
      await db()
        .insertInto('push_opt_outs')
        .values(off.map((topic) => ({ contact_id: contactId, topic })))
        .execute();
  });
}

/** Who of some people gets push notifications at all. */
export async function subscribedAmong(contactIds: readonly string[]): Promise<string[]> {
  const rows = await db()
    .selectFrom('push_subscriptions')
    .select('contact_id')
    .distinct()
    .where('contact_id', 'in', contactIds)
    .execute();
  return rows.map((row) => row.contact_id);
}

/** A subscription, to send something to it. */
export interface Subscription {
  id: string;
  contactId: string;
  companyId: string;
  endpoint: string;
  keys: BrowserKeys;
  /** The key of the portal that it knows. */
  publicKey: string;
  language: Lang;
  showsTitles: boolean;
}

function subscriptionIn(row: Selectable<Tables['push_subscriptions']>): Subscription {
  const { subscription_id: id } = row;
  return {
    id,
    contactId: row.contact_id,
    companyId: row.company_id,
    endpoint: decryptFrom('push_subscriptions.endpoint', id, row.endpoint),
    keys: JSON.parse(decryptFrom('push_subscriptions.keys', id, row.keys)) as BrowserKeys,
    publicKey: row.public_key,
    language: row.language,
    showsTitles: row.shows_titles === 1,
  };
}

/** The ids of a person's subscriptions. */
export async function subscriptionIds(contactId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('push_subscriptions')
    .select('subscription_id')
    .where('contact_id', '=', contactId)
    .where('seen_at', '>', now() - UNUSED)
    .execute();
  return rows.map((row) => row.subscription_id);
}

/** A subscription by its id; undefined if it has ended. */
export async function loadSubscription(id: string): Promise<Subscription | undefined> {
  const row = await db()
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('subscription_id', '=', id)
    .executeTakeFirst();
  return row && subscriptionIn(row);
}

/** Refusals in a row after which a subscription is over: a push service refuses a stale one for ever. */
const MAX_FAILURES = 5;

/** Records that a push service took a message. */
export const recordSent = (id: string): Promise<unknown> =>
  db()
    .updateTable('push_subscriptions')
    .set({ sent_at: now(), failures: 0 })
    .where('subscription_id', '=', id)
    .execute();

/** Ends a subscription that its push service no longer knows. */
export const endSubscription = (id: string): Promise<unknown> =>
  db().deleteFrom('push_subscriptions').where('subscription_id', '=', id).execute();

/** Records that a push service refused a message; ends the subscription after several in a row. */
export async function recordRefused(id: string): Promise<void> {
  await inTransaction(async () => {
    await db()
      .updateTable('push_subscriptions')
      .set((e) => ({ failures: e('failures', '+', 1) }))
      .where('subscription_id', '=', id)
      .execute();
    await db()
      .deleteFrom('push_subscriptions')
      .where('subscription_id', '=', id)
      .where('failures', '>=', MAX_FAILURES)
      .execute();
  });
}

/** Ends the subscriptions of a sign-in that somebody ended, unless it goes on as another account. */
export async function endOfSignIn(sessionId: string): Promise<void> {
  await db()
    .deleteFrom('push_subscriptions')
    .where('session_id', '=', sessionId)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('sessions')
            .select('sessions.session_hash')
            .where((s) =>
              s.or([s('sessions.first_hash', '=', sessionId), s('sessions.session_hash', '=', sessionId)]),
            ),
        ),
      ),
    )
    .execute();
}

/** Ends the subscriptions of browsers that nobody uses any more. */
export const sweepSubscriptions = (): Promise<unknown> =>
  db()
    .deleteFrom('push_subscriptions')
    .where('seen_at', '<', now() - UNUSED)
    .execute();
