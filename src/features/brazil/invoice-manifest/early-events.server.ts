import { db } from '#platform/database/database.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { isCancellation, type DistributedEvent } from './distributed.server.ts';
import { updateInvoice } from './internal/store.server.ts';
import { addEvent } from './registering.server.ts';
import { eventOfCode } from './rules.ts';
import type { ManifestEarlyEvents } from './schema.server.ts';

/*
 * Events that the authority gives before their invoice: it numbers both, but a page may begin between them. They wait for the
 * invoice, all in the open transaction.
 */

/** Has an event wait for its invoice. */
export async function storeEarlyEvent(
  { company_id, client_id }: { company_id: string; client_id: string },
  { key, type, sequence, author, protocol, registeredAt }: DistributedEvent,
): Promise<void> {
  await db()
    .insertInto('manifest_early_events')
    .values({
      client_id,
      access_key: key,
      type,
      sequence,
      company_id,
      author: isTaxId('cpf', author) ? '' : author,
      protocol,
      registered_at: registeredAt,
      stored_at: now(),
    })
    .onConflict((conflict) => conflict.columns(['client_id', 'access_key', 'type', 'sequence']).doNothing())
    .execute();
}

interface Found {
  manifest_id: string;
  client_id: string;
  access_key: string;
}

/** Gives new invoices what has waited for them; returns the ids of those that must be settled. */
export async function takeEarlyEvents(invoices: readonly Found[]): Promise<string[]> {
  if (invoices.length === 0) return [];
  const rows = await db()
    .deleteFrom('manifest_early_events')
    .where((e) => e.or(invoices.map(({ client_id, access_key }) => e.and({ client_id, access_key }))))
    .returningAll()
    .execute();
  const ids = new Map(invoices.map((each) => [`${each.client_id} ${each.access_key}`, each.manifest_id]));
  const changed = new Set<string>();
  for (const row of rows) {
    const id = ids.get(`${row.client_id} ${row.access_key}`);
    if (id !== undefined && (await takeEvent(id, row))) changed.add(id);
  }
  return [...changed];
}

async function takeEvent(
  id: string,
  { type, sequence, protocol, registered_at: at }: ManifestEarlyEvents,
): Promise<boolean> {
  if (isCancellation(type)) {
    await updateInvoice(id, { is_cancelled: 1 });
    return true;
  }
  const event = eventOfCode(type);
  if (event === undefined) return false;
  await addEvent(id, {
    event,
    sequence: Number(sequence),
    source: 'authority',
    protocol,
    registeredAt: Number(at),
    recordedBy: null,
  });
  return true;
}

/** The events of a merged client wait for the other one's invoices. */
export async function followMergedEarlyEvents(from: string, into: string): Promise<void> {
  const rows = await db()
    .deleteFrom('manifest_early_events')
    .where('client_id', '=', from)
    .returningAll()
    .execute();
  for (const row of rows)
    await db()
      .insertInto('manifest_early_events')
      .values({ ...row, client_id: into })
      .onConflict((conflict) => conflict.columns(['client_id', 'access_key', 'type', 'sequence']).doNothing())
      .execute();
}
