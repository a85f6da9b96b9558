import { z } from 'zod';
import { db } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { PROVIDERS } from './payments.ts';
import { providerOf } from './providers/available.server.ts';

export const CLOSING_JOB = 'payment-close-checkout';
/** With what the provider is told, since a task that is removed for good takes its checkouts with it. */
const job = z.object({
  provider: z.enum(PROVIDERS),
  reference: z.string(),
  companyId: z.string().optional(),
});

/** Closes the pages of a payment that nobody is to pay any more, soon after the transaction. */
export async function closeCheckoutsOf(taskId: string): Promise<void> {
  const open = await db()
    .selectFrom('payment_checkouts')
    .select(['provider', 'provider_reference', 'company_id'])
    .where('task_id', '=', taskId)
    .where('state', '=', 'open')
    .execute();
  for (const { provider, provider_reference: reference, company_id: companyId } of open)
    if (reference !== null)
      await enqueue(
        CLOSING_JOB,
        { provider, reference, companyId },
        `${CLOSING_JOB} ${provider} ${reference}`,
      );
}

/** The job: it is tried again while the provider does not answer. */
export async function closeCheckout(payload: unknown): Promise<void> {
  const { provider, reference, companyId } = job.parse(payload);
  const checkout = await db()
    .selectFrom('payment_checkouts')
    .select(['state', 'company_id'])
    .where('provider', '=', provider)
    .where('provider_reference', '=', reference)
    .executeTakeFirst();
  if (checkout && checkout.state !== 'open') return;
  const firm = companyId ?? checkout?.company_id; // jobs of an earlier version do not name it
  if (firm !== undefined) await (await providerOf(provider, firm))?.closeCheckout(reference);
}
