import { db } from '#platform/database/database.server.ts';
import { defineEvent } from '#platform/runtime/events.server.ts';
import { clientIdsOf } from './people.server.ts';
import type { Actor } from './people.ts';

/**
 * Announced in the transaction that merges a client into another one of the firm. What names the client in
 * another form than a row's `client_id` follows it.
 */
export const clientMerged = defineEvent<{ companyId: string; from: string; into: string }>();

/** The clients that were merged into one: receipts and the audit log still name them, since hashes cover them. */
export async function mergedInto(clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('merged_into', '=', clientId)
    .execute();
  return rows.map(({ client_id: id }) => id);
}

/** As {@link mergedInto}, of all clients of a firm. */
export async function mergedClients(companyId: string): Promise<Map<string, string[]>> {
  const rows = await db()
    .selectFrom('clients')
    .select(['client_id', 'merged_into'])
    .where('company_id', '=', companyId)
    .where('merged_into', 'is not', null)
    .execute();
  return new Map(
    [...Map.groupBy(rows, (row) => row.merged_into ?? '')].map(([into, merged]) => [
      into,
      merged.map(({ client_id: id }) => id),
    ]),
  );
}

/** The actor's client into which this one was merged: links that name the former lead there. */
export async function survivorOf(
  actor: Actor,
  clientId: string,
): Promise<{ id: string; formerName: string } | undefined> {
  const row = await db()
    .selectFrom('clients')
    .select(['merged_into', 'name'])
    .where('client_id', '=', clientId)
    .where('merged_into', 'in', clientIdsOf(actor))
    .executeTakeFirst();
  return row && { id: row.merged_into ?? '', formerName: row.name };
}

/** The clients that an actor may act for, and those that were merged into them, as a subquery. */
export const clientIdsWithMerged = (actor: Actor) =>
  clientIdsOf(actor).unionAll(
    db().selectFrom('clients').select('clients.client_id').where('merged_into', 'in', clientIdsOf(actor)),
  );
