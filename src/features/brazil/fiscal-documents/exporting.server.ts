import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { markedName } from '#platform/storage/archive-names.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { unpack } from './internal/packs.server.ts';

/** The fiscal documents of a client in an export of all data: every file as it came in, and what is known about it. */
export const exportedFiscalDocuments: Contributions['exports'] = [
  {
    of: 'client',
    name: 'fiscal-files.csv',
    text: text('fiscal-documents', 'exportFiles'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'size', 'sha256', 'at', 'file', 'id'],
        eachRow(filesOf(ids), (row) => ({
          id: row.file_id,
          name: row.name,
          size: row.size,
          sha256: row.sha256,
          at: { at: row.stored_at },
          file: `fiscal-files/${fileNameOf(row)}`,
        })),
      ),
    attached: async function* (_, { ids }) {
      for await (const rows of filesOf(ids))
        for (const row of rows) {
          const bytes = await bytesIfReadable(row);
          if (bytes) yield { name: fileNameOf(row), content: () => once(bytes) };
        }
    },
  },
  {
    of: 'client',
    name: 'fiscal-documents.csv',
    text: text('fiscal-documents', 'exportDocuments'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        [
          'kind',
          'series',
          'number',
          'at',
          'issuer',
          'name',
          'cnpj',
          'amount',
          'state',
          'accessKey',
          'file',
          'document',
        ],
        eachRow(documentsOf(ids), (row) => ({
          document: row.document_id,
          kind: row.kind,
          series: row.series,
          number: row.number,
          at: { at: row.issued_at },
          issuer: row.issuer_name,
          name: row.party_name,
          cnpj: row.own_id,
          amount: { minor: row.total_cents },
          state: { word: row.state },
          accessKey: row.access_key,
          file: row.file_id,
        })),
      ),
  },
  {
    of: 'client',
    name: 'fiscal-events.csv',
    text: text('fiscal-documents', 'exportEvents'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['accessKey', 'kind', 'at', 'state', 'file', 'id'],
        eachRow(eventsOf(ids), (row) => ({
          id: row.event_id,
          accessKey: row.access_key,
          kind: row.type,
          at: { at: row.happened_at },
          state: { word: row.state },
          file: row.file_id,
        })),
      ),
  },
  {
    of: 'client',
    name: 'fiscal-voids.csv',
    text: text('fiscal-documents', 'exportVoids'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['issuer', 'kind', 'series', 'firstNumber', 'lastNumber', 'at', 'state', 'file'],
        eachRow(voidsOf(ids), (row) => ({
          issuer: row.issuer_id,
          kind: row.model,
          series: row.series,
          firstNumber: row.first_number,
          lastNumber: row.last_number,
          at: { at: row.registered_at },
          state: { word: row.state },
          file: row.file_id,
        })),
      ),
  },
  {
    of: 'client',
    name: 'fiscal-month-checks.csv',
    text: text('fiscal-documents', 'exportChecks'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['month', 'kind', 'by', 'at', 'hash'],
        eachRow(checksOf(ids), (row) => ({
          month: row.month,
          kind: row.storage,
          by: row.full_name ?? row.checked_by,
          at: { at: row.checked_at },
          hash: row.counts_digest,
        })),
      ),
  },
];

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield await Promise.resolve(bytes);
}

/** Damaged files are left out: the check of the store reports them. */
async function bytesIfReadable(row: Parameters<typeof unpack>[0]): Promise<Buffer | undefined> {
  try {
    return await unpack(row);
  } catch {
    return undefined;
  }
}

const fileNameOf = (row: { file_id: string; name: string }): string =>
  markedName(/\.xml$/i.test(row.name) ? row.name : `${row.name}.xml`, row.file_id);

const filesOf = (clientIds: readonly string[]) =>
  rowPages(['fiscal_files.file_id'], (page) =>
    db()
      .selectFrom('fiscal_files')
      .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
      .selectAll('fiscal_files')
      .select('fiscal_packs.blob_key')
      .where('fiscal_files.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const documentsOf = (clientIds: readonly string[]) =>
  rowPages(['fiscal_documents.document_id'], (page) =>
    db()
      .selectFrom('fiscal_documents')
      .selectAll('fiscal_documents')
      .where('client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const eventsOf = (clientIds: readonly string[]) =>
  rowPages(['fiscal_events.event_id'], (page) =>
    db()
      .selectFrom('fiscal_events')
      .selectAll('fiscal_events')
      .where('client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const voidsOf = (clientIds: readonly string[]) =>
  rowPages(['fiscal_voids.void_id'], (page) =>
    db()
      .selectFrom('fiscal_voids')
      .selectAll('fiscal_voids')
      .where('client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const checksOf = (clientIds: readonly string[]) =>
  rowPages(
    ['fiscal_month_checks.client_id', 'fiscal_month_checks.storage', 'fiscal_month_checks.month'],
    (page) =>
      db()
        .selectFrom('fiscal_month_checks')
        .leftJoin('contacts', 'contacts.contact_id', 'fiscal_month_checks.checked_by')
        .selectAll('fiscal_month_checks')
        .select('contacts.full_name')
        .where('fiscal_month_checks.client_id', 'in', clientIds)
        .$call(page)
        .execute(),
  );
