import { defineEvent } from '#platform/runtime/events.server.ts';

interface PaymentNotice {
  taskId: string;
  companyId: string;
  clientId: string;
  /** The number of the invoice. */
  name: string;
}

/** A client says that they paid; announced in the transaction in which it is recorded. */
export const paymentReported = defineEvent<PaymentNotice>();

/** Money arrived that does not match a request: another amount, twice, or for a request that is closed. */
export const paymentUnclear = defineEvent<PaymentNotice & { eventId: string }>();
