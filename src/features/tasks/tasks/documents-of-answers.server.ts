import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import type { Actor } from '#features/base/people/people.ts';

/** The documents that answer questions, by their ids; those that the actor may no longer see are missing. */
export async function documentsOfAnswers(
  actor: Actor,
  ids: readonly string[],
): Promise<Map<string, { id: string; name: string; size: number }>> {
  const rows = await documentsNamed(actor, ids);
  return new Map(
    rows.map((row) => [row.document_id, { id: row.document_id, name: row.name, size: row.size }]),
  );
}
