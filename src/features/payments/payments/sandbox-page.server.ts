import { z } from 'zod';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { factsOfSystem } from '#features/tasks/tasks/scope.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { now, SECOND } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import { checkoutRow } from './internal/requests.server.ts';
import { CURRENCIES } from './payments.ts';
import { isSandboxOffered } from './providers/available.server.ts';
import {
  sandboxMessage,
  sandboxOrder,
  sendSandboxMessage,
  type SandboxOrder,
} from './providers/sandbox.server.ts';

/** How long a payment takes that is paid later. */
const LATER = 30 * SECOND;

export const SANDBOX_JOB = 'payment-sandbox';
const job = z.object({
  messageId: z.string(),
  checkoutId: z.string(),
  amount: z.number(),
  currency: z.enum(CURRENCIES),
});

type View =
  | { kind: 'open'; order: SandboxOrder }
  /** Without an invoice, since its task was deleted. */
  | { kind: 'closed'; invoiceUrl: string | undefined };

/**
 * The page of the sandbox, which stands for that of a provider: each button reports what it says, and continues where a
 * provider would. Once nothing is to be paid there any more, it is closed, as a provider closes its own page. NOT_FOUND
 * unless the sandbox is offered and made this address.
 */
export async function sandboxPage(page: { request: Request }, token: string): Promise<Response | View> {
  if (!isSandboxOffered()) throw notFound();
  const order = sandboxOrder(token);
  const checkout = await payableState(order.checkoutId);
  if (!checkout?.isOpen)
    return { kind: 'closed', invoiceUrl: checkout?.hasTask ? pathOf(order.cancelUrl) : undefined };
  const [paid, left] = [{ to: pathOf(order.successUrl) }, { to: pathOf(order.cancelUrl) }];
  const report = (state: 'paid' | 'processing' | 'failed') =>
    sendSandboxMessage(sandboxMessage(order, state));
  const done = await useActions(page, {
    'outcome=pay': async (): Promise<Destination> => {
      await report('paid');
      return paid;
    },
    'outcome=twice': async () => {
      const message = sandboxMessage(order, 'paid');
      await sendSandboxMessage(message);
      await sendSandboxMessage(message);
      return paid;
    },
    'outcome=later': async () => {
      await report('processing');
      const { checkoutId, amount, currency } = order;
      const messageId = `later_${checkoutId}`;
      await enqueue(SANDBOX_JOB, { messageId, checkoutId, amount, currency }, messageId, null, now() + LATER);
      return paid;
    },
    'outcome=fail': async () => {
      await report('failed');
      return left;
    },
    'outcome=leave': () => Promise.resolve(left),
  });
  return done ?? { kind: 'open', order };
}

/** Whether a checkout can still be paid, and its task still be opened; undefined if the task was removed for good. */
async function payableState(checkoutId: string): Promise<{ isOpen: boolean; hasTask: boolean } | undefined> {
  const checkout = await checkoutRow(checkoutId);
  const facts = checkout && (await factsOfSystem(checkout.task_id));
  if (!facts) return undefined;
  const isAwaited = !facts.isDeleted && isPending(facts.status);
  return {
    isOpen: isAwaited && checkout.state === 'open' && checkout.expires_at > now(),
    hasTask: !facts.isDeleted,
  };
}

/** Reports a payment that was chosen to be paid later. */
export async function settleLater(payload: unknown): Promise<void> {
  const { messageId, ...order } = job.parse(payload);
  await sendSandboxMessage(sandboxMessage(order, 'paid', messageId));
}

/** The address within the portal. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
