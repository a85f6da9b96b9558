import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { shownNumber } from './service-requests.ts';

/** The numbers of requests with their kinds, for the audit log. */
export const requestNames: NamesOf = async (ids, { lang }) => {
  const t = translationsFor(lang, 'service-requests');
  const rows = await db()
    .selectFrom('service_requests')
    .select(['request_id', 'type', 'year', 'number'])
    .where('request_id', 'in', ids)
    .execute();
  return rows.map((row) => ({
    id: row.request_id,
    name: t('requestTitle', {
      type: t(`type_${row.type}`),
      number: shownNumber(Number(row.year), Number(row.number)),
    }),
  }));
};
