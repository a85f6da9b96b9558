import { textOfAction } from '#platform/audit-actions.server.ts';
import { checkpointsOf } from '#platform/audit-anchors.server.ts';
import { db } from '#platform/database.server.ts';
import { CSV_START, csvRow } from '#platform/tabular/csv-writer.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { ExportScope } from './scope.server.ts';

/*
 * Receipts and audit log of an export: of some clients, or of the whole firm if `clientIds` is null. Read page by page
 * in the order of their numbers.
 */

type ClientIds = readonly string[] | null;
const PAGE = 1000;

/** The confirmations that the portal issued. Their hashes are a chain over all of the firm. */
export async function* receiptsCsv(
  { actor }: ExportScope,
  clientIds: ClientIds,
): AsyncGenerator<string, void> {
  const columns = [
    'number',
    'at',
    'kind',
    'document',
    'name',
    'size',
    'sha256',
    'client',
    'actor',
    'actorName',
    'code',
    'hash',
  ];
  yield CSV_START + csvRow(columns);
  for (let after = 0; ;) {
    const rows = await db()
      .selectFrom('receipts')
      .leftJoin('contacts', 'contacts.contact_id', 'receipts.actor')
      .selectAll('receipts')
      .select('contacts.full_name')
      .where('receipts.company_id', '=', actor.companyId)
      .$if(clientIds !== null, (all) => all.where('receipts.client_id', 'in', clientIds ?? []))
      .where('receipts.number', '>', after)
      .orderBy('receipts.number')
      .limit(PAGE)
      .execute();
    for (const row of rows)
      yield csvRow([
        row.number,
        new Date(row.at).toISOString(),
        row.kind,
        row.document_id,
        row.name,
        row.size,
        row.sha256,
        row.client_id,
        row.actor,
        row.full_name ?? '',
        row.code,
        row.hash,
      ]);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.number ?? after;
  }
}

async function* auditEntries({ actor }: ExportScope, clientIds: ClientIds) {
  for (let after = 0; ;) {
    const rows = await db()
      .selectFrom('audit')
      .leftJoin('contacts', 'contacts.contact_id', 'audit.actor')
      .selectAll('audit')
      .select(['contacts.full_name', 'contacts.staff'])
      .where('audit.company_id', '=', actor.companyId)
      .$if(clientIds !== null, (all) => all.where('audit.client_id', 'in', clientIds ?? []))
      .where('audit.seq', '>', after)
      .orderBy('audit.seq')
      .limit(PAGE)
      .execute();
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

/** The audit log for people, with the actions in their language. */
export async function* auditLogCsv(scope: ExportScope, clientIds: ClientIds): AsyncGenerator<string, void> {
  const t = translationsFor(scope.lang, 'staff');
  yield (
    CSV_START +
    csvRow(['number', 'at', 'actor', 'actorName', 'action', 'text', 'target', 'client', 'details'])
  );
  for await (const row of auditEntries(scope, clientIds)) {
    const text = textOfAction(row.action, row.staff === 1);
    yield csvRow([
      row.seq,
      new Date(row.at).toISOString(),
      row.actor,
      row.full_name ?? '',
      row.action,
      text ? t(text) : row.action,
      row.target,
      row.client_id ?? '',
      row.details,
    ]);
  }
}

/** The audit log for programs: a line for each entry as it is stored, from which its hash can be computed again. */
export async function* auditLogLines(scope: ExportScope, clientIds: ClientIds): AsyncGenerator<string, void> {
  for await (const { company_id: firm, seq, at, actor, action, target, details, hash } of auditEntries(
    scope,
    clientIds,
  ))
    yield `${JSON.stringify({ firm, seq, at, actor, action, target, details, hash })}\n`;
}

/** The signed checkpoints of the firm's audit log. */
export async function* checkpoints({ actor }: ExportScope): AsyncGenerator<string, void> {
  for (const line of checkpointsOf(actor.companyId)) yield `${line}\n`;
}
