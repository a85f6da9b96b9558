import { sql } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import { fold, wordsOf } from '#platform/database/database.server.ts';
import { documentsOf } from './scope.server.ts';
import { seqsByWords } from './internal/list.server.ts';

/** Of the documents that are found so many of the newest are compared with what the actor may see. */
const MAX_COMPARED = 50;

/** A document that a search finds by its name. */
export interface NamedDocument {
  id: string;
  name: string;
}

/** The newest documents of a client with these words in their names, of those that the actor may see. */
export async function documentsWithName(
  actor: Actor,
  clientId: string,
  text: string,
  max: number,
): Promise<NamedDocument[]> {
  const words = wordsOf(fold(text));
  if (words.length === 0) return [];
  return (
    documentsOf(actor)
      .clearSelect()
      .select(['documents.document_id as id', 'documents.name'])
      // found by row id: written like this, the query planner does not read the client's whole list instead
      .where(sql<boolean>`documents.client_id || '' = ${clientId}`)
      .where(sql<boolean>`documents.seq in (${seqsByWords(clientId, words, MAX_COMPARED)})`)
      .orderBy('documents.created_at', 'desc')
      .orderBy('documents.document_id', 'desc')
      .limit(max)
      .execute()
  );
}
