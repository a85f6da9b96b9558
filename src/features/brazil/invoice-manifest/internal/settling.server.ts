import { db } from '#platform/database/database.server.ts';
import { intentsSettled } from '../events.server.ts';
import { nextReminderOn, statusBy } from '../rules.ts';
import { loadEvents, registeredAmong, today, updateIntent, updateInvoice } from './store.server.ts';

/**
 * Settles the state of an invoice, in the open transaction: from what is registered, and from its state in the archive. What
 * was wanted is over if the issuer has cancelled the invoice, or if an event of its kind is registered since.
 */
export async function settleInvoice(id: string): Promise<void> {
  const row = await db()
    .selectFrom('manifest_documents')
    .selectAll()
    .where('manifest_id', '=', id)
    .executeTakeFirstOrThrow();
  const registered = (await loadEvents([id])).get(id) ?? [];
  const isCancelled = row.is_cancelled === 1 || (await isCancelledInArchive(row.client_id, row.access_key));
  const status = isCancelled ? 'cancelled' : statusBy(registeredAmong(registered));
  const intent = row.intent_id === null ? undefined : await endedIntent(row.intent_id, { id, isCancelled });
  const isOpen = (status === 'pending' || status === 'aware') && (intent?.isOver ?? true);
  await updateInvoice(id, {
    status,
    next_reminder_on: isOpen ? nextReminderOn(row.last_day, today()) : '',
    ...(intent?.isOver && { intent: 'none', intent_id: null }),
  });
}

/** The states of an intent that goes on. */
const OPEN: readonly string[] = ['marked', 'accepted', 'sending', 'rejected'];

async function endedIntent(
  intentId: string,
  { id, isCancelled }: { id: string; isCancelled: boolean },
): Promise<{ isOver: boolean }> {
  const intent = await db()
    .selectFrom('manifest_intents')
    .select(['event', 'marked_at', 'state'])
    .where('intent_id', '=', intentId)
    .executeTakeFirstOrThrow();
  const isDone = (await loadEvents([id]))
    .get(id)
    ?.some(({ event, recorded_at: at }) => event === intent.event && at >= intent.marked_at);
  const isOpen = OPEN.includes(intent.state);
  const isOver = isCancelled || isDone === true || !isOpen;
  if (isOver && isOpen) await updateIntent(intentId, { state: isDone ? 'registered' : 'void' });
  if (isOver) await intentsSettled.announce({ intentIds: [intentId] });
  return { isOver };
}

async function isCancelledInArchive(clientId: string, accessKey: string): Promise<boolean> {
  const row = await db()
    .selectFrom('fiscal_documents')
    .select('state')
    .where('client_id', '=', clientId)
    .where('document_key', '=', accessKey)
    .executeTakeFirst();
  return row?.state === 'cancelled';
}
