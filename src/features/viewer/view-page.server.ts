import { listParameterOf } from '#features/documents/list-page.server.ts';
import type { Actor } from '#features/people/people.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { opensViewer } from './viewer.ts';

/**
 * The addresses of documents in the viewer, which lead through the list that they are in, if any; undefined for
 * whoever only downloads them.
 */
export const viewUrlOf = (
  pathTo: PathTo,
  actor: Actor,
  list?: Parameters<typeof listParameterOf>[0],
): ((id: string) => string) | undefined =>
  opensViewer(actor.access)
    ? (id) => pathTo(`documents/${id}/view`, { list: list && listParameterOf(list) })
    : undefined;
