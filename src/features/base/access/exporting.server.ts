import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The permissions, controls and flags that were set for the contacts of a client; all of the firm's in an export of it. */
export const exportedAccess: Contributions['exports'] = [
  {
    of: 'client',
    name: 'access.csv',
    text: text('access', 'exportContacts'),
    content: ({ lang, firm }, { ids }) =>
      exportedTable(lang, EXPORT_COLUMNS, eachRow(settingsOfContacts(firm.companyId, ids), present)),
  },
  {
    of: 'export',
    name: 'access-settings.csv',
    text: text('access', 'exportFirm'),
    isInternal: true,
    content: ({ lang, firm }) =>
      exportedTable(lang, EXPORT_COLUMNS, eachRow(settingsOfFirm(firm.companyId), present)),
  },
];

const EXPORT_COLUMNS = ['contactName', 'kind', 'setting', 'isGranted', 'contact'] as const;

const present = (row: {
  contact_id: string;
  full_name: string | null;
  kind: string;
  name: string;
  granted: number;
}) => ({
  contact: row.contact_id,
  contactName: row.full_name,
  kind: row.kind,
  setting: row.name,
  isGranted: row.granted === 1,
});

const ORDER = ['access_settings.contact_id', 'access_settings.kind', 'access_settings.name'];

/** Settings for everybody have no contact. */
const settingsOfFirm = (companyId: string) =>
  rowPages(ORDER, (page) =>
    settings().where('access_settings.company_id', '=', companyId).$call(page).execute(),
  );

const settingsOfContacts = (companyId: string, clientIds: readonly string[]) =>
  rowPages(ORDER, (page) =>
    settings()
      .where('access_settings.company_id', '=', companyId)
      .where('access_settings.contact_id', 'in', (e) =>
        e
          .selectFrom('client_contacts')
          .select('client_contacts.contact_id')
          .where('client_contacts.client_id', 'in', clientIds),
      )
      .$call(page)
      .execute(),
  );

const settings = () =>
  db()
    .selectFrom('access_settings')
    .leftJoin('contacts', 'contacts.contact_id', 'access_settings.contact_id')
    .selectAll('access_settings')
    .select('contacts.full_name');
