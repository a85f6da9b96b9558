import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

/*
 * Stripe, against a server with its real interface (docs.stripe.com/api/checkout/sessions, docs.stripe.com/webhooks):
 * the form that it gets, its idempotency key, and its signed messages.
 */

interface FakeRequest {
  headers: http.IncomingHttpHeaders;
  form: URLSearchParams;
}

/** A server that creates checkout sessions as Stripe does: the same one for the same idempotency key. */
const fake = {
  requests: [] as FakeRequest[],
  sessions: new Map<string, string>(),
  status: 200,
  /** The keys that it accepts. */
  keys: ['sk_test_1', 'sk_test_2'],
  expired: [] as string[],
  beforeAnswer: async () => {},
};
const SECRET = 'whsec_test';
const keyOf = ({ headers }: http.IncomingMessage): string =>
  (headers.authorization ?? '').replace('Bearer ', '');
const server = http.createServer((request, response) => {
  void text(request).then(async (body) => {
    const [, expired] = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(request.url ?? '') ?? [];
    if (expired !== undefined && fake.status === 200) {
      const isOpen = !fake.expired.includes(expired);
      fake.expired.push(expired);
      return void response.writeHead(isOpen ? 200 : 400).end('{}');
    }
    if (request.url === '/v1/checkout/sessions?limit=1')
      return void response.writeHead(fake.keys.includes(keyOf(request)) ? fake.status : 401).end('{}');
    fake.requests.push({ headers: request.headers, form: new URLSearchParams(body) });
    if (request.url !== '/v1/checkout/sessions' || fake.status !== 200)
      return void response.writeHead(fake.status === 200 ? 404 : fake.status).end('{}');
    await fake.beforeAnswer();
    const key = String(request.headers['idempotency-key']);
    const id = fake.sessions.get(key) ?? `cs_test_${fake.sessions.size + 1}`;
    fake.sessions.set(key, id);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({ id, object: 'checkout.session', url: `https://checkout.stripe.com/c/pay/${id}` }),
    );
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_of_the_operator');
vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_of_the_operator');
vi.stubEnv('STRIPE_API_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

const { startCheckout } = await import('#features/payments/payments/paying.server.ts');
const { paymentOf } = await import('#features/payments/payments/reading.server.ts');
const { receiveMessage } = await import('#features/payments/payments/webhooks.server.ts');
const { deleteTask } = await import('#features/tasks/tasks/removing.server.ts');
const { performAction } = await import('#features/tasks/tasks/acting.server.ts');
const { moveClock, now } = await import('#platform/runtime/clock.server.ts');
const { runDueJobs } = await import('../../support/jobs.ts');
const { taskOf } = await import('#features/tasks/tasks/reading.server.ts');
const { db } = await import('#platform/database/database.server.ts');
const { makePayments, SETTINGS } = await import('./support.ts');
await import('../../../src/app.server.ts');
const { removeStripeKeys, saveStripeKeys, testStripeKeys, accountHint } =
  await import('#features/payments/payments/accounts.server.ts');
const { changePaymentSettings, paymentSettingsOf } =
  await import('#features/payments/payments/settings.server.ts');
const { isAvailable } = await import('#features/payments/payments/providers/available.server.ts');
const { verifyPayments } = await import('#features/payments/payments/verification.server.ts');
const { listInbox } = await import('#features/office/inbox/inbox.server.ts');
const { inboxQuery } = await import('#features/office/inbox/inbox.ts');
const { apiAs, sessionAs } = await import('../../support/api.ts');
const { everyRow, person } = await import('../../support/cast.ts');
const { ada, sam, owner, firmOne, firmTwo, request } = await makePayments();
const KEYS = { secretKey: 'sk_test_1', webhookSecret: SECRET };
vi.spyOn(process.stdout, 'write');
await saveStripeKeys(sessionAs(owner), KEYS);
await changePaymentSettings(sessionAs(owner), { ...SETTINGS, provider: 'stripe' });

let taskId: string;
beforeAll(() => void vi.spyOn(process.stdout, 'write'));
beforeEach(async () => {
  fake.status = 200;
  fake.requests = [];
  fake.beforeAnswer = async () => {};
  fake.keys = ['sk_test_1', 'sk_test_2'];
  taskId = await request({ amount: 9_999, currency: 'USD', ways: ['online'] });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const checkoutRow = () =>
  db().selectFrom('payment_checkouts').selectAll().where('task_id', '=', taskId).executeTakeFirstOrThrow();

let events = 0;
/** An event as Stripe sends it, about the checkout of the task. */
async function eventOf(type: string, changes: Record<string, unknown> = {}): Promise<string> {
  const { checkout_id: checkoutId, provider_reference: id } = await checkoutRow();
  return JSON.stringify({
    id: `evt_${(events += 1)}`,
    object: 'event',
    api_version: '2024-06-20',
    livemode: false,
    type,
    data: {
      object: {
        id,
        object: 'checkout.session',
        client_reference_id: checkoutId,
        amount_total: 9_999,
        currency: 'usd',
        payment_status: 'paid',
        status: 'complete',
        ...changes,
      },
    },
  });
}

/** The header of Stripe, written without the code that reads it. */
function signed(body: string, { secret = SECRET, age = 0 } = {}): Headers {
  const time = Math.floor(now() / 1000) - age;
  const v1 = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return new Headers({ 'Stripe-Signature': `t=${time},v1=${'0'.repeat(64)},v1=${v1},v0=${v1}` });
}

const receive = async (type: string, changes: Record<string, unknown> = {}) => {
  const body = await eventOf(type, changes);
  return receiveMessage('stripe', body, signed(body), firmOne);
};

describe('a checkout at Stripe', () => {
  test('is created with the amount of the request, our id and the idempotency key', async () => {
    expect(await startCheckout(ada, taskId, 'fr')).toMatch(
      /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/,
    );
    const { checkout_id: checkoutId } = await checkoutRow();
    const [{ headers, form } = { headers: {}, form: new URLSearchParams() }] = fake.requests;
    expect(headers).toMatchObject({
      authorization: 'Bearer sk_test_1',
      'idempotency-key': checkoutId,
      'stripe-version': '2024-06-20',
      'content-type': expect.stringContaining('application/x-www-form-urlencoded') as string,
    });
    expect(Object.fromEntries(form)).toMatchObject({
      mode: 'payment',
      client_reference_id: checkoutId,
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '9999',
      locale: 'fr-CA',
    });
    expect(form.get('success_url')).toContain(`/fr/tasks/clients/`);
  });

  test('is the same when the process ends before its answer is stored', async () => {
    const url = await startCheckout(ada, taskId, 'en-us');
    await db()
      .updateTable('payment_checkouts')
      .set({ provider_reference: null, url: null })
      .where('task_id', '=', taskId)
      .execute();
    expect(await startCheckout(ada, taskId, 'en-us')).toBe(url);
    expect(fake.requests.map(({ form }) => String(form))[1]).toBe(String(fake.requests[0]?.form));
  });

  test('is refused with a code while Stripe does not answer, and works afterwards', async () => {
    for (const status of [500, 401, 302]) {
      fake.status = status;
      await expect(startCheckout(ada, taskId, 'en-us')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        details: { away: 'provider' },
      });
    }
    fake.status = 200;
    await expect(startCheckout(ada, taskId, 'en-us')).resolves.toContain('cs_test_');
    expect(new Set(fake.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

describe('a checkout of a payment that is cancelled', () => {
  test('is closed at Stripe, again when Stripe did not answer, and only that one', async () => {
    await startCheckout(ada, taskId, 'en-us');
    const { provider_reference: reference } = await checkoutRow();
    fake.status = 500;
    await performAction(sam, taskId, 'cancel', { reason: 'Sent twice' });
    await runDueJobs();
    expect(fake.expired).toEqual([]);
    fake.status = 200;
    moveClock(3_600_000);
    await runDueJobs();
    expect(fake.expired).toEqual([reference]);
  });

  test('that has just been paid is left as it is', async () => {
    await startCheckout(ada, taskId, 'en-us');
    await receive('checkout.session.completed');
    await runDueJobs();
    expect(fake.expired).not.toContain((await checkoutRow()).provider_reference);
  });
});

describe('a checkout of a payment task that is deleted', () => {
  test('is closed at Stripe, and again when Stripe did not answer', async () => {
    await startCheckout(ada, taskId, 'en-us');
    const { provider_reference: reference } = await checkoutRow();
    fake.status = 500;
    await deleteTask(sam, taskId);
    await runDueJobs();
    expect(fake.expired).not.toContain(reference);
    fake.status = 200;
    moveClock(3_600_000);
    await runDueJobs();
    expect(fake.expired).toContain(reference);
  });

  test('is closed at Stripe also when the task is removed for good, with all its rows', async () => {
    await startCheckout(ada, taskId, 'en-us');
    const { provider_reference: reference } = await checkoutRow();
    await deleteTask(sam, taskId, { isFinal: true });
    await runDueJobs();
    expect(fake.expired).toContain(reference);
  });

  test('is closed and not offered when the task is deleted while Stripe is asked for the page', async () => {
    fake.beforeAnswer = () => deleteTask(sam, taskId);
    await expect(startCheckout(ada, taskId, 'en-us')).rejects.toMatchObject({ code: 'CLOSED' });
    expect(fake.expired).toContain((await checkoutRow()).provider_reference);
  });
});

describe('a message of Stripe', () => {
  beforeEach(() => startCheckout(ada, taskId, 'en-us'));

  test('confirms a payment by card at once', async () => {
    expect(await receive('checkout.session.completed')).toBe('paid');
    expect((await taskOf(ada, taskId)).status).toBe('Done');
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'paid', paidBy: 'online' });
  });

  test('confirms a debit that takes days when the money has arrived, and opens it again when it fails', async () => {
    expect(await receive('checkout.session.completed', { payment_status: 'unpaid' })).toBe('processing');
    expect((await taskOf(ada, taskId)).status).toBe('Received');
    expect(await receive('checkout.session.async_payment_failed', { payment_status: 'unpaid' })).toBe(
      'failed',
    );
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'open', failure: 'declined' });
    expect(await receive('checkout.session.async_payment_succeeded')).toBe('paid');
    expect((await taskOf(ada, taskId)).status).toBe('Done');
  });

  test('about anything else is taken without effect', async () => {
    expect(await receive('payment_intent.created', { payment_status: undefined })).toBe('ignored');
    expect(await receive('checkout.session.unheard_of')).toBe('ignored');
    expect(await receive('checkout.session.expired')).toBe('expired');
  });

  test('about another amount confirms nothing', async () => {
    expect(await receive('checkout.session.completed', { amount_total: 1 })).toBe('other-amount');
    expect(await receive('checkout.session.completed', { currency: 'eur' })).toBe('other-amount');
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
  });

  test('is refused with another secret, a changed body or an old time', async () => {
    const body = await eventOf('checkout.session.completed');
    const refused = { code: 'FORBIDDEN' };
    for (const headers of [
      signed(body, { secret: 'whsec_other' }),
      signed(`${body} `),
      signed(body, { age: 301 }),
    ])
      await expect(receiveMessage('stripe', body, headers, firmOne)).rejects.toMatchObject(refused);
    await expect(receiveMessage('stripe', body, new Headers(), firmOne)).rejects.toMatchObject(refused);
    expect(await receiveMessage('stripe', body, signed(body, { age: 200 }), firmOne)).toBe('paid');
  });
});

/** An event about a charge of the checkout of the task, as Stripe sends it. */
async function chargeEvent(type: string, object: Record<string, unknown>, isNamed = true): Promise<string> {
  const { checkout_id: checkout } = await checkoutRow();
  const about = type.startsWith('charge.dispute.')
    ? { object: 'dispute', amount: 9_999, status: 'needs_response', metadata: {} }
    : { object: 'charge', amount: 9_999, metadata: isNamed ? { checkout } : {} };
  return JSON.stringify({
    id: `evt_${(events += 1)}`,
    object: 'event',
    type,
    data: { object: { id: 'x_1', currency: 'usd', payment_intent: `pi_${checkout}`, ...about, ...object } },
  });
}

const receiveCharge = async (type: string, object: Record<string, unknown> = {}, isNamed = true) => {
  const body = await chargeEvent(type, object, isNamed);
  return receiveMessage('stripe', body, signed(body), firmOne);
};

const inboxOfTask = async (): Promise<number> =>
  (await listInbox(sam, inboxQuery.parse({ of: 'all', kind: 'payment-unclear' }))).items.filter(
    ({ key }) => key === taskId,
  ).length;

describe('money that goes back', () => {
  beforeEach(async () => {
    await startCheckout(ada, taskId, 'en-us');
    const { checkout_id: id } = await checkoutRow();
    expect(await receive('checkout.session.completed', { payment_intent: `pi_${id}` })).toBe('paid');
  });

  test('a refund opens the amount again and is in the inbox, and it can be paid again', async () => {
    expect(await receiveCharge('charge.refunded', { refunded: true, amount_refunded: 9_999 })).toBe(
      'refunded',
    );
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'open', failure: 'refunded', receipt: null });
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
    expect(await inboxOfTask()).toBe(1);
    expect(await verifyPayments()).toEqual([]);
    await db()
      .updateTable('payment_checkouts')
      .set({ state: 'expired' })
      .where('task_id', '=', taskId)
      .execute();
    await startCheckout(ada, taskId, 'en-us');
    const [newest] = await db()
      .selectFrom('payment_checkouts')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('state', '=', 'open')
      .execute();
    expect(
      await receive('checkout.session.completed', {
        id: newest?.provider_reference,
        client_reference_id: newest?.checkout_id,
      }),
    ).toBe('paid');
    expect(await verifyPayments()).toEqual([]);
  });

  test('a refund of a payment from before is found by our id on it', async () => {
    await db()
      .updateTable('payment_checkouts')
      .set({ payment_id: null })
      .where('task_id', '=', taskId)
      .execute();
    expect(await receiveCharge('charge.refunded', { refunded: true, amount_refunded: 9_999 })).toBe(
      'refunded',
    );
  });

  test('a part of it opens nothing, and is in the inbox', async () => {
    expect(await receiveCharge('charge.refunded', { refunded: false, amount_refunded: 100 })).toBe(
      'other-refund',
    );
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'paid' });
    expect(await inboxOfTask()).toBe(1);
  });

  test('a dispute opens the amount, once, and a won one pays it again', async () => {
    expect(
      await receiveCharge('charge.dispute.created', { status: 'warning_needs_response' }),
      'an inquiry',
    ).toBe('ignored');
    expect(await receiveCharge('charge.dispute.created')).toBe('disputed');
    expect(await receiveCharge('charge.dispute.funds_withdrawn')).toBe('late');
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'open', failure: 'disputed' });
    expect(await inboxOfTask()).toBe(1);
    expect(await receiveCharge('charge.dispute.funds_reinstated', { status: 'won' })).toBe('paid');
    expect(await receiveCharge('charge.dispute.closed', { status: 'won' })).toBe('late');
    expect((await taskOf(ada, taskId)).status).toBe('Done');
    expect(await verifyPayments()).toEqual([]);
  });

  test('a refund of an unknown payment has no effect', async () => {
    const object = { refunded: true, amount_refunded: 9_999, payment_intent: 'pi_other' };
    expect(await receiveCharge('charge.refunded', object, false)).toBe('unknown');
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'paid' });
  });
});

test('a checkout that is completed without a payment pays nothing, and is in the inbox', async () => {
  await startCheckout(ada, taskId, 'en-us');
  expect(await receive('checkout.session.completed', { payment_status: 'no_payment_required' })).toBe(
    'no-payment',
  );
  expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'open' });
  expect(await inboxOfTask()).toBe(1);
});

describe('the account of a firm at Stripe', () => {
  test('is stored encrypted, and only its last characters are shown', async () => {
    expect(JSON.stringify(await everyRow())).not.toContain(KEYS.secretKey);
    expect(JSON.stringify(await everyRow())).not.toContain(KEYS.webhookSecret);
    expect(await accountHint(firmOne)).toBe('st_1');
  });

  test('is changed by those who manage the firm, who have just signed in, and if Stripe accepts the key', async () => {
    const stale = sessionAs(owner, { authenticatedAt: now() - 3_600_000 });
    await expect(saveStripeKeys(sessionAs(sam), KEYS)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(saveStripeKeys(stale, KEYS)).rejects.toMatchObject({ code: 'STEP_UP' });
    await expect(removeStripeKeys(stale)).rejects.toMatchObject({ code: 'STEP_UP' });
    const wrong = { ...KEYS, secretKey: 'sk_test_wrong' };
    await expect(saveStripeKeys(sessionAs(owner), wrong)).rejects.toMatchObject({ code: 'INVALID' });
    fake.status = 500;
    await expect(saveStripeKeys(sessionAs(owner), KEYS)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    fake.status = 200;
    await testStripeKeys(sessionAs(owner));
    fake.keys = [];
    await expect(testStripeKeys(sessionAs(owner))).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('is its own: in a portal of two firms nobody uses that of the operator', async () => {
    expect(await isAvailable('stripe', firmTwo)).toBe(false);
    const boss = await person(firmTwo, 'Tina Two', 'tina@two.example', { role: 'owner' });
    await expect(testStripeKeys(sessionAs(boss))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(
      changePaymentSettings(sessionAs(boss), { ...SETTINGS, provider: 'stripe' }),
    ).rejects.toMatchObject({ code: 'INVALID' });
    await removeStripeKeys(sessionAs(owner));
    expect(await paymentSettingsOf(firmOne)).toMatchObject({ provider: 'stripe', isOnline: false });
    await expect(startCheckout(ada, taskId, 'en-us')).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
    await saveStripeKeys(sessionAs(owner), KEYS);
    expect((await paymentSettingsOf(firmOne)).isOnline).toBe(true);
  });

  test('confirms no payment of another firm, and its messages are not taken at the address of another', async () => {
    const boss = await person(firmTwo, 'Theo Two', 'theo@two.example', { role: 'owner' });
    await saveStripeKeys(sessionAs(boss), { secretKey: 'sk_test_2', webhookSecret: 'whsec_two' });
    await startCheckout(ada, taskId, 'en-us');
    const body = await eventOf('checkout.session.completed');
    const forged = signed(body, { secret: 'whsec_two' });
    await expect(receiveMessage('stripe', body, forged, firmOne)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await receiveMessage('stripe', body, forged, firmTwo)).toBe('unknown');
    await expect(receiveMessage('stripe', body, signed(body))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'open' });
    const answer = await apiAs(undefined)('POST', `/api/payments/v1/webhooks/stripe/${firmOne}`, {
      text: body,
      headers: { 'Stripe-Signature': signed(body).get('Stripe-Signature') ?? '' },
    });
    expect(answer.status).toBe(200);
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'paid' });
    expect(
      (await apiAs(undefined)('POST', '/api/payments/v1/webhooks/stripe/firm_x', { text: body })).status,
    ).toBe(404);
  });
});
