import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';

/**
 * Stores rows of the firm's inbox by the hundreds, one after the other for the clients in turn, so that all of them wait
 * before one waits twice.
 */
export async function storeWaiting(
  companyId: string,
  clients: readonly string[],
  { from, until }: { from: number; until: number },
): Promise<void> {
  const rows = Array.from({ length: until - from }, (_, n) => {
    const [i, id] = [from + n, newId('inbox')];
    return {
      item_id: id,
      company_id: companyId,
      client_id: clients[i % clients.length] ?? null,
      contact_id: null,
      kind: i % 4 === 0 ? ('comments' as const) : ('documents' as const),
      group_key: `key_${i}`,
      name: encryptFor('inbox_items.name', id, `Paper ${i}.pdf`),
      detail: null,
      count: 1,
      created_at: 1_700_000_000_000 + i * 60_000,
      modified_at: 1_700_000_000_000 + i * 60_000,
      added_at: 1_700_000_000_000 + i * 60_000,
      done_at: null,
      done_by: null,
    };
  });
  for (const batch of inBatches(rows))
    await inTransaction(() => db().insertInto('inbox_items').values(batch).execute());
}
