import { isOfOwnClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { documentCount, inNoLibrary } from './scope.server.ts';

/** The number of documents in a client's containers, by the counts that the database maintains, as a query. */
export const countedIn = (actor: Actor, clientId: string, parentIds: readonly string[] | undefined) =>
  db()
    .selectFrom('containers')
    .select((e) => e.fn.coalesce(e.fn.sum<number>(documentCount(e, actor)), e.lit(0)).as('total'))
    .where('client_id', '=', clientId)
    .where(isOfOwnClient(actor, 'containers.client_id'))
    .where(inNoLibrary)
    .$if(parentIds !== undefined, (containers) => containers.where('container_id', 'in', parentIds ?? []));
