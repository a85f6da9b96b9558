import { sql, type RawBuilder, type Selectable, type SqlBool, type Updateable } from 'kysely';
import { actorNow, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { Status } from '../invoice-manifest.ts';
import { AUTHORITY_ZONE, daysUntil } from '../rules.ts';

export type InvoiceRow = Selectable<Tables['manifest_documents']>;
export type IntentRow = Selectable<Tables['manifest_intents']>;
export type EventRow = Selectable<Tables['manifest_events']>;

/** Today in Brasília. */
export const today = (): string => dayOf(now(), AUTHORITY_ZONE);

/** The invoices of the actor's clients. */
export const invoicesOf = (actor: Actor) =>
  db().selectFrom('manifest_documents').where('manifest_documents.client_id', 'in', clientIdsOf(actor));

/** One of them; NOT_FOUND. */
export async function invoiceRow(actor: Actor, id: string): Promise<InvoiceRow> {
  const row = await invoicesOf(actor)
    .selectAll('manifest_documents')
    .where('manifest_id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** The state of an invoice on a day. */
export const statusOn = ({ status, last_day: lastDay }: InvoiceRow, day: string): Status =>
  (status === 'pending' || status === 'aware') && daysUntil(lastDay, day) < 0 ? 'expired' : status;

/** {@link statusOn} as a condition; `open` are those that can still be decided about. */
export function hasStatus(status: Status | 'open', day: string): RawBuilder<SqlBool> {
  const [stored, lastDay] = [sql.ref('manifest_documents.status'), sql.ref('manifest_documents.last_day')];
  if (status === 'open') return sql<SqlBool>`(${stored} in ('pending', 'aware') and ${lastDay} >= ${day})`;
  if (status === 'expired') return sql<SqlBool>`(${stored} in ('pending', 'aware') and ${lastDay} < ${day})`;
  if (status === 'pending' || status === 'aware')
    return sql<SqlBool>`(${stored} = ${status} and ${lastDay} >= ${day})`;
  return sql<SqlBool>`${stored} = ${status}`;
}

/** What is registered about invoices, by their ids, in order. */
export async function loadEvents(ids: readonly string[]): Promise<Map<string, EventRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db()
    .selectFrom('manifest_events')
    .selectAll()
    .where('manifest_id', 'in', ids)
    .orderBy('registered_at')
    .orderBy('sequence')
    .orderBy('event_id')
    .execute();
  return Map.groupBy(rows, (row) => row.manifest_id);
}

/** What the rules look at. */
export const registeredAmong = (rows: readonly EventRow[]) =>
  rows.map(({ event, sequence, registered_at: registeredAt }) => ({
    event,
    sequence: Number(sequence),
    registeredAt: Number(registeredAt),
  }));

export async function intentRow(intentId: string): Promise<IntentRow> {
  const row = await db()
    .selectFrom('manifest_intents')
    .selectAll()
    .where('intent_id', '=', intentId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

export const updateIntent = (intentId: string, changes: Updateable<Tables['manifest_intents']>) =>
  db().updateTable('manifest_intents').set(changes).where('intent_id', '=', intentId).execute();

export const updateInvoice = (id: string, changes: Updateable<Tables['manifest_documents']>) =>
  db().updateTable('manifest_documents').set(changes).where('manifest_id', '=', id).execute();

interface Change {
  id: string;
  /** The version that the actor has seen, if it matters. */
  version?: number | undefined;
  /** Throws FORBIDDEN for those who may not. */
  assertMay: (actor: Actor) => void;
}

/**
 * Changes an invoice as the actor of now, in a transaction: of two who do so at once one gets CHANGED. GONE for an archived
 * client, FORBIDDEN, NOT_FOUND.
 */
export async function changeInvoice<Result>(
  actor: Actor,
  { id, version, assertMay }: Change,
  work: (current: Actor, row: InvoiceRow) => Promise<Result>,
): Promise<Result> {
  assertMay(actor);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertMay(current);
    const row = await invoiceRow(current, id);
    if (version !== undefined && version !== Number(row.version)) throw new PortalError('CHANGED');
    await assertIsCurrent(row.client_id);
    const { numUpdatedRows } = await db()
      .updateTable('manifest_documents')
      .set({ version: Number(row.version) + 1, changed_at: now() })
      .where('manifest_id', '=', id)
      .where('version', '=', row.version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new PortalError('CHANGED');
    return work(current, row);
  });
}

async function assertIsCurrent(clientId: string): Promise<void> {
  const { archived_at: archivedAt } = await db()
    .selectFrom('clients')
    .select('archived_at')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  if (archivedAt !== null) throw new PortalError('GONE');
}

/** What an invoice is called: `48211 / 1`. */
export const invoiceName = ({
  number,
  series,
  access_key: key,
}: Pick<InvoiceRow, 'number' | 'series' | 'access_key'>): string => {
  if (number === null) return key;
  return series === '' ? `${number}` : `${number} / ${series}`;
};
