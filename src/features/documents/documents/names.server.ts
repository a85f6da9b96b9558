import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { documentsNamed } from './scope.server.ts';
import { isWithFirm } from './unsubmitted.server.ts';

/** Loads the names of those documents that the actor may see, by id. */
export async function documentNames(actor: Actor, ids: readonly string[]): Promise<Map<string, string>> {
  return new Map((await documentsNamed(actor, ids)).map((row) => [row.document_id, row.name]));
}

/**
 * The names of documents for those who may know them already, such as readers of the audit log; of deleted ones none,
 * for the firm none of those that the client has not submitted, and for contacts, of those with an audience, only their own.
 */
export const currentDocumentNames: NamesOf = (ids, { contactId }) =>
  db()
    .selectFrom('documents')
    .select(['document_id as id', 'name'])
    .where('document_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .$if(contactId === undefined, (documents) => documents.where(isWithFirm))
    .$if(contactId !== undefined, (documents) =>
      documents.where((e) => e.or([e('audience', 'is', null), e('created_by', '=', contactId ?? '')])),
    )
    .execute();
