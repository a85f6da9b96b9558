import type { Actor } from '#features/people/people.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { opensViewer } from './viewer.ts';

/** The addresses of documents in the viewer; undefined for whoever only downloads them. */
export const viewUrlOf = (pathTo: PathTo, actor: Actor): ((id: string) => string) | undefined =>
  opensViewer(actor.access) ? (id) => pathTo(`documents/${id}/view`) : undefined;
