import type { Actor } from '#features/people/people.ts';
import { documentsNamed } from './scope.server.ts';

/** Loads the names of those documents that the actor may see, by id. */
export async function documentNames(actor: Actor, ids: readonly string[]): Promise<Map<string, string>> {
  return new Map((await documentsNamed(actor, ids)).map((row) => [row.document_id, row.name]));
}
