import { db } from '#platform/database/database.server.ts';
import { documentSettled } from './events.server.ts';
import { PROBLEMS, type State } from './fiscal-documents.ts';

/**
 * Settles where the documents with an access key stand, in the open transaction: from all copies and events that the
 * firm has of it, whatever came first. Called for each key of which a copy or an event is added.
 */
export async function settle(companyId: string, accessKey: string): Promise<void> {
  if (accessKey === '') return;
  const documents = await db()
    .selectFrom('fiscal_documents')
    .select(['document_id', 'problems', 'state', 'state_at'])
    .where('company_id', '=', companyId)
    .where('access_key', '=', accessKey)
    .execute();
  if (documents.length === 0) return;
  const cancelled = await cancellationOf(companyId, accessKey);
  for (const { document_id: id, ...current } of documents) {
    const copies = await copiesOf(id);
    const best = copies[0];
    if (!best) continue;
    const own = copies.find(({ own_state: state }) => state === 'cancelled') ?? best;
    const state: State = cancelled ? 'cancelled' : own.own_state;
    const settled = {
      state,
      state_at: cancelled ? cancelled.at : own.own_state_at,
      problems: withDifference(current.problems, copies),
    };
    const isSame =
      settled.state === current.state &&
      settled.state_at === current.state_at &&
      settled.problems === current.problems;
    if (!isSame)
      await db().updateTable('fiscal_documents').set(settled).where('document_id', '=', id).execute();
  }
  await documentSettled.announce({ companyId, accessKey });
}

/** The copies of a document, the best first. */
export const copiesOf = (documentId: string) =>
  db()
    .selectFrom('fiscal_copies')
    .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_copies.file_id')
    .select([
      'fiscal_copies.file_id',
      'fiscal_copies.rank',
      'fiscal_copies.content_digest',
      'fiscal_copies.own_state',
      'fiscal_copies.own_state_at',
      'fiscal_files.sha256',
      'fiscal_files.name',
      'fiscal_files.stored_at',
    ])
    .where('fiscal_copies.document_id', '=', documentId)
    .orderBy('fiscal_copies.rank', 'desc')
    .orderBy('fiscal_files.sha256')
    .execute();

/** The earliest registered cancellation. */
async function cancellationOf(
  companyId: string,
  accessKey: string,
): Promise<{ at: number | null } | undefined> {
  const rows = await db()
    .selectFrom('fiscal_events')
    .select('happened_at')
    .where('company_id', '=', companyId)
    .where('access_key', '=', accessKey)
    .where('cancels', '=', 1)
    .execute();
  if (rows.length === 0) return undefined;
  const times = rows.flatMap(({ happened_at: at }) => (at === null ? [] : [at]));
  return { at: times.length === 0 ? null : Math.min(...times) };
}

function withDifference(problems: number, copies: readonly { content_digest: string }[]): number {
  const differ = new Set(copies.map(({ content_digest: digest }) => digest)).size > 1;
  const others = problems & ~PROBLEMS.differentCopies;
  return differ ? others | PROBLEMS.differentCopies : others;
}
