import { sql } from 'kysely';
import { taxIdKey } from '#features/clients/clients/client-search.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { CNPJ } from './internal/rows.server.ts';

/* Whose a document is: its tax ids are compared with those of the clients for whom somebody may act. */

/**
 * Finds the clients of the actor with these tax ids, which are without punctuation: the ones with the very number, also as
 * an establishment; else, for a branch that nobody has added, those with its company.
 */
export async function clientsWithTaxIds(
  actor: Actor,
  taxIds: readonly string[],
): Promise<Map<string, string[]>> {
  const wanted = [...new Set(taxIds)].filter(isNumber);
  const found = await clientsWithNumbers(actor, wanted);
  const branches = wanted.filter((taxId) => CNPJ.test(taxId) && !found.has(taxId));
  if (branches.length === 0) return found;
  const heads = await clientsWithNumbers(actor, [...new Set(branches.map(headOffice))]);
  const roots = await clientsWithRoots(actor, [...new Set(branches.map(rootOf))]);
  for (const branch of branches) {
    const owners = heads.get(headOffice(branch)) ?? roots.get(rootOf(branch));
    if (owners) found.set(branch, owners);
  }
  return found;
}

const rootOf = (cnpj: string): string => cnpj.slice(0, 8);
const isNumber = (taxId: string): boolean => CNPJ.test(taxId) || cpfIn(taxId) !== undefined;

/** The clients with exactly these numbers: their own, or those of their establishments. */
async function clientsWithNumbers(actor: Actor, taxIds: readonly string[]): Promise<Map<string, string[]>> {
  // a CPF has zeros before it in access keys: both forms of it are one number
  const keys = new Map<string, string[]>();
  for (const taxId of taxIds) {
    const key = await numberKey(taxId);
    keys.set(key, [...(keys.get(key) ?? []), taxId]);
  }
  const found = new Map<string, string[]>();
  for (const some of inBatches([...keys.keys()])) {
    const rows = await db()
      .selectFrom('client_tax_ids')
      .select(['client_id', 'value_key'])
      .where('value_key', 'in', some)
      .where('client_id', 'in', clientIdsOf(actor))
      .orderBy('client_id')
      .execute();
    for (const { client_id: id, value_key: key } of rows)
      for (const taxId of keys.get(key) ?? []) add(found, taxId, id);
  }
  for (const some of inBatches(taxIds.filter((taxId) => CNPJ.test(taxId)))) {
    const rows = await db()
      .selectFrom('establishments')
      .select(['client_id', 'cnpj'])
      .where('company_id', '=', actor.companyId)
      .where('cnpj', 'in', some)
      .where('removed_at', 'is', null)
      .where('client_id', 'in', clientIdsOf(actor))
      .orderBy('client_id')
      .execute();
    for (const { client_id: id, cnpj } of rows) add(found, cnpj, id);
  }
  return found;
}

/** The clients that have any establishment of these companies. */
async function clientsWithRoots(actor: Actor, roots: readonly string[]): Promise<Map<string, string[]>> {
  const root = sql<string>`substr(cnpj, 1, 8)`;
  const found = new Map<string, string[]>();
  for (const some of inBatches(roots)) {
    const rows = await db()
      .selectFrom('establishments')
      .select(['client_id', root.as('root')])
      .where('company_id', '=', actor.companyId)
      .where(root, 'in', some)
      .where('removed_at', 'is', null)
      .where('client_id', 'in', clientIdsOf(actor))
      .orderBy('client_id')
      .execute();
    for (const row of rows) add(found, row.root, row.client_id);
  }
  return found;
}

function add(found: Map<string, string[]>, key: string, id: string): void {
  const ids = found.get(key) ?? [];
  if (!ids.includes(id)) found.set(key, [...ids, id]);
}

/** A CPF, also with zeros before it as in access keys; undefined for what is none. */
function cpfIn(taxId: string): string | undefined {
  const cpf = /^0*(\d{11})$/.exec(taxId)?.[1];
  const isCpf = cpf !== undefined && taxId.length <= 14 && isTaxId('cpf', cpf) && !isTaxId('cnpj', taxId);
  return isCpf ? cpf : undefined;
}

const numberKey = (taxId: string): Promise<string> => {
  const cpf = cpfIn(taxId);
  return cpf === undefined ? taxIdKey('cnpj', taxId) : taxIdKey('cpf', cpf);
};

/** The keys by which clients have a number, and for that of a branch also of its head office, which the client has. */
export async function computeTaxIdKeys(taxId: string): Promise<string[]> {
  if (cpfIn(taxId) !== undefined) return [await numberKey(taxId)];
  if (!CNPJ.test(taxId)) return [];
  return Promise.all([...new Set([taxId, headOffice(taxId)])].map((each) => taxIdKey('cnpj', each)));
}

/** The CNPJ of the head office of a company: its root, 0001, and their check digits. */
export function headOffice(cnpj: string): string {
  const base = `${cnpj.slice(0, 8)}0001`;
  const digitOf = (text: string): string => {
    const sum = [...text]
      .toReversed()
      .reduce((all, character, i) => all + (character.charCodeAt(0) - 48) * ((i % 8) + 2), 0);
    const rest = sum % 11;
    return rest < 2 ? '0' : String(11 - rest);
  };
  const first = digitOf(base);
  return base + first + digitOf(base + first);
}

/** A blind index by which documents are found by the tax id of the other side; '' without one. */
export async function taxIdIndex(taxId: string): Promise<string> {
  const digits = taxId.replaceAll(/[^\dA-Za-z]/g, '').toUpperCase();
  if (isTaxId('cpf', digits)) return taxIdKey('cpf', digits);
  return CNPJ.test(digits) ? taxIdKey('cnpj', digits) : '';
}
