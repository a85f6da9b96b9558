import type { ExpressionBuilder } from 'kysely';
import { db, inBatches } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/*
 * Files that a client uploads to answer a task are the client's until they submit it: the firm sees how far they are,
 * and not what they have so far (decision 0119). What is removed from an answer before that stays the client's.
 */

/** Whether the firm may see a document. */
export const isWithFirm = (e: ExpressionBuilder<Tables, 'documents'>) =>
  e.or([e('documents.answer_state', 'is', null), e('documents.answer_state', '!=', 'open')]);

/** Withholds a document that was just added from the firm until {@link releaseToFirm}, in the open transaction. */
export const withholdFromFirm = (documentId: string): Promise<void> =>
  setState([documentId], { from: null, to: 'open' });

/** Shows the firm the documents of answers that are being submitted, in the open transaction. */
export const releaseToFirm = (documentIds: readonly string[]): Promise<void> =>
  setState(documentIds, { from: 'open', to: 'submitted' });

/** Withholds documents again because the submission is taken back, in the open transaction. */
export const takeBackFromFirm = (documentIds: readonly string[]): Promise<void> =>
  setState(documentIds, { from: 'submitted', to: 'open' });

type State = 'open' | 'submitted';

async function setState(
  ids: readonly string[],
  { from, to }: { from: State | null; to: State },
): Promise<void> {
  for (const some of inBatches(ids))
    await db()
      .updateTable('documents')
      .set({ answer_state: to })
      .where('document_id', 'in', some)
      .where('answer_state', from === null ? 'is' : '=', from)
      .execute();
}
