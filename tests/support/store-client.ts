import { clientInput, type NewClient } from '#features/clients/client-records.ts';
import { insertClient } from '../../src/features/clients/internal/rows.server.ts';

/** Stores a client without an actor and without checks, and returns its id. */
export const storeClient = (
  companyId: string,
  client: Partial<NewClient> & Pick<NewClient, 'name'>,
): Promise<string> => insertClient(companyId, { ...clientInput.parse({ name: '-' }), ...client });
