import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { invoiceName } from './internal/store.server.ts';
import { EVENT_TEXTS, INTENT_TEXTS, STATE_TEXTS, STATUS_TEXTS } from './texts.server.ts';

/** The invoices that others issued to a client, what people wanted and what is registered, in an export of all data. */
export const exportedManifest: Contributions['exports'] = [
  {
    of: 'client',
    name: 'invoices-to-manifest.csv',
    text: text('invoice-manifest', 'exportInvoices'),
    content: ({ lang }, { ids }) => {
      const t = translationsFor(lang, 'invoice-manifest');
      return exportedTable(
        lang,
        [
          'number',
          'issuer',
          'cnpj',
          'amount',
          'at',
          'dueOn',
          'status',
          'decision',
          'accessKey',
          'document',
          'id',
        ],
        eachRow(invoicesIn(ids), (row) => ({
          id: row.manifest_id,
          number: invoiceName(row),
          issuer: row.issuer_name,
          cnpj: row.issuer_id,
          amount: { minor: Number(row.total_cents) },
          at: { at: Number(row.authorized_at) },
          dueOn: row.last_day,
          status: t(STATUS_TEXTS[row.status]),
          decision: t(INTENT_TEXTS[row.intent]),
          accessKey: row.access_key,
          document: row.document_id,
        })),
      );
    },
  },
  {
    of: 'client',
    name: 'manifest-intents.csv',
    text: text('invoice-manifest', 'exportIntents'),
    content: ({ lang }, { ids }) => {
      const t = translationsFor(lang, 'invoice-manifest');
      return exportedTable(
        lang,
        [
          'decision',
          'state',
          'text',
          'isByFirm',
          'by',
          'at',
          'decidedAt',
          'reason',
          'receipt',
          'document',
          'id',
        ],
        eachRow(intentsIn(ids), (row) => ({
          id: row.intent_id,
          document: row.manifest_id,
          decision: t(EVENT_TEXTS[row.event]),
          receipt: row.receipt,
          state: t(STATE_TEXTS[row.state]),
          text: decryptFrom('manifest_intents.justification', row.intent_id, row.justification),
          isByFirm: row.by_staff === 1,
          by: row.full_name ?? row.marked_by,
          at: { at: Number(row.marked_at) },
          decidedAt: { at: row.decided_at === null ? null : Number(row.decided_at) },
          reason: decryptFrom('manifest_intents.reason', row.intent_id, row.reason),
        })),
      );
    },
  },
  {
    of: 'client',
    name: 'manifest-events.csv',
    text: text('invoice-manifest', 'exportEvents'),
    content: ({ lang }, { ids }) => {
      const t = translationsFor(lang, 'invoice-manifest');
      return exportedTable(
        lang,
        ['decision', 'number', 'code', 'at', 'document', 'id'],
        eachRow(eventsIn(ids), (row) => ({
          id: row.event_id,
          document: row.manifest_id,
          decision: t(EVENT_TEXTS[row.event]),
          number: Number(row.sequence),
          code: row.protocol,
          at: { at: Number(row.registered_at) },
        })),
      );
    },
  },
];

const invoicesIn = (clientIds: readonly string[]) =>
  rowPages(['manifest_documents.manifest_id'], (page) =>
    db()
      .selectFrom('manifest_documents')
      .selectAll()
      .where('client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const eventsIn = (clientIds: readonly string[]) =>
  rowPages(['manifest_events.event_id'], (page) =>
    db().selectFrom('manifest_events').selectAll().where('client_id', 'in', clientIds).$call(page).execute(),
  );

const intentsIn = (clientIds: readonly string[]) =>
  rowPages(['manifest_intents.intent_id'], (page) =>
    db()
      .selectFrom('manifest_intents')
      .leftJoin('contacts', 'contacts.contact_id', 'manifest_intents.marked_by')
      .selectAll('manifest_intents')
      .select('contacts.full_name')
      .where('manifest_intents.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
