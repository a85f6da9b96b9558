import type { Actor } from '#features/base/people/people.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { MAX_AT_ONCE } from './archiving.server.ts';
import type { ClientInput, ClientRecord } from './client-records.ts';
import { clientRecord } from './client-records.server.ts';
import { assertManagesClients, updateClient } from './editing.server.ts';

/** Adds a tag to clients; all or none. Returns how many have it now. */
export const addTag = (actor: Actor, ids: readonly string[], tag: string): Promise<number> =>
  changeEach(actor, ids, ({ tags }) => ({ tags: [...tags, tag] }));

/** Makes a member of staff responsible for clients, besides those who are; all or none. */
export const addResponsible = (actor: Actor, ids: readonly string[], contactId: string): Promise<number> =>
  changeEach(actor, ids, ({ responsible }) => ({ responsible: [...new Set([...responsible, contactId])] }));

async function changeEach(
  actor: Actor,
  ids: readonly string[],
  change: (client: ClientRecord) => Partial<ClientInput>,
): Promise<number> {
  assertManagesClients(actor);
  const wanted = [...new Set(ids)];
  if (wanted.length > MAX_AT_ONCE) throw new PortalError('TOO_LARGE', { most: MAX_AT_ONCE });
  return inTransaction(async () => {
    for (const id of wanted) await updateClient(actor, id, change(await clientRecord(actor, id)));
    return wanted.length;
  });
}
