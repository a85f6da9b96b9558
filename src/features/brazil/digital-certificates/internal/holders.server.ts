import { cnpjsOf } from '#features/brazil/establishments/establishments.server.ts';
import { taxIdKey } from '#features/clients/clients/client-search.server.ts';
import { db } from '#platform/database/database.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';

const ROOT = 8;

/** Whether a certificate with this CNPJ or CPF is of a client: of the same company, or of the client as a person. */
export async function isOfClient(clientId: string, number: string): Promise<boolean> {
  if (isTaxId('cpf', number)) {
    const row = await db()
      .selectFrom('client_tax_ids')
      .select('kind')
      .where('client_id', '=', clientId)
      .where('kind', '=', 'cpf')
      .where('value_key', '=', await taxIdKey('cpf', number))
      .executeTakeFirst();
    return row !== undefined;
  }
  return (await cnpjsOf(clientId)).some((cnpj) => cnpj.slice(0, ROOT) === number.slice(0, ROOT));
}

/** Whether a client has any number that a certificate can be compared with. */
export async function hasNumber(clientId: string): Promise<boolean> {
  if ((await cnpjsOf(clientId)).length > 0) return true;
  const person = await db()
    .selectFrom('client_tax_ids')
    .select('kind')
    .where('client_id', '=', clientId)
    .where('kind', '=', 'cpf')
    .executeTakeFirst();
  return person !== undefined;
}
