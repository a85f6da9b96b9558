import { requestPayment } from '#features/payments/payments/requesting.server.ts';
import { NO_SETTINGS, type NewPayment, type PaymentSettings } from '#features/payments/payments/payments.ts';
import { changePaymentSettings } from '#features/payments/payments/settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';

export const SETTINGS: PaymentSettings = {
  ...NO_SETTINGS,
  currency: 'BRL',
  bank: {
    holder: 'Maple & Hart',
    bank: 'First Bank',
    iban: '',
    routing: '021000021',
    account: '1234567',
    texts: { 'en-us': 'No cheques.' },
  },
  pix: { kind: 'email', key: 'pix@one.example', name: 'Maple', city: 'Chicago' },
  provider: 'none',
};

/** The cast, with an owner of the first firm who has set up bank and Pix, and a way to request a payment from A. */
export async function makePayments(settings: PaymentSettings = SETTINGS) {
  const cast = await makeCast();
  const owner = await person(cast.firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
  await changePaymentSettings(sessionAs(owner), settings);
  let invoices = 0;
  const request = (input: Partial<NewPayment> = {}, by: Actor = cast.sam): Promise<string> =>
    requestPayment(by, {
      clientId: cast.clientA,
      invoiceNumber: `2026-${(invoices += 1)}`,
      amount: 12_550,
      currency: 'BRL',
      dueDate: null,
      ways: settings.provider === 'none' ? ['bank', 'pix'] : ['bank', 'pix', 'online'],
      ...input,
    });
  return { ...cast, owner, request };
}
