import { describe, expect, test, vi } from 'vitest';
import { documentById } from '#features/documents/documents/documents.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { confirmPayment, rejectPayment } from '#features/payments/payments/confirming.server.ts';
import { reportPayment, startCheckout } from '#features/payments/payments/paying.server.ts';
import { offerSandbox } from '#features/payments/payments/providers/available.server.ts';
import { sandboxPage } from '#features/payments/payments/sandbox-page.server.ts';
import { paymentHistory, paymentOf } from '#features/payments/payments/reading.server.ts';
import {
  changePaymentSettings,
  paymentSettingsOf,
  waysOf,
} from '#features/payments/payments/settings.server.ts';
import { verifyPayments } from '#features/payments/payments/verification.server.ts';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import { receiptOf } from '#features/base/receipts/receipts.server.ts';
import { verifyReceipts } from '#features/base/receipts/verification.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { firmToday } from '#features/tasks/tasks/scope.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { sessionAs } from '../../support/api.ts';
import { pdf, person, uploadAs } from '../../support/cast.ts';
import { makePayments, SETTINGS } from './support.ts';
import '../../../src/app.server.ts';

/* What firms request, and payments by bank and Pix. */

const { ada, ben, zoe, tom, sam, owner, clientB, projectB, firmOne, request } = await makePayments();
const today = await firmToday(firmOne);
const money = { way: 'bank', receivedOn: today, reference: 'TRF 991' } as const;
const inboxOf = async () => (await listInbox(sam, inboxQuery.parse({ of: 'all' }))).items;

describe('how a firm is paid', () => {
  test('is stored encrypted, and offers the ways that are set up', async () => {
    expect(await paymentSettingsOf(firmOne)).toEqual({ ...SETTINGS, isOnline: false });
    expect(waysOf(SETTINGS)).toEqual(['bank', 'pix']);
    expect(waysOf(SETTINGS, 'USD')).toEqual(['bank']);
    const row = await db().selectFrom('payment_settings').selectAll().executeTakeFirstOrThrow();
    expect(row.settings).not.toContain('1234567');
  });

  test('is changed only by those who manage the firm, and who have just signed in', async () => {
    await expect(changePaymentSettings(sessionAs(sam), SETTINGS)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(changePaymentSettings(sessionAs(ada), SETTINGS)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    const old = sessionAs(owner, { authenticatedAt: now() - HOUR });
    await expect(changePaymentSettings(old, SETTINGS)).rejects.toMatchObject({ code: 'STEP_UP' });
  });

  test('cannot use a provider that is not available', async () => {
    for (const provider of ['sandbox', 'stripe'] as const)
      await expect(changePaymentSettings(sessionAs(owner), { ...SETTINGS, provider })).rejects.toMatchObject({
        code: 'INVALID',
      });
  });
});

describe('a payment request', () => {
  test('is a task with the title of the spec and the amount in minor units', async () => {
    const taskId = await request({ invoiceNumber: 'A-17', amount: 99 });
    expect(await taskOf(ada, taskId)).toMatchObject({
      type: 'payment_request',
      status: 'New',
      label: 'Payment Request - Invoice #A-17',
    });
    expect(await paymentOf(ada, taskId)).toMatchObject({
      amount: 99,
      currency: 'BRL',
      payee: 'Maple & Hart',
      state: 'open',
      ways: ['bank', 'pix'],
    });
    expect((await paymentOf(ada, taskId))?.reference).toMatch(/^[2-9A-Z]{10}$/);
  });

  test('takes its invoice into the documents of the client', async () => {
    const file = new File([new Uint8Array(pdf('Invoice'))], 'Invoice 18.pdf');
    const taskId = await request({ file });
    const { document } = (await paymentOf(ada, taskId)) ?? {};
    expect(document?.name).toBe('Invoice 18.pdf');
    expect((await documentById(ada, document?.id ?? '')).name).toBe('Invoice 18.pdf');
  });

  test('refuses a document of another client, ways that are not set up, and amounts that are not positive', async () => {
    const other = await uploadAs(sam, projectB, 'Other.pdf', 'other');
    const refused = { code: 'INVALID' };
    await expect(request({ documentId: other.id })).rejects.toMatchObject(refused);
    await expect(request({ ways: ['online'] })).rejects.toMatchObject(refused);
    await expect(request({ ways: ['pix'], currency: 'USD' })).rejects.toMatchObject(refused);
    await expect(request({ ways: [] })).rejects.toMatchObject(refused);
    for (const amount of [0, -1, 1.5, Number.NaN])
      await expect(request({ amount })).rejects.toMatchObject(refused);
  });

  test('is made by staff who publish only, and for clients of their own', async () => {
    await expect(request({}, ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
    await expect(request({}, reader)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await changePaymentSettings(
      sessionAs(await person(tom.companyId, 'Olaf Owner', 'olaf@two.example', { role: 'owner' })),
      SETTINGS,
    );
    await expect(request({}, tom)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is not found by others, in whatever they do', async () => {
    const taskId = await request();
    for (const other of [ben, zoe, tom]) {
      const refused = { code: 'NOT_FOUND' };
      await expect(paymentOf(other, taskId)).rejects.toMatchObject(refused);
      await expect(paymentHistory(other, taskId)).rejects.toMatchObject(refused);
      await expect(reportPayment(other, taskId, 'bank')).rejects.toMatchObject(refused);
      await expect(startCheckout(other, taskId, 'en-us')).rejects.toMatchObject(refused);
      await expect(confirmPayment(other, taskId, money)).rejects.toMatchObject(refused);
      await expect(rejectPayment(other, taskId, 'No.')).rejects.toMatchObject(refused);
    }
    expect(await taskOf(sam, taskId)).toMatchObject({ status: 'New' });
  });

  test('is hidden from contacts by the flag and by the control of invoices', async () => {
    const taskId = await request();
    const hide = { kind: 'control', name: 'HideInvoiceTask' } as const;
    await decideAccess(firmOne, ada.contactId, hide, true);
    const hidden = await actorOf(ada.contactId);
    await expect(paymentOf(hidden, taskId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(reportPayment(ada, taskId, 'bank')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await decideAccess(firmOne, ada.contactId, hide, undefined);
    const flag = { kind: 'flag', name: 'invoiceTask' } as const;
    await decideAccess(firmOne, undefined, flag, false);
    await expect(startCheckout(ada, taskId, 'en-us')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await decideAccess(firmOne, undefined, flag, true);
    await expect(paymentOf(ada, taskId)).resolves.toBeDefined();
  });
});

describe('a payment by bank or Pix', () => {
  test('waits for the firm after the client has reported it, and is paid when the firm confirms it', async () => {
    const taskId = await request({ invoiceNumber: 'B-1' });
    await reportPayment(ada, taskId, 'pix');
    expect((await taskOf(ada, taskId)).status).toBe('Received');
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'reported', paidBy: 'pix' });
    expect(await inboxOf()).toContainEqual(
      expect.objectContaining({ kind: 'payment', key: taskId, name: 'B-1' }),
    );
    await confirmPayment(sam, taskId, { ...money, way: 'pix' });
    expect((await taskOf(ada, taskId)).status).toBe('Done');
    const paid = await paymentOf(ada, taskId);
    expect(paid).toMatchObject({ state: 'paid', paidBy: 'pix', paidOn: today, paidReference: 'TRF 991' });
    expect(await receiptOf(ada, paid?.receipt ?? 0)).toMatchObject({ kind: 'payment', name: 'B-1' });
    expect((await inboxOf()).some(({ key }) => key === taskId)).toBe(false);
    expect((await verifyReceipts()).faults).toEqual([]);
    expect(await verifyPayments()).toEqual([]);
  });

  test('can be confirmed before the client reports it', async () => {
    const taskId = await request();
    await confirmPayment(sam, taskId, money);
    expect((await taskOf(ada, taskId)).status).toBe('Done');
    await expect(reportPayment(ada, taskId, 'bank')).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('is open again with the reason when the money has not arrived, and can be reported again', async () => {
    const taskId = await request();
    await reportPayment(ada, taskId, 'bank');
    await expect(rejectPayment(sam, taskId, ' ')).rejects.toMatchObject({ code: 'EMPTY' });
    await rejectPayment(sam, taskId, 'Not on our statement.');
    expect((await taskOf(ada, taskId)).status).toBe('WIP');
    expect(await paymentOf(ada, taskId)).toMatchObject({
      state: 'open',
      failure: 'missing',
      failureReason: 'Not on our statement.',
    });
    await reportPayment(ada, taskId, 'bank');
    expect(await paymentOf(ada, taskId)).toMatchObject({ state: 'reported', failure: '', failureReason: '' });
    expect((await paymentHistory(sam, taskId)).map(({ kind }) => kind).toSorted()).toEqual([
      'not-arrived',
      'reported-bank',
      'reported-bank',
      'requested',
    ]);
  });

  test('is confirmed once only, and never with a day in the future', async () => {
    const taskId = await request();
    const future = { ...money, receivedOn: '2099-01-01' };
    await expect(confirmPayment(sam, taskId, future)).rejects.toMatchObject({ code: 'INVALID' });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => confirmPayment(sam, taskId, money)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(rejectPayment(sam, taskId, 'No.')).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
    expect(await verifyPayments()).toEqual([]);
  });

  test('is confirmed and rejected by staff who publish only, and reported by contacts only', async () => {
    const taskId = await request();
    await expect(confirmPayment(ada, taskId, money)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(reportPayment(sam, taskId, 'bank')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const viewing = { ...ada, viewedBy: sam.contactId };
    await expect(reportPayment(viewing, taskId, 'bank')).rejects.toMatchObject({
      code: 'EMULATION_READ_ONLY',
    });
    await expect(startCheckout(viewing, taskId, 'pt')).rejects.toMatchObject({ code: 'EMULATION_READ_ONLY' });
    expect((await taskOf(ada, taskId)).status).toBe('New');
  });

  test('cannot be reported in a way that is not offered, nor after the firm has cancelled it', async () => {
    const taskId = await request({ ways: ['bank'] });
    await expect(reportPayment(ada, taskId, 'pix')).rejects.toMatchObject({ code: 'INVALID' });
    await performAction(sam, taskId, 'cancel');
    await expect(reportPayment(ada, taskId, 'bank')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(confirmPayment(sam, taskId, money)).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
  });

  test('cannot be made online unless a provider is set up', async () => {
    const taskId = await request();
    await expect(startCheckout(ada, taskId, 'en-us')).rejects.toMatchObject({ code: 'NOT_POSSIBLE' });
  });
});

test('a confirmation that is missing is found', async () => {
  const taskId = await request({ clientId: clientB });
  await confirmPayment(sam, taskId, money);
  await db().updateTable('payment_events').set({ effect: '' }).where('task_id', '=', taskId).execute();
  expect(await verifyPayments()).toEqual([expect.stringContaining(taskId)]);
});

test('paying in the sandbox says on a full disk that nothing can be stored', async () => {
  offerSandbox();
  await changePaymentSettings(sessionAs(owner), { ...SETTINGS, provider: 'sandbox' });
  const taskId = await request({ ways: ['online'] });
  const url = await startCheckout(ada, taskId, 'en-us');
  const portal = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{}', { status: 507 }));
  const form = new URLSearchParams({ outcome: 'pay' });
  const posted = new Request('http://portal/', { method: 'POST', body: form });
  await expect(sandboxPage({ request: posted }, url.split('/').at(-1) ?? '')).rejects.toMatchObject({
    code: 'QUOTA',
    status: 507,
  });
  portal.mockRestore();
});
