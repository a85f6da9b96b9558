import { sql } from 'kysely';
import { UPLOAD_FOLDERS } from '#features/documents/folders/folders.ts';
import { lockedContainers } from '#features/documents/folders/roles.server.ts';
import { db } from '#platform/database/database.server.ts';
import { CATEGORIES, type Category, type RetentionRules } from './retention.ts';

/** A document whose retention period is over. */
export interface DueDocument {
  id: string;
  clientId: string;
  category: Category;
  size: number;
}

const PAGE = 500;

/**
 * Finds the documents of a firm whose period is over at an instant, client by client, in pages: not those that are
 * locked, of clients under a legal hold, or that were moved before and restored.
 */
export async function* dueDocuments(
  companyId: string,
  rules: RetentionRules,
  instant: number,
): AsyncGenerator<DueDocument[], void> {
  const years = CATEGORIES.map((category) => Number(rules[category])).filter((period) => period > 0);
  if (years.length === 0) return;
  const addedBefore = yearsAfter(instant, -Math.min(...years));
  const clients = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('company_id', '=', companyId)
    .where('client_id', 'not in', db().selectFrom('legal_holds').select('legal_holds.client_id'))
    .orderBy('client_id')
    .execute();
  for (const { client_id: clientId } of clients) {
    const folders = await foldersOf(clientId);
    for (let after = 0; ;) {
      const rows = await candidates(clientId, addedBefore, after);
      const due = rows.flatMap((row): DueDocument[] => {
        const folder = folders.get(row.container_id);
        const category = isXml(row.mime_type) ? 'xml' : (folder?.category ?? 'other');
        const period = Number(rules[category]);
        const from = Math.max(row.created_at, folder?.endOfYear ?? 0);
        if (period === 0 || yearsAfter(from, period) > instant) return [];
        return [{ id: row.document_id, clientId, category, size: row.size }];
      });
      if (due.length > 0) yield due;
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.seq ?? after;
    }
  }
}

const candidates = (clientId: string, addedBefore: number, after: number) =>
  db()
    .selectFrom('documents')
    .select(['document_id', 'seq', 'container_id', 'mime_type', 'created_at', 'size'])
    .where('documents.client_id', '=', clientId)
    .where('documents.deleted_at', 'is', null)
    .where('documents.created_at', '<=', addedBefore)
    .where('documents.seq', '>', after)
    .where(sql<boolean>`documents.container_id not in (${lockedContainers})`)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('item_locks')
            .select('item_locks.item_id')
            .whereRef('item_locks.item_id', '=', 'documents.document_id'),
        ),
      ),
    )
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('retention_moves')
            .select('retention_moves.document_id')
            .whereRef('retention_moves.document_id', '=', 'documents.document_id'),
        ),
      ),
    )
    .orderBy('documents.seq')
    .limit(PAGE)
    .execute();

interface Folder {
  category: Category;
  /** The end of the year that the folder, or one above it, is about. */
  endOfYear: number;
}

/** What each folder of a client counts as, by id. */
async function foldersOf(clientId: string): Promise<Map<string, Folder>> {
  const rows = await db()
    .selectFrom('containers')
    .select(['container_id', 'parent_id', 'container_type', 'product_type', 'processing_year'])
    .where('client_id', '=', clientId)
    .execute();
  const byId = new Map(rows.map((row) => [row.container_id, row]));
  return new Map(
    rows.map((row) => {
      const folder: Folder = { category: 'other', endOfYear: 0 };
      for (let at: typeof row | undefined = row; at; at = byId.get(at.parent_id ?? '')) {
        if (at.container_type === 'project') folder.category = 'projects';
        if (at.product_type === UPLOAD_FOLDERS.uploads) folder.category = 'uploads';
        if (at.product_type === UPLOAD_FOLDERS.firm) folder.category = 'published';
        const end = at.processing_year === null ? 0 : Date.UTC(at.processing_year + 1, 0, 1);
        folder.endOfYear = Math.max(folder.endOfYear, end);
      }
      return [row.container_id, folder];
    }),
  );
}

const isXml = (mimeType: string): boolean => mimeType === 'application/xml' || mimeType === 'text/xml';

/** The instant some years later, in UTC. */
function yearsAfter(instant: number, years: number): number {
  const date = new Date(instant);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
