import { db } from '#platform/database/database.server.ts';

const ROOT = 8;

/** The roots of the CNPJs of a client's establishments: the first eight characters, which all of a company have. */
export async function loadRoots(clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('establishments')
    .select('cnpj')
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null)
    .execute();
  return [...new Set(rows.map(({ cnpj }) => cnpj.slice(0, ROOT)))];
}
