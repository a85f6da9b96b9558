import { taxIdKey } from '#features/clients/clients/client-search.server.ts';
import { db } from '#platform/database/database.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';

/*
 * Whose a certificate is: by the CNPJs in it, compared with the establishments of all clients of the firm, else by the CPFs of
 * clients who are persons.
 */

const ROOT = 8;
const rootOf = (cnpj: string): string => cnpj.slice(0, ROOT);

/** The numbers in a certificate, without punctuation. */
export interface Numbers {
  cnpjs: readonly string[];
  cpfs: readonly string[];
}

interface Owned {
  clientId: string;
  /** Empty for a person. */
  cnpj: string;
}

/** The clients of a firm that a certificate with these numbers is about: companies, else persons. */
export async function ownersOf(companyId: string, { cnpjs, cpfs }: Numbers): Promise<Owned[]> {
  const companies = await companiesWith(companyId, cnpjs);
  return companies.length > 0 ? companies : peopleWith(companyId, cpfs);
}

async function peopleWith(companyId: string, cpfs: readonly string[]): Promise<Owned[]> {
  if (cpfs.length === 0) return [];
  const rows = await db()
    .selectFrom('client_tax_ids')
    .innerJoin('clients', 'clients.client_id', 'client_tax_ids.client_id')
    .select('clients.client_id')
    .where('clients.company_id', '=', companyId)
    .where('clients.merged_into', 'is', null)
    .where('client_tax_ids.kind', '=', 'cpf')
    .where('value_key', 'in', await Promise.all(cpfs.map((cpf) => taxIdKey('cpf', cpf))))
    .execute();
  return [...new Set(rows.map((row) => row.client_id))].map((clientId) => ({ clientId, cnpj: '' }));
}

/**
 * The companies that a certificate with these CNPJs is about, each with the CNPJ of it that says so: those with an
 * establishment of this very number, else those of the same company, since a certificate of the head office counts for its
 * branches. Others in the certificate, such as the number of the agency itself, are of no client.
 */
async function companiesWith(companyId: string, cnpjs: readonly string[]): Promise<Owned[]> {
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

/**
 * The number of a client as people read it: the CNPJ of its head office, else of its first establishment, else the CPF, whose
 * ends are hidden; empty for a client without any.
 */
export async function numberTextOf(clientId: string): Promise<string> {
  const row = await db()
    .selectFrom('establishments')
    .select('cnpj')
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null)
    .orderBy('is_head_office', 'desc')
    .orderBy('cnpj')
    .limit(1)
    .executeTakeFirst();
  if (row) return numberText(row.cnpj);
  const person = await db()
    .selectFrom('client_tax_ids')
    .select('value')
    .where('client_id', '=', clientId)
    .where('kind', '=', 'cpf')
    .executeTakeFirst();
  return person ? numberText(decryptFrom('client_tax_ids.value', `${clientId}/cpf`, person.value)) : '';
}

/** A CNPJ or CPF as people read it; of a CPF only the middle, as offices publish it. */
export const numberText = (number: string): string =>
  isTaxId('cpf', number)
    ? `CPF ***.${number.slice(3, 6)}.${number.slice(6, 9)}-**`
    : `CNPJ ${withMask('cnpj', number)}`;
