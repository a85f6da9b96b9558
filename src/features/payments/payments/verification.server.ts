import { db } from '#platform/database/database.server.ts';

/** Checks that every payment that counts as paid has its receipt, and a confirmation that was not reversed. */
export async function verifyPayments(): Promise<string[]> {
  const rows = await db()
    .selectFrom('payment_requests')
    .select(['task_id', 'state', 'receipt', 'paid_at'])
    .select((e) =>
      e
        .selectFrom('payment_events')
        .select((events) => events.fn.countAll<number>().as('count'))
        .whereRef('payment_events.task_id', '=', 'payment_requests.task_id')
        .where('payment_events.effect', '=', 'paid')
        .as('confirmations'),
    )
    .select((e) =>
      e
        .selectFrom('payment_events')
        .select((events) => events.fn.countAll<number>().as('count'))
        .whereRef('payment_events.task_id', '=', 'payment_requests.task_id')
        .where('payment_events.effect', 'in', ['refunded', 'disputed'])
        .as('reversals'),
    )
    .execute();
  return rows
    .filter(({ state, receipt, paid_at: paidAt, confirmations, reversals }) => {
      const isPaid = state === 'paid';
      return (
        isPaid !== (receipt !== null) ||
        isPaid !== (paidAt !== null) ||
        Number(confirmations) - Number(reversals) !== (isPaid ? 1 : 0)
      );
    })
    .map(({ task_id: id }) => `The payment of the task ${id} does not have the state of its confirmations.`);
}
