import { clientInput, type NewClient } from '#features/clients/clients/client-records.ts';
import { insertClients } from '../../src/features/clients/clients/internal/rows.server.ts';

/** Stores a client without an actor and without checks, and returns its id. */
export async function storeClient(
  companyId: string,
  client: Partial<NewClient> & Pick<NewClient, 'name'>,
): Promise<string> {
  const [id = ''] = await insertClients(companyId, [{ ...clientInput.parse({ name: '-' }), ...client }]);
  return id;
}
