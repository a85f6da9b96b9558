import { z } from 'zod';
import { db } from '#platform/database.server.ts';
import { enqueue } from '#platform/jobs.server.ts';
import { providerNamed } from './providers/available.server.ts';

export const CLOSING_JOB = 'payment-close-checkout';
const job = z.object({ checkoutId: z.string() });

/** Closes the pages of a payment that nobody is to pay any more, soon after the transaction. */
export async function closeCheckoutsOf(taskId: string): Promise<void> {
  const open = await db()
    .selectFrom('payment_checkouts')
    .select('checkout_id')
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .execute();
  for (const { checkout_id: checkoutId } of open)
    await enqueue(CLOSING_JOB, { checkoutId }, `${CLOSING_JOB} ${checkoutId}`);
}

/** The job: it is tried again while the provider does not answer. */
export async function closeCheckout(payload: unknown): Promise<void> {
  const { checkoutId } = job.parse(payload);
  const checkout = await db()
    .selectFrom('payment_checkouts')
    .select(['provider', 'provider_reference', 'state'])
    .where('checkout_id', '=', checkoutId)
    .executeTakeFirst();
  if (checkout?.state !== 'open' || checkout.provider_reference === null) return;
  await providerNamed(checkout.provider).closeCheckout(checkout.provider_reference);
}
