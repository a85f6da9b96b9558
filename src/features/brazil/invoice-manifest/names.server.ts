import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { invoiceName } from './internal/store.server.ts';

/** The invoices of the audit log. */
export const invoiceNames: NamesOf = async (ids) => {
  const rows = await db()
    .selectFrom('manifest_documents')
    .select(['manifest_id', 'number', 'series', 'access_key'])
    .where('manifest_id', 'in', ids)
    .execute();
  return rows.map((row) => ({ id: row.manifest_id, name: `NF-e ${invoiceName(row)}` }));
};
