import { withMask } from '#platform/inputs/masks.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { cityName } from './cities.server.ts';
import { present } from './internal/rows.server.ts';
import { weekdaysText } from './weekdays.server.ts';

/** The establishments of a client in an export of all data. */
export const exportedEstablishments: Contributions['exports'][number] = {
  of: 'client',
  name: 'establishments.csv',
  text: text('establishments', 'exportFile'),
  content: ({ lang }, { ids }) =>
    exportedTable(
      lang,
      ['cnpj', 'name', 'isHeadOffice', 'stateRegistration', 'city', 'restDays', 'createdAt', 'isDeleted'],
      eachRow(establishmentsOf(ids), (row) => ({
        cnpj: withMask('cnpj', row.cnpj),
        name: row.name,
        isHeadOffice: row.is_head_office === 1,
        stateRegistration: row.state_registration,
        city: cityName(row.city) || row.city,
        restDays: weekdaysText(lang, present(row).restDays),
        createdAt: { at: row.created_at },
        isDeleted: row.removed_at !== null,
      })),
    ),
};

const establishmentsOf = (clientIds: readonly string[]) =>
  rowPages(['client_id', 'cnpj', 'establishment_id'], (page) =>
    db().selectFrom('establishments').selectAll().where('client_id', 'in', clientIds).$call(page).execute(),
  );
