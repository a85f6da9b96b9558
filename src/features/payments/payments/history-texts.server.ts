import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { PaymentHistoryEntry } from './reading.server.ts';

/** What clients and staff did, and what the messages of providers led to. */
const TEXTS = {
  requested: 'eventRequested',
  'reported-bank': 'eventReportedBank',
  'reported-pix': 'eventReportedPix',
  checkout: 'eventCheckout',
  confirmed: 'eventConfirmed',
  'not-arrived': 'eventNotArrived',
  paid: 'eventPaid',
  processing: 'eventProcessing',
  failed: 'eventFailed',
  expired: 'eventExpired',
  late: 'eventLate',
  'other-amount': 'eventOtherAmount',
  'paid-twice': 'eventPaidTwice',
  'paid-closed': 'eventPaidClosed',
  'no-payment': 'eventNoPayment',
  refunded: 'eventRefunded',
  disputed: 'eventDisputed',
  'other-refund': 'eventOtherRefund',
} as const;

const keyOf = (name: string) => (name in TEXTS ? TEXTS[name as keyof typeof TEXTS] : undefined);

/** An entry of the history as a sentence. */
export function eventText(lang: Lang, { source, kind, effect }: PaymentHistoryEntry): string {
  const isPerson = source === 'client' || source === 'firm';
  return translationsFor(lang, 'payments')(keyOf(isPerson ? kind : effect) ?? 'eventOther');
}
