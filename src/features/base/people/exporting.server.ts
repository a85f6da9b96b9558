import { decryptFrom } from '#platform/security/encryption.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** Everyone of a firm: its team with their roles, and all contacts, also those of no client. */
export const exportedPeople: Contributions['exports'][number] = {
  of: 'export',
  name: 'people.csv',
  text: text('directory', 'exportPeople'),
  isInternal: true,
  content: ({ lang, firm }) =>
    exportedTable(
      lang,
      ['name', 'email', 'role', 'language', 'createdAt', 'isSuspended', 'isDeleted', 'contact'],
      eachRow(peopleOf(firm.companyId), (row) => ({
        contact: row.contact_id,
        name: row.full_name,
        email: decryptFrom('users.email', row.prism_guid, row.email),
        role: { word: row.role },
        language: row.language,
        createdAt: { at: row.created_at },
        isSuspended: row.suspended_at !== null,
        isDeleted: row.removed_at !== null,
      })),
    ),
};

const peopleOf = (companyId: string) =>
  rowPages(['contacts.name_key', 'contacts.contact_id'], (page) =>
    db()
      .selectFrom('contacts')
      .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
      .selectAll('contacts')
      .select(['users.email', 'users.language'])
      .where('contacts.company_id', '=', companyId)
      .$call(page)
      .execute(),
  );
