import { taxIdKey } from '#features/clients/clients/client-search.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';

/* Whose a document is: its tax ids are compared with those of the clients for whom somebody may act. */

/** Finds the clients of the actor with these tax ids, which are without punctuation. */
export async function clientsWithTaxIds(
  actor: Actor,
  taxIds: readonly string[],
): Promise<Map<string, string[]>> {
  const keys = new Map<string, string[]>();
  for (const taxId of new Set(taxIds))
    for (const key of await computeTaxIdKeys(taxId)) keys.set(key, [...(keys.get(key) ?? []), taxId]);
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
      for (const taxId of keys.get(key) ?? [])
        found.set(taxId, [...new Set([...(found.get(taxId) ?? []), id])]);
  }
  return found;
}

/** The keys by which clients have a number, and for that of a branch also of its head office, which the client has. */
export async function computeTaxIdKeys(taxId: string): Promise<string[]> {
  const cpf = /^0*(\d{11})$/.exec(taxId)?.[1];
  if (cpf !== undefined && taxId.length <= 14 && isTaxId('cpf', cpf) && !isTaxId('cnpj', taxId))
    return [await taxIdKey('cpf', cpf)];
  if (!/^[\dA-Z]{12}\d\d$/.test(taxId)) return [];
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
  return /^[\dA-Z]{12}\d\d$/.test(digits) ? taxIdKey('cnpj', digits) : '';
}
