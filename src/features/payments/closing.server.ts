import { z } from 'zod';
import { db } from '#platform/database.server.ts';
import { enqueue } from '#platform/jobs.server.ts';
import { PROVIDERS } from './payments.ts';
import { providerNamed } from './providers/available.server.ts';

export const CLOSING_JOB = 'payment-close-checkout';
/** With what the provider is told, since a task that is removed for good takes its checkouts with it. */
const job = z.object({ provider: z.enum(PROVIDERS), reference: z.string() });

/** Closes the pages of a payment that nobody is to pay any more, soon after the transaction. */
export async function closeCheckoutsOf(taskId: string): Promise<void> {
  const open = await db()
    .selectFrom('payment_checkouts')
    .select(['provider', 'provider_reference'])
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .execute();
  for (const { provider, provider_reference: reference } of open)
    if (reference !== null)
      await enqueue(CLOSING_JOB, { provider, reference }, `${CLOSING_JOB} ${provider} ${reference}`);
}

/** The job: it is tried again while the provider does not answer. */
export async function closeCheckout(payload: unknown): Promise<void> {
  const { provider, reference } = job.parse(payload);
  const checkout = await db()
    .selectFrom('payment_checkouts')
    .select('state')
    .where('provider', '=', provider)
    .where('provider_reference', '=', reference)
    .executeTakeFirst();
  if (checkout && checkout.state !== 'open') return;
  await providerNamed(provider).closeCheckout(reference);
}
