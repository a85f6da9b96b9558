import { db } from '#platform/database/database.server.ts';

/* Whose a certificate is: by the CNPJs in it, compared with the establishments of all clients of the firm. */

const ROOT = 8;
const rootOf = (cnpj: string): string => cnpj.slice(0, ROOT);

interface Owned {
  clientId: string;
  cnpj: string;
}

/**
 * The clients of a firm that a certificate with these CNPJs is about, each with the CNPJ of it that says so: those with an
 * establishment of this very number, else those of the same company, since a certificate of the head office counts for its
 * branches. Others in the certificate, such as the number of the agency itself, are of no client.
 */
export async function ownersOf(companyId: string, cnpjs: readonly string[]): Promise<Owned[]> {
  if (cnpjs.length === 0) return [];
  const roots = [...new Set(cnpjs.map(rootOf))];
  const rows = await db()
    .selectFrom('establishments')
    .select(['client_id', 'cnpj'])
    .where('company_id', '=', companyId)
    .where((e) => e.or(roots.map((root) => e.and([e('cnpj', '>=', root), e('cnpj', '<', `${root}~`)]))))
    .where('removed_at', 'is', null)
    .execute();
  const exact = rows.filter(({ cnpj }) => cnpjs.includes(cnpj));
  const owners = exact.length > 0 ? exact : rows;
  return [...Map.groupBy(owners, (row) => row.client_id)].map(([clientId, [first]]) => ({
    clientId,
    cnpj: cnpjs.find((cnpj) => cnpj === first?.cnpj || rootOf(cnpj) === rootOf(first?.cnpj ?? '')) ?? '',
  }));
}

/** The CNPJ of a client's head office, else of its first establishment; empty for one without. */
export async function cnpjOf(clientId: string): Promise<string> {
  const row = await db()
    .selectFrom('establishments')
    .select('cnpj')
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null)
    .orderBy('is_head_office', 'desc')
    .orderBy('cnpj')
    .limit(1)
    .executeTakeFirst();
  return row?.cnpj ?? '';
}
