import type { Actor } from '#features/people/people.ts';
import { documentsNamed } from './scope.server.ts';

/** The names of those of these documents that the actor may see, by their ids. */
export async function documentNames(actor: Actor, ids: readonly string[]): Promise<Map<string, string>> {
  return new Map((await documentsNamed(actor, ids)).map((row) => [row.document_id, row.name]));
}
