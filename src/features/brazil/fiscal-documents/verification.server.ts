import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { unpack } from './internal/packs.server.ts';

/** Compares every file with its bytes, and the rows with each other; a sentence for each fault. */
export async function verifyFiscalDocuments(): Promise<string[]> {
  const faults: string[] = [];
  const pages = rowPages(['fiscal_files.file_id'], (page) =>
    db()
      .selectFrom('fiscal_files')
      .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
      .leftJoin('blobs', 'blobs.blob_key', 'fiscal_packs.blob_key')
      .select([
        'fiscal_files.file_id',
        'fiscal_files.sha256',
        'fiscal_files.size',
        'fiscal_files.pack_offset',
        'fiscal_files.pack_length',
        'fiscal_packs.blob_key',
        'blobs.size as blob_size',
      ])
      .$call(page)
      .execute(),
  );
  for await (const rows of pages)
    for (const row of rows) {
      const isInside = row.pack_offset + row.pack_length <= (row.blob_size ?? 0);
      if (!isInside) faults.push(`the fiscal file ${row.file_id} is not in its pack`);
      else if (!(await hasItsBytes(row)))
        faults.push(`the bytes of the fiscal file ${row.file_id} differ from those that came in`);
    }
  const lost = await db()
    .selectFrom('fiscal_documents')
    .leftJoin('fiscal_copies', (join) =>
      join
        .onRef('fiscal_copies.document_id', '=', 'fiscal_documents.document_id')
        .onRef('fiscal_copies.file_id', '=', 'fiscal_documents.file_id'),
    )
    .select('fiscal_documents.document_id')
    .where('fiscal_documents.kind', '<>', 'other')
    .where('fiscal_copies.rank', 'is', null)
    .execute();
  faults.push(...lost.map(({ document_id: id }) => `the fiscal document ${id} has no copy`));
  return faults;
}

async function hasItsBytes(
  row: Parameters<typeof unpack>[0] & { sha256: string; size: number },
): Promise<boolean> {
  try {
    const bytes = await unpack(row);
    return bytes.length === row.size && sha256(bytes) === row.sha256;
  } catch {
    return false; // damaged bytes are a fault of this file, not of the check
  }
}
