import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { streamedZip } from '#platform/storage/zip.server.ts';
import { unpack } from './internal/packs.server.ts';
import type { MonthOf } from './months.server.ts';
import { assertStorageOpen } from './ordered.server.ts';

/**
 * All files of a month of an archive in one ZIP, as they came in: those of its documents, and of what happened to these.
 * Read while it is sent.
 */
export async function exportMonth(actor: Actor, of: MonthOf): Promise<AsyncIterable<Buffer>> {
  await assertStorageOpen(actor);
  await assertActsFor(actor, of.clientId);
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'fiscal.export',
    target: of.clientId,
    clientId: of.clientId,
    details: { month: of.month, storage: of.storage },
  });
  return streamedZip(entriesOf(of), now());
}

async function* entriesOf(of: MonthOf) {
  const names = new Set<string>();
  for (const files of [documentFiles(of), eventFiles(of)])
    for await (const rows of files)
      for (const row of rows) {
        const name = freeName(names, nameOf(row));
        names.add(name);
        yield { name, content: () => bytesOf(row) };
      }
}

async function* bytesOf(row: Parameters<typeof unpack>[0]): AsyncGenerator<Buffer, void> {
  yield await unpack(row);
}

interface Named {
  access_key: string;
  name: string;
  type?: string;
}

function nameOf({ access_key: key, name, type }: Named): string {
  if (type !== undefined) return `${key}-${type || 'event'}.xml`;
  return key === '' ? name.replace(/(?:\.xml)?$/i, '.xml').replaceAll(/[\\/]/g, '_') : `${key}.xml`;
}

function freeName(taken: ReadonlySet<string>, name: string): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : name.replace(/\.xml$/, ` (${count}).xml`);
    if (!taken.has(candidate)) return candidate;
  }
}

const documentFiles = ({ clientId, storage, month }: MonthOf) =>
  rowPages(
    ['fiscal_documents.issued_at', 'fiscal_documents.document_id'],
    (page) =>
      db()
        .selectFrom('fiscal_documents')
        .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_documents.file_id')
        .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
        .select([
          'fiscal_documents.issued_at',
          'fiscal_documents.document_id',
          'fiscal_documents.access_key',
          'fiscal_files.name',
          'fiscal_packs.blob_key',
          'fiscal_files.pack_offset',
          'fiscal_files.pack_length',
        ])
        .where('fiscal_documents.client_id', '=', clientId)
        .where('fiscal_documents.storage', '=', storage)
        .where('fiscal_documents.issued_month', '=', month)
        .$call(page)
        .execute(),
    { size: 250 },
  );

/** Files with events of these documents that are not those of the documents themselves. */
const eventFiles = ({ clientId, storage, month }: MonthOf) =>
  rowPages(
    ['fiscal_events.event_id'],
    (page) =>
      db()
        .selectFrom('fiscal_documents')
        .innerJoin('fiscal_events', 'fiscal_events.access_key', 'fiscal_documents.access_key')
        .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_events.file_id')
        .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
        .select([
          'fiscal_events.event_id',
          'fiscal_events.access_key',
          'fiscal_events.type',
          'fiscal_files.name',
          'fiscal_packs.blob_key',
          'fiscal_files.pack_offset',
          'fiscal_files.pack_length',
        ])
        .where('fiscal_documents.client_id', '=', clientId)
        .where('fiscal_documents.storage', '=', storage)
        .where('fiscal_documents.issued_month', '=', month)
        .where('fiscal_documents.access_key', '<>', '')
        .where('fiscal_events.client_id', '=', clientId)
        .whereRef('fiscal_events.file_id', '<>', 'fiscal_documents.file_id')
        .whereRef('fiscal_events.company_id', '=', 'fiscal_documents.company_id')
        .$call(page)
        .execute(),
    { size: 250 },
  );
