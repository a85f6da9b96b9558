import { withMask } from '#platform/inputs/masks.ts';
import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { agencyName } from './agency-names.server.ts';
import { RESULT_TEXTS, STATUS_TEXTS } from './texts.ts';

/** The agencies that are followed for a client and their certificates, in an export of all data. The PDFs are documents. */
export const exportedCertificates: Contributions['exports'] = [
  {
    of: 'client',
    name: 'clearance-agencies.csv',
    text: text('clearance-certificates', 'exportAgencies'),
    content: ({ lang }, { ids }) => {
      const t = translationsFor(lang, 'clearance-certificates');
      return exportedTable(
        lang,
        ['name', 'status', 'expiresOn', 'createdAt', 'createdBy', 'isDeleted', 'id'],
        eachRow(agenciesOf(ids), (row) => ({
          id: row.client_agency_id,
          name: agencyName(lang, row.agency_id),
          status: row.result === '' ? '' : t(RESULT_TEXTS[row.result]),
          expiresOn: row.valid_until,
          createdAt: { at: row.created_at },
          createdBy: row.full_name ?? row.created_by,
          isDeleted: row.ended_at !== null,
        })),
      );
    },
  },
  {
    of: 'client',
    name: 'clearance-certificates.csv',
    text: text('clearance-certificates', 'exportCertificates'),
    content: ({ lang }, { ids, pathOf }) => {
      const t = translationsFor(lang, 'clearance-certificates');
      return exportedTable(
        lang,
        [
          'name',
          'status',
          'decision',
          'number',
          'code',
          'cnpj',
          'issuedOn',
          'expiresOn',
          'message',
          'by',
          'at',
          'takenBackAt',
          'path',
          'document',
          'id',
        ],
        eachRow(attemptsIn(ids), (row) => ({
          id: row.attempt_id,
          name: agencyName(lang, row.agency_id),
          status: t(STATUS_TEXTS[row.status]),
          decision: row.result === '' ? '' : t(RESULT_TEXTS[row.result]),
          number: decryptFrom('cnd_attempts.number', row.attempt_id, row.number),
          code: decryptFrom('cnd_attempts.control_code', row.attempt_id, row.control_code),
          cnpj: withMask('cnpj', row.cnpj),
          issuedOn: row.issued_on,
          expiresOn: row.valid_until,
          message: decryptFrom('cnd_attempts.note', row.attempt_id, row.note),
          by: row.full_name ?? row.created_by,
          at: { at: row.created_at },
          takenBackAt: { at: row.withdrawn_at },
          path: row.document_id === null ? '' : pathOf(row.document_id),
          document: row.document_id,
        })),
      );
    },
  },
];

const agenciesOf = (clientIds: readonly string[]) =>
  rowPages(['cnd_client_agencies.client_agency_id'], (page) =>
    db()
      .selectFrom('cnd_client_agencies')
      .leftJoin('contacts', 'contacts.contact_id', 'cnd_client_agencies.created_by')
      .selectAll('cnd_client_agencies')
      .select('contacts.full_name')
      .where('cnd_client_agencies.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

const attemptsIn = (clientIds: readonly string[]) =>
  rowPages(['cnd_attempts.attempt_id'], (page) =>
    db()
      .selectFrom('cnd_attempts')
      .innerJoin(
        'cnd_client_agencies',
        'cnd_client_agencies.client_agency_id',
        'cnd_attempts.client_agency_id',
      )
      .leftJoin('contacts', 'contacts.contact_id', 'cnd_attempts.created_by')
      .selectAll('cnd_attempts')
      .select(['cnd_client_agencies.agency_id', 'contacts.full_name'])
      .where('cnd_attempts.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
