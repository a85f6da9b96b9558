import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { reportPayment, startCheckout } from '#features/payments/payments/paying.server.ts';
import { offerSandbox } from '#features/payments/payments/providers/available.server.ts';
import {
  sandboxMessage,
  sandboxOrder,
  SIGNATURE_HEADER,
  type SandboxOrder,
} from '#features/payments/payments/providers/sandbox.server.ts';
import { paymentOf } from '#features/payments/payments/reading.server.ts';
import { verifyPayments } from '#features/payments/payments/verification.server.ts';
import { receiveMessage } from '#features/payments/payments/webhooks.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { at, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { makePayments, SETTINGS } from './support.ts';
import '../../../src/app.server.ts';

/* Messages of providers, here of the sandbox: only they complete a payment online, once each (threat-model.md T82). */

offerSandbox();
const { ada, sam, request } = await makePayments({ ...SETTINGS, provider: 'sandbox' });
const WEBHOOK = '/api/payments/v1/webhooks/sandbox';

let taskId: string;
let order: SandboxOrder;

const orderAt = (url: string): SandboxOrder => sandboxOrder(new URL(url).pathname.split('/').at(-1) ?? '');

beforeEach(async () => {
  taskId = await request();
  order = orderAt(await startCheckout(ada, taskId, 'en-us'));
});

type Message = ReturnType<typeof sandboxMessage>;
const receive = ({ body, signature }: Message) =>
  receiveMessage('sandbox', body, new Headers({ [SIGNATURE_HEADER]: signature }));
const report = (state: Parameters<typeof sandboxMessage>[1], changes: Partial<SandboxOrder> = {}) =>
  receive(sandboxMessage({ ...order, ...changes }, state));
const stateNow = async () => {
  const { status } = await taskOf(ada, taskId);
  const payment = await paymentOf(ada, taskId);
  return { status, state: payment?.state, failure: payment?.failure };
};
const unclear = async () =>
  (await listInbox(sam, inboxQuery.parse({ of: 'all', kind: 'payment-unclear' }))).items.filter(
    ({ key }) => key === taskId,
  );

describe('a payment online', () => {
  test('begins on the page of the provider with the amount of the request, and changes nothing by itself', async () => {
    expect(order).toMatchObject({ amount: 12_550, currency: 'BRL', payee: 'Maple & Hart' });
    expect(order.successUrl).toContain(`/task/${taskId}?payment=done`);
    expect(await stateNow()).toEqual({ status: 'WIP', state: 'open', failure: '' });
  });

  test('offers the same page again while it can be used', async () => {
    const again = orderAt(await startCheckout(ada, taskId, 'pt'));
    expect(again.checkoutId).toBe(order.checkoutId);
  });

  test('is paid by the message of the provider, with one receipt', async () => {
    expect(await report('paid')).toBe('paid');
    expect(await stateNow()).toEqual({ status: 'Done', state: 'paid', failure: '' });
    expect((await paymentOf(ada, taskId))?.receipt).toBeGreaterThan(0);
  });

  test('is done after a payment that takes days, and received until then', async () => {
    expect(await report('processing')).toBe('processing');
    expect(await stateNow()).toMatchObject({ status: 'Received', state: 'processing' });
    expect(await report('paid')).toBe('paid');
    expect(await stateNow()).toMatchObject({ status: 'Done', state: 'paid' });
  });

  test('can be tried again after it was declined, at once or days later, on a new page', async () => {
    expect(await report('failed')).toBe('failed');
    expect(await stateNow()).toEqual({ status: 'WIP', state: 'open', failure: 'declined' });
    const first = order.checkoutId;
    order = orderAt(await startCheckout(ada, taskId, 'en-us'));
    expect(order.checkoutId).not.toBe(first);
    await report('processing');
    expect(await report('failed')).toBe('failed');
    expect(await stateNow()).toEqual({ status: 'WIP', state: 'open', failure: 'declined' });
    order = orderAt(await startCheckout(ada, taskId, 'en-us'));
    expect(await report('paid')).toBe('paid');
  });

  test('says that its page has expired', async () => {
    expect(await report('expired')).toBe('expired');
    expect(await stateNow()).toMatchObject({ status: 'WIP', failure: 'expired' });
  });
});

describe('a message of a provider', () => {
  test('has its effect once, however often it is sent', async () => {
    const message = sandboxMessage(order, 'paid');
    const effects = await Promise.all(Array.from({ length: 20 }, () => receive(message)));
    expect(effects.filter((effect) => effect === 'paid')).toHaveLength(1);
    expect(effects.filter((effect) => effect === 'repeated')).toHaveLength(19);
    expect(await unclear()).toEqual([]);
    expect(await verifyPayments()).toEqual([]);
  });

  test('that is overtaken by the payment changes nothing', async () => {
    await report('paid');
    for (const state of ['processing', 'failed', 'expired', 'paid'] as const)
      expect(await report(state)).toBe('late');
    expect(await stateNow()).toEqual({ status: 'Done', state: 'paid', failure: '' });
    expect(await unclear()).toEqual([]);
  });

  test('that the payment is processed does not revive one that was declined', async () => {
    await report('failed');
    expect(await report('processing')).toBe('late');
    expect(await stateNow()).toMatchObject({ status: 'WIP', failure: 'declined' });
  });

  test('leads to the same end in every order of delivery', async () => {
    const messages = (['processing', 'expired', 'failed', 'paid'] as const).map((state) =>
      sandboxMessage(order, state),
    );
    const orders = permutations(messages);
    expect(orders).toHaveLength(24);
    for (const each of orders) {
      taskId = await request();
      order = orderAt(await startCheckout(ada, taskId, 'en-us'));
      for (const { body } of each) {
        const { kind } = JSON.parse(body) as { kind: Parameters<typeof sandboxMessage>[1] };
        await report(kind);
        await report(kind);
      }
      expect(await stateNow()).toEqual({ status: 'Done', state: 'paid', failure: '' });
    }
    expect(await verifyPayments()).toEqual([]);
  });

  test('about another amount or currency confirms nothing and waits for the firm', async () => {
    expect(await report('paid', { amount: 1 })).toBe('other-amount');
    expect(await report('paid', { currency: 'USD' })).toBe('other-amount');
    expect(await stateNow()).toMatchObject({ status: 'WIP', state: 'open' });
    expect((await unclear()).map(({ count }) => count)).toEqual([2]);
  });

  test('about a second payment, or for a request that is cancelled or deleted, waits for the firm', async () => {
    await performAction(sam, taskId, 'cancel');
    expect(await report('paid')).toBe('paid-closed');
    expect((await taskOf(sam, taskId)).status).toBe('Cancelled');
    expect(await unclear()).toHaveLength(1);
    taskId = await request();
    order = orderAt(await startCheckout(ada, taskId, 'en-us'));
    await performAction(sam, taskId, 'delete');
    expect(await report('paid')).toBe('paid-closed');
    expect(await unclear()).toHaveLength(1);
  });

  test('confirms a payment that the client had also reported by bank', async () => {
    await reportPayment(ada, taskId, 'bank');
    expect(await report('failed')).toBe('late');
    expect(await report('paid', { checkoutId: 'checkout_0' })).toBe('unknown');
    expect(await stateNow()).toMatchObject({ status: 'Received', state: 'reported' });
  });

  test('finds the payment when the process ended before it stored the answer of the provider', async () => {
    await db()
      .updateTable('payment_checkouts')
      .set({ provider_reference: null, url: null })
      .where('checkout_id', '=', order.checkoutId)
      .execute();
    const again = orderAt(await startCheckout(ada, taskId, 'en-us'));
    expect(again.checkoutId).toBe(order.checkoutId);
    await db()
      .updateTable('payment_checkouts')
      .set({ provider_reference: null, url: null })
      .where('checkout_id', '=', order.checkoutId)
      .execute();
    expect(await report('paid')).toBe('paid');
  });

  test('is refused if it is forged, changed, old, from the future, or not signed', async () => {
    const { body, signature } = sandboxMessage(order, 'paid');
    const refused = { code: 'FORBIDDEN' };
    const [time] = signature.split(',');
    for (const header of ['', `${time},v1=${'0'.repeat(64)}`, `${time},v1=`, `${time}`, 'v1=00', 't=x,v1=00'])
      await expect(receive({ body, signature: header })).rejects.toMatchObject(refused);
    await expect(receive({ body: body.replace('12550', '1'), signature })).rejects.toMatchObject(refused);
    await expect(receive({ body: `${body} `, signature })).rejects.toMatchObject(refused);
    for (const minutes of [-6, 6]) {
      const then = await at(now() + minutes * MINUTE, () => Promise.resolve(sandboxMessage(order, 'paid')));
      await expect(receive(then)).rejects.toMatchObject(refused);
    }
    expect(await stateNow()).toMatchObject({ status: 'WIP', state: 'open' });
  });
});

const permutations = <Item>(items: readonly Item[]): Item[][] =>
  items.length <= 1
    ? [[...items]]
    : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));

describe('the address for messages', () => {
  let send: (message: Message) => Promise<Response>;
  beforeAll(() => {
    const call = apiAs(undefined);
    send = ({ body, signature }) =>
      call('POST', WEBHOOK, { text: body, headers: { [SIGNATURE_HEADER]: signature } });
  });

  test('needs no session, and answers a message that is sent again like the first one', async () => {
    const message = sandboxMessage(order, 'paid');
    expect((await send(message)).status).toBe(200);
    expect((await send(message)).status).toBe(200);
    expect(await stateNow()).toMatchObject({ state: 'paid' });
  });

  test('refuses forged messages, providers that are not available, and large bodies', async () => {
    const message = sandboxMessage(order, 'paid');
    expect((await send({ ...message, signature: 't=1,v1=00' })).status).toBe(403);
    const { status } = await apiAs(undefined)('POST', WEBHOOK.replace('sandbox', 'stripe'), {
      text: message.body,
    });
    expect(status).toBe(404);
    expect((await send({ ...message, body: 'x'.repeat(300_000) })).status).toBe(413);
    expect(await stateNow()).toMatchObject({ state: 'open' });
  });

  test('answers a signed message that is no message with 422', async () => {
    const message = sandboxMessage({ ...order, checkoutId: 'x'.repeat(200) }, 'paid');
    expect((await send(message)).status).toBe(422);
  });
});
