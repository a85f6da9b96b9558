import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The terms of a firm, and who has accepted which. */
export const exportedTerms: Contributions['exports'] = [
  {
    of: 'export',
    name: 'terms.csv',
    text: text('session', 'exportTerms'),
    isInternal: true,
    content: ({ lang, firm }) =>
      exportedTable(
        lang,
        ['version', 'language', 'at', 'sha256', 'text'],
        eachRow(termsOf(firm.companyId), (row) => ({
          version: row.version,
          language: row.language,
          at: { at: row.published_at },
          sha256: row.sha256,
          text: row.body,
        })),
      ),
  },
  {
    of: 'export',
    name: 'terms-acceptances.csv',
    text: text('session', 'exportAcceptances'),
    isInternal: true,
    content: ({ lang, firm }) =>
      exportedTable(
        lang,
        ['contactName', 'version', 'language', 'sha256', 'acceptedAt', 'contact'],
        eachRow(acceptancesIn(firm.companyId), (row) => ({
          contact: row.contact_id,
          contactName: row.full_name,
          version: row.version,
          language: row.language,
          sha256: row.sha256,
          acceptedAt: { at: row.accepted_at },
        })),
      ),
  },
];

const termsOf = (companyId: string) =>
  rowPages(['terms.version', 'terms.language'], (page) =>
    db().selectFrom('terms').selectAll().where('company_id', '=', companyId).$call(page).execute(),
  );

const acceptancesIn = (companyId: string) =>
  rowPages(['terms_acceptances.contact_id', 'terms_acceptances.version'], (page) =>
    db()
      .selectFrom('terms_acceptances')
      .leftJoin('contacts', 'contacts.contact_id', 'terms_acceptances.contact_id')
      .selectAll('terms_acceptances')
      .select('contacts.full_name')
      .where('terms_acceptances.company_id', '=', companyId)
      .$call(page)
      .execute(),
  );
