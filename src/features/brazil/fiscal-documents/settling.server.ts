import { db, inBatches } from '#platform/database/database.server.ts';
import { documentsSettled } from './events.server.ts';
import { PROBLEMS } from './fiscal-documents.ts';
import type { FiscalDocuments } from './schema.server.ts';

/**
 * Settles where the documents with access keys stand, in the open transaction: from all copies and events that the firm has
 * of each, whatever came first. Called for the keys of which a copy or an event is added.
 */
export async function settle(companyId: string, accessKeys: readonly string[]): Promise<void> {
  for (const keys of inBatches(accessKeys.filter((key) => key !== ''))) {
    const documents = await db()
      .selectFrom('fiscal_documents')
      .select(['document_id', 'access_key', 'problems', 'state', 'state_at'])
      .where('company_id', '=', companyId)
      .where('access_key', 'in', keys)
      .execute();
    if (documents.length === 0) continue;
    const cancellations = await cancellationsOf(companyId, keys);
    const copies = await copiesByDocument(documents.map(({ document_id: id }) => id));
    for (const { document_id: id, access_key: key, ...current } of documents) {
      const own = copies.get(id);
      if (own) await settleDocument(id, current, { copies: own, cancelled: cancellations.get(key) });
    }
    const settled = new Set(documents.map((document) => document.access_key));
    await documentsSettled.announce({ companyId, accessKeys: [...settled] });
  }
}

type Current = Pick<FiscalDocuments, 'problems' | 'state' | 'state_at'>;
type Copy = Awaited<ReturnType<typeof copiesOf>>[number];

async function settleDocument(
  id: string,
  current: Current,
  { copies, cancelled }: { copies: readonly Copy[]; cancelled: { at: number | null } | undefined },
): Promise<void> {
  const own = copies.find(({ own_state: state }) => state === 'cancelled') ?? copies[0];
  if (!own) return;
  const settled: Current = {
    state: cancelled ? 'cancelled' : own.own_state,
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

/** The copies of a document, the best first. */
export const copiesOf = (documentId: string) => copiesOfAll([documentId]);

async function copiesByDocument(documentIds: readonly string[]): Promise<Map<string, Copy[]>> {
  const found = new Map<string, Copy[]>();
  for (const ids of inBatches(documentIds))
    for (const copy of await copiesOfAll(ids))
      found.set(copy.document_id, [...(found.get(copy.document_id) ?? []), copy]);
  return found;
}

const copiesOfAll = (documentIds: readonly string[]) =>
  db()
    .selectFrom('fiscal_copies')
    .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_copies.file_id')
    .select([
      'fiscal_copies.document_id',
      'fiscal_copies.file_id',
      'fiscal_copies.rank',
      'fiscal_copies.content_digest',
      'fiscal_copies.own_state',
      'fiscal_copies.own_state_at',
      'fiscal_files.sha256',
      'fiscal_files.name',
      'fiscal_files.stored_at',
    ])
    .where('fiscal_copies.document_id', 'in', documentIds)
    .orderBy('fiscal_copies.rank', 'desc')
    .orderBy('fiscal_files.sha256')
    .execute();

/** The earliest registered cancellation of each key that has one. */
async function cancellationsOf(
  companyId: string,
  accessKeys: readonly string[],
): Promise<Map<string, { at: number | null }>> {
  const rows = await db()
    .selectFrom('fiscal_events')
    .select((e) => ['access_key', e.fn.min('happened_at').as('at')])
    .where('company_id', '=', companyId)
    .where('access_key', 'in', accessKeys)
    .where('cancels', '=', 1)
    .groupBy('access_key')
    .execute();
  return new Map(rows.map(({ access_key: key, at }) => [key, { at: at === null ? null : Number(at) }]));
}

function withDifference(problems: number, copies: readonly { content_digest: string }[]): number {
  const differ = new Set(copies.map(({ content_digest: digest }) => digest)).size > 1;
  const others = problems & ~PROBLEMS.differentCopies;
  return differ ? others | PROBLEMS.differentCopies : others;
}
