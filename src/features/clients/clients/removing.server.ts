import { sql } from 'kysely';
import { clientRemoving } from '#features/base/people/events.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { managerNow } from './editing.server.ts';

/**
 * Deletes a client to which nothing refers: no document, folder, contact or share. False if something does,
 * or if there is no such client; then nothing changes. FORBIDDEN without ManageClients.
 */
export function removeUnusedClient(actor: Actor, clientId: string): Promise<boolean> {
  return inTransaction(async () => {
    const { companyId } = await managerNow(actor);
    await sql`savepoint remove_client`.execute(db());
    try {
      await clientRemoving.announce({ clientId });
      for (const table of ['client_tags', 'client_tax_ids', 'staff_clients'] as const)
        await db().deleteFrom(table).where('client_id', '=', clientId).execute();
      const { numDeletedRows } = await db()
        .deleteFrom('clients')
        .where('client_id', '=', clientId)
        .where('company_id', '=', companyId)
        .executeTakeFirst();
      if (numDeletedRows === 1n) return true;
    } catch (error) {
      if (!isReferenced(error)) throw error;
    }
    await sql`rollback to savepoint remove_client`.execute(db());
    return false;
  });
}

const POSTGRES_REFERENCED = '23503';
const SQLITE_REFERENCED = 787;

/** True if a row cannot be deleted because another one refers to it. */
function isReferenced(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  return code === POSTGRES_REFERENCED || errcode === SQLITE_REFERENCED;
}
