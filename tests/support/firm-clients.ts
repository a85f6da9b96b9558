import { indexClients, type IndexedClient } from '#features/documents/publishing/client-index.ts';
import type { ClientState, FirmClients } from '#features/documents/publishing/matching.ts';
import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';

interface SampleClient extends Partial<ClientState> {
  name: string;
  tradeName?: string;
  code?: string;
  taxId?: readonly [TaxIdKind, string];
}

/** A firm with these clients, by their ids. */
export function firmOf(clients: Record<string, SampleClient>): FirmClients {
  const byTaxId = Map.groupBy(
    Object.entries(clients).filter(([, { taxId }]) => taxId),
    ([, { taxId }]) => taxId?.join(' '),
  );
  const indexed = Object.entries(clients).map(([id, { name, tradeName = '', code = '' }]): IndexedClient => ({
    id,
    name,
    tradeName,
    code,
  }));
  return {
    index: indexClients(indexed),
    states: new Map(
      Object.entries(clients).map(([id, { isOwn = true, isArchived = false, mergedInto = null }]) => [
        id,
        { isOwn, isArchived, mergedInto },
      ]),
    ),
    taxIdKinds: new Map(
      Object.entries(clients).map(([id, { taxId }]) => [id, new Set(taxId ? [taxId[0]] : [])]),
    ),
    withTaxId: async (kind, number) => (byTaxId.get(`${kind} ${number}`) ?? []).map(([id]) => id),
  };
}
