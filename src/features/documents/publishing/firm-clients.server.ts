import { taxIdKey } from '#features/clients/clients/client-search.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { indexClients } from './client-index.ts';
import type { FirmClients } from './matching.ts';

/**
 * Loads all clients of the actor's firm for the matching: also those that the actor does not see, and archived and merged
 * ones. Some 2 kB a client; what the actor may learn of them is decided where results are shown.
 */
export async function firmClients(actor: Actor): Promise<FirmClients> {
  const clients = await db()
    .selectFrom('clients')
    .select(['client_id', 'code', 'name', 'doing_business_as', 'archived_at', 'merged_into'])
    .where('company_id', '=', actor.companyId)
    .execute();
  const own = new Set((await clientIdsOf(actor).execute()).map((row) => row.client_id));
  const taxIds = await db()
    .selectFrom('client_tax_ids')
    .innerJoin('clients', 'clients.client_id', 'client_tax_ids.client_id')
    .select(['client_tax_ids.client_id', 'client_tax_ids.kind', 'client_tax_ids.value_key'])
    .where('clients.company_id', '=', actor.companyId)
    .execute();
  const byKey = Map.groupBy(taxIds, (row) => row.value_key);
  const kinds = new Map<string, Set<TaxIdKind>>();
  for (const { client_id: id, kind } of taxIds)
    kinds.set(id, (kinds.get(id) ?? new Set()).add(kind as TaxIdKind));
  return {
    index: indexClients(
      clients.map(({ client_id: id, code, name, doing_business_as: tradeName }) => ({
        id,
        code,
        name,
        tradeName: tradeName ?? '',
      })),
    ),
    states: new Map(
      clients.map(({ client_id: id, archived_at: archivedAt, merged_into: mergedInto }) => [
        id,
        { isOwn: own.has(id), isArchived: archivedAt !== null, mergedInto },
      ]),
    ),
    taxIdKinds: kinds,
    withTaxId: async (kind, number) =>
      (byKey.get(await taxIdKey(kind, number)) ?? []).map(({ client_id: id }) => id),
  };
}
