import { createECDH } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { saveNotifications } from '#features/clients/mails/notifications.server.ts';
import { endSession, startSession, findSession } from '#features/identity/sessions/sessions.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { markRead } from '#features/office/notifications/notifications.server.ts';
import { addNotifications } from '#features/office/notifications/rows.server.ts';
import { PUSH_TOPICS } from '#features/office/notifications/push-topics.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { declineOffer, pushOffer } from '#features/office/push/offer.server.ts';
import { publicKey, rotateVapidKeys, sweepVapidKeys } from '#features/office/push/keys.server.ts';
import { isPublicAddress, isPushService } from '#features/office/push/services.server.ts';
import {
  listDevices,
  MAX_DEVICES,
  removeDevice,
  saveTopics,
  showTitles,
  subscribe,
  sweepSubscriptions,
  loadTopics,
} from '#features/office/push/subscriptions.server.ts';
import { db } from '#platform/database/database.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { DAY, HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { everyRow, makeCast, standAt, unlink } from '../../support/cast.ts';
import { optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';
import { startPushService, type Browser } from '../../support/push-service.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, zoe, firmOne, clientA } = await makeCast();
const service = await startPushService();
const services = config.pushServices;
afterAll(async () => {
  config.pushServices = services;
  await service.stop();
});
beforeEach(async () => {
  config.pushServices = [service.origin];
  service.reply({ status: 201 });
  service.received.length = 0;
  for (const table of [
    'push_subscriptions',
    'push_opt_outs',
    'push_offers',
    'notifications',
    'quiet_hours',
    'mail_times',
    'jobs',
  ] as const)
    await db().deleteFrom(table).execute();
  standAt(noon());
});

const noon = (): number =>
  Temporal.Instant.fromEpochMilliseconds(now() + DAY)
    .toZonedDateTimeISO('UTC')
    .with({ hour: 12, minute: 0 }).epochMilliseconds;
const browserOf = { language: 'en-us', userAgent: 'Mozilla/5.0 (Android 14) Firefox/140.0' } as const;
/** A device of a person. */
async function deviceOf(actor: Actor, chosen: { showsTitles?: boolean } = {}): Promise<Browser> {
  const browser = service.browser();
  const how = { showsTitles: false, isRenewal: false, ...chosen };
  await subscribe(sessionAs(actor), { ...browser.subscription, ...how }, browserOf);
  return browser;
}
const tell = (actor: Actor, kind = 'task-returned', key = 'task_1') =>
  addNotifications(kind, {
    companyId: firmOne,
    clientId: clientA,
    contactIds: [actor.contactId],
    key,
    things: [{ target: key, name: 'Secret payroll of March' }],
  });
/** Lets what is held go out. */
async function later(ms = 10 * MINUTE): Promise<void> {
  standAt(now() + ms + SECOND);
  await runDueJobs();
}
const sentTo = (browser: Browser): unknown[] => browser.messages();
const onDevices = async (actor: Actor): Promise<number> => (await listDevices(sessionAs(actor))).length;

describe('what is sent', () => {
  test('a device is told that there is something, and nothing of what; the button leads to the notification', async () => {
    const browser = await deviceOf(ada);
    await tell(ada);
    await later();
    const { notification_id: id } = await db()
      .selectFrom('notifications')
      .select('notification_id')
      .executeTakeFirstOrThrow();
    expect(sentTo(browser)).toEqual([
      {
        t: expect.stringMatching(/^News from /) as string,
        b: '1 new notification',
        u: `/clientcenter/en-us/notifications/${id}?firm=${firmOne}`,
        g: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      },
    ]);
    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = service.received;
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'normal' });
    expect(new Headers(headers as Record<string, string>).get('topic')).toMatch(/^[\w-]{32}$/);
    expect(headers.authorization).toMatch(/^vapid t=.+, k=/);
    expect(body.length).toBeLessThan(1000);
  });

  test('who chose so reads on the lock screen what it is about', async () => {
    const browser = await deviceOf(ada, { showsTitles: true });
    await tell(ada);
    await later();
    expect(JSON.stringify(sentTo(browser))).toContain('Secret payroll of March');
    const [device] = await listDevices(sessionAs(ada));
    await showTitles(sessionAs(ada), device?.id ?? '', false);
    await tell(ada, 'task-returned', 'task_2');
    await later();
    expect(sentTo(browser)).toHaveLength(2);
    expect(JSON.stringify(sentTo(browser).at(-1))).not.toContain('Secret payroll');
  });

  test('what happens several times within minutes is told once, on each device', async () => {
    const browsers = [await deviceOf(ada), await deviceOf(ada)];
    for (const key of ['a', 'b', 'c']) {
      await addNotifications('documents-published', {
        companyId: firmOne,
        clientId: clientA,
        contactIds: [ada.contactId],
        key: clientA,
        things: [{ target: key, name: key }],
      });
      standAt(now() + MINUTE);
    }
    await later();
    for (const browser of browsers) expect(sentTo(browser)).toMatchObject([{ b: '3 new notifications' }]);
    await later(HOUR);
    expect(service.received).toHaveLength(2);
  });

  test('what was read meanwhile is not sent, nor what its reader may no longer see', async () => {
    const browser = await deviceOf(ada);
    await tell(ada);
    const { notification_id: id } = await db()
      .selectFrom('notifications')
      .select('notification_id')
      .executeTakeFirstOrThrow();
    await markRead(ada, [id]);
    await later();
    expect(sentTo(browser)).toEqual([]);
    const other = await deviceOf(ben);
    await tell(ben);
    await unlink(clientA, ben);
    await later();
    expect(sentTo(other)).toEqual([]);
  });

  test('who was removed from the firm is told nothing', async () => {
    const browser = await deviceOf(cleo);
    await tell(cleo);
    const gone = { removed_at: now(), suspended_at: now() };
    await db().updateTable('contacts').set(gone).where('contact_id', '=', cleo.contactId).execute();
    await later();
    expect(sentTo(browser)).toEqual([]);
    expect(await db().selectFrom('jobs').select('last_error').where('done_at', 'is', null).execute()).toEqual(
      [],
    );
  });

  test('nobody without a device costs a job, and kinds that are not worth it are not sent', async () => {
    await tell(ada);
    await deviceOf(ada);
    await tell(ada, 'task-accepted', 'task_2');
    expect(await db().selectFrom('jobs').select('kind').execute()).toEqual([]);
  });

  test('what somebody does not want is not sent', async () => {
    const browser = await deviceOf(ada);
    await saveTopics(sessionAs(ada), ['documents']);
    expect(await loadTopics(ada.contactId)).toEqual(['documents']);
    await tell(ada);
    await later();
    expect(sentTo(browser)).toEqual([]);
    await saveTopics(sessionAs(ada), PUSH_TOPICS);
    await tell(ada, 'task-returned', 'task_2');
    await later();
    expect(sentTo(browser)).toHaveLength(1);
  });

  test('quiet hours and a pause hold it, also those that were set meanwhile', async () => {
    const browser = await deviceOf(ada);
    const settings = {
      ...AT_ONCE,
      kinds: optionalKinds(),
      isQuiet: false,
      from: 20,
      until: 7,
      timeZone: 'UTC',
    };
    await tell(ada);
    await saveNotifications(sessionAs(ada), { ...settings, isQuiet: true, from: 12, until: 15 });
    await later();
    expect(sentTo(browser)).toEqual([]);
    await later(3 * HOUR);
    expect(sentTo(browser)).toHaveLength(1);
    const tomorrow = Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO('UTC').add({ days: 1 });
    await saveNotifications(sessionAs(ada), { ...settings, pausedUntil: tomorrow.toPlainDate().toString() });
    await tell(ada, 'task-returned', 'task_2');
    await later(DAY);
    expect(sentTo(browser)).toHaveLength(1);
    await later(DAY);
    expect(sentTo(browser)).toHaveLength(2);
  });
});

describe('what a push service answers', () => {
  test.each([404, 410])('%i ends the subscription', async (status) => {
    await deviceOf(ada);
    service.reply({ status });
    await tell(ada);
    await later();
    expect(await onDevices(ada)).toBe(0);
  });

  test('403 and 400 end it after five in a row, and a success in between forgets them', async () => {
    await deviceOf(ada);
    const fail = async (key: string, status: number): Promise<void> => {
      service.reply({ status });
      await tell(ada, 'task-returned', key);
      await later();
    };
    for (const key of ['1', '2', '3', '4']) await fail(key, 403);
    await fail('5', 201);
    for (const key of ['6', '7', '8', '9']) await fail(key, 400);
    expect(await onDevices(ada)).toBe(1);
    await fail('10', 400);
    expect(await onDevices(ada)).toBe(0);
  });

  test('429 waits as long as it says, then it is sent once', async () => {
    const browser = await deviceOf(ada);
    service.reply({ status: 429, headers: { 'Retry-After': '1800' } });
    await tell(ada);
    await later();
    service.reply({ status: 201 });
    await later(20 * MINUTE);
    expect(service.received).toHaveLength(1);
    await later(15 * MINUTE);
    expect(sentTo(browser)).toHaveLength(2);
    await later(HOUR);
    expect(service.received).toHaveLength(2);
  });

  test('500 is tried again', async () => {
    const browser = await deviceOf(ada);
    service.reply({ status: 500 });
    await tell(ada);
    await later();
    service.reply({ status: 201 });
    await later(MINUTE);
    expect(sentTo(browser)).toHaveLength(2);
    expect(await onDevices(ada)).toBe(1);
  });

  test('a redirect is not followed', async () => {
    await deviceOf(ada);
    service.reply({ status: 302, headers: { Location: `${service.origin}/elsewhere` } });
    await tell(ada);
    await later();
    expect(service.received.map(({ path }) => path)).not.toContain('/elsewhere');
  });
});

describe('where the portal sends', () => {
  test('only to the hosts of the list, on https and its port', () => {
    config.pushServices = services;
    for (const good of [
      'https://fcm.googleapis.com/fcm/send/abc',
      'https://updates.push.services.mozilla.com/wpush/v2/abc',
      'https://db5.notify.windows.com/w/?token=a',
      'https://web.push.apple.com/abc',
    ])
      expect(isPushService(good), good).toBe(true);
    for (const bad of [
      'https://127.0.0.1/',
      'http://fcm.googleapis.com/fcm/send/abc',
      'https://fcm.googleapis.com:8443/',
      'https://fcm.googleapis.com.evil.example/',
      'https://evil.example/fcm.googleapis.com',
      'https://push.apple.com/',
      'https://evilpush.apple.com.example/',
      'https://user:secret@fcm.googleapis.com/',
      'https://[::1]/',
      'https://169.254.169.254/',
      service.origin,
      'data:text/plain,x',
      '',
    ])
      expect(isPushService(bad), bad).toBe(false);
  });

  test('only to public addresses', () => {
    for (const address of ['142.250.186.74', '17.57.144.1', '2a00:1450:4001:82b::200a'])
      expect(isPublicAddress(address), address).toBe(true);
    for (const address of [
      '10.0.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.20.1.1',
      '192.168.1.1',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '::1',
      '::',
      'fe80::1',
      'fd00::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      'ff02::1',
      'x',
    ])
      expect(isPublicAddress(address), address).toBe(false);
  });

  test('an address that the list no longer has ends the subscription, and nothing is sent', async () => {
    await deviceOf(ada);
    await tell(ada);
    config.pushServices = services;
    await later();
    expect(service.received).toEqual([]);
    expect(await onDevices(ada)).toBe(0);
  });
});

describe('devices', () => {
  test('each person sees and removes their own alone', async () => {
    await deviceOf(ada);
    const [device] = await listDevices(sessionAs(ada));
    expect(device).toMatchObject({ showsTitles: false, isThisOne: true, userAgent: browserOf.userAgent });
    for (const other of [ben, zoe, sam]) {
      expect(await onDevices(other)).toBe(0);
      await expect(removeDevice(sessionAs(other), device?.id ?? '')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      await expect(showTitles(sessionAs(other), device?.id ?? '', true)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    await removeDevice(sessionAs(ada), device?.id ?? '');
    expect(await onDevices(ada)).toBe(0);
  });

  test('staff who view as a contact change nothing', async () => {
    const session = impersonating(ada, sam);
    const { subscription } = service.browser();
    const refused = { code: 'EMULATION_READ_ONLY' };
    await expect(
      subscribe(session, { ...subscription, showsTitles: false, isRenewal: false }, browserOf),
    ).rejects.toMatchObject(refused);
    await expect(saveTopics(session, [])).rejects.toMatchObject(refused);
    await expect(removeDevice(session, 'push_1')).rejects.toMatchObject(refused);
  });

  test('a push service or keys that cannot be used are refused, and nothing is stored', async () => {
    const good = service.browser().subscription;
    const notOnCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString('base64url');
    for (const bad of [
      { ...good, endpoint: 'https://127.0.0.1/' },
      { ...good, endpoint: `https://fcm.googleapis.com/${'x'.repeat(1000)}` },
      { ...good, endpoint: 'no address' },
      { ...good, keys: { ...good.keys, p256dh: notOnCurve } },
      { ...good, keys: { ...good.keys, auth: 'c2hvcnQ' } },
      { endpoint: good.endpoint },
    ]) {
      const answer = await apiAs(ada)('POST', '/api/notifications/v1/push-subscriptions', { json: bad });
      expect(answer.status, JSON.stringify(bad)).toBe(422);
    }
    expect(await onDevices(ada)).toBe(0);
  });

  test('a renewal subscribes nobody, and ends that of the person before in the same browser', async () => {
    const browser = await deviceOf(ada);
    const renew = (actor: Actor) =>
      subscribe(
        sessionAs(actor),
        { ...browser.subscription, showsTitles: false, isRenewal: true },
        browserOf,
      );
    expect(await renew(ada)).toEqual({ isOn: true });
    expect(await onDevices(ada)).toBe(1);
    expect(await renew(ben)).toEqual({ isOn: false });
    expect([await onDevices(ada), await onDevices(ben)]).toEqual([0, 0]);
    await tell(ada);
    await later();
    expect(sentTo(browser)).toEqual([]);
  });

  test('a push service that gives a browser another address replaces the old one', async () => {
    const [old, fresh] = [await deviceOf(ada), service.browser()];
    await subscribe(
      sessionAs(ada),
      { ...fresh.subscription, showsTitles: false, isRenewal: true, replaces: old.subscription.endpoint },
      browserOf,
    );
    await tell(ada);
    await later();
    expect([sentTo(old).length, sentTo(fresh).length]).toEqual([0, 1]);
  });

  test('signing out ends it on that device, an expired session does not, and sixty days without a visit do', async () => {
    const begin = async () => {
      const token = await startSession(ada, {
        amr: ['pwd'],
        device: { userAgent: 'x', network: '192.0.2.1' },
      });
      const session = await findSession(token);
      if (!session) throw new Error('no session');
      await subscribe(
        session,
        { ...service.browser().subscription, showsTitles: false, isRenewal: false },
        browserOf,
      );
      return session;
    };
    const [first, second] = [await begin(), await begin()];
    await endSession(first.id, { byItself: true });
    expect(await onDevices(ada)).toBe(2);
    await endSession(second.id);
    expect(await onDevices(ada)).toBe(1);
    standAt(now() + 59 * DAY);
    await sweepSubscriptions();
    expect(await onDevices(ada)).toBe(1);
    standAt(now() + 2 * DAY);
    await sweepSubscriptions();
    expect(await onDevices(ada)).toBe(0);
  });

  test('a person has at most ten, and the one unused the longest goes', async () => {
    const first = await deviceOf(ada);
    for (let count = 0; count < MAX_DEVICES; count++) {
      standAt(now() + MINUTE);
      await deviceOf(ada);
    }
    expect(await onDevices(ada)).toBe(MAX_DEVICES);
    await tell(ada);
    await later();
    expect(sentTo(first)).toEqual([]);
  });

  test('addresses, keys and devices are stored encrypted', async () => {
    const { subscription } = await deviceOf(ada);
    const stored = JSON.stringify((await everyRow())['push_subscriptions']);
    for (const secret of [subscription.endpoint, subscription.keys.p256dh, subscription.keys.auth, 'Firefox'])
      expect(stored).not.toContain(secret);
    const keys = await db().selectFrom('push_keys').selectAll().execute();
    expect(keys).toHaveLength(1);
  });
});

describe('the key of the portal', () => {
  const keyOf = () => service.received.at(-1)?.headers.authorization?.split(', k=')[1];
  const renewal = (browser: Browser, more = {}) =>
    subscribe(
      sessionAs(ada),
      { ...browser.subscription, showsTitles: false, isRenewal: true, ...more },
      browserOf,
    );

  test('after it was replaced, a device gets what is sent with the one it knows, until it has changed', async () => {
    const old = await deviceOf(ada);
    const before = await publicKey();
    expect(await rotateVapidKeys()).toEqual({ devices: 1 });
    const current = await publicKey();
    expect(current).not.toBe(before);
    await tell(ada);
    await later();
    expect(sentTo(old)).toHaveLength(1);
    expect(keyOf()).toBe(before);
    // the next visit
    expect(await renewal(old)).toEqual({ isOn: true, renewWith: current });
    const fresh = service.browser();
    const replaces = old.subscription.endpoint;
    expect(await renewal(fresh, { replaces, publicKey: current })).toEqual({ isOn: true });
    expect(await renewal(fresh)).toEqual({ isOn: true });
    expect(await onDevices(ada)).toBe(1);
    await tell(ada, 'task-returned', 'task_2');
    await later();
    expect(sentTo(fresh)).toHaveLength(1);
    expect(keyOf()).toBe(current);
    await sweepVapidKeys();
    expect(await db().selectFrom('push_keys').select('public_key').execute()).toEqual([
      { public_key: current },
    ]);
  });

  test('an earlier key stays as long as a device knows it', async () => {
    const browser = await deviceOf(ada);
    const before = await publicKey();
    await rotateVapidKeys();
    await rotateVapidKeys();
    await sweepVapidKeys();
    const keys = (await db().selectFrom('push_keys').select('public_key').execute()).map(
      ({ public_key: key }) => key,
    );
    expect(new Set(keys)).toEqual(new Set([before, await publicKey()]));
    await tell(ada);
    await later();
    expect(sentTo(browser)).toHaveLength(1);
  });

  test('a browser that subscribed with a key the portal does not have is refused', async () => {
    const { subscription } = service.browser();
    const publicKey = createECDH('prime256v1').generateKeys('base64url');
    const answer = await apiAs(ada)('POST', '/api/notifications/v1/push-subscriptions', {
      json: { ...subscription, publicKey },
    });
    expect(answer.status).toBe(422);
    expect(await onDevices(ada)).toBe(0);
  });

  test('a device whose key is gone ends instead of being sent what it cannot take', async () => {
    const browser = await deviceOf(ada);
    await db().updateTable('push_subscriptions').set({ public_key: 'gone' }).execute();
    await tell(ada);
    await later();
    expect(sentTo(browser)).toEqual([]);
    expect(await onDevices(ada)).toBe(0);
  });
});

describe('the offer after a task', () => {
  const offered = async (actor: Actor, more: Partial<Session> = {}, isPractice = false) => {
    const session = { ...sessionAs(actor), ...more };
    const firm = { ...(await firmOf(actor.companyId)), isPractice };
    const request = new Request('http://portal.test/');
    return (await pushOffer({ request, locals: { session, firm } })) !== undefined;
  };

  test('is for contacts who have no device that gets them, until they decline', async () => {
    expect(await offered(ada)).toBe(true);
    await deviceOf(ada);
    expect(await offered(ada)).toBe(false);
    expect(await offered(ben)).toBe(true);
    await declineOffer(sessionAs(ben));
    await declineOffer(sessionAs(ben));
    expect(await offered(ben)).toBe(false);
    expect(await offered(cleo)).toBe(true);
  });

  test('is not for staff, in a practice firm, while viewing as the contact, or where nothing is pushed', async () => {
    expect(await offered(sam)).toBe(false);
    expect(await offered(ada, {}, true)).toBe(false);
    expect(await offered(ada, impersonating(ada, sam))).toBe(false);
    await expect(declineOffer(impersonating(ada, sam))).rejects.toEqual(
      expect.objectContaining({ code: 'EMULATION_READ_ONLY' }),
    );
    config.pushServices = [];
    expect(await offered(ada)).toBe(false);
  });
});
