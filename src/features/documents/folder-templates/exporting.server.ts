import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The folder templates of a firm, each as an indented list. */
export const exportedTemplates: Contributions['exports'][number] = {
  of: 'export',
  name: 'folder-templates.csv',
  text: text('templates', 'exportFile'),
  isInternal: true,
  content: ({ lang, firm }) =>
    exportedTable(
      lang,
      ['name', 'kind', 'value', 'createdAt', 'id'],
      eachRow(templatesOf(firm.companyId), (row) => ({
        id: row.template_id,
        name: row.name,
        kind: row.client_kind,
        value: row.folders,
        createdAt: { at: row.created_at },
      })),
    ),
};

const templatesOf = (companyId: string) =>
  rowPages(['folder_templates.template_id'], (page) =>
    db().selectFrom('folder_templates').selectAll().where('company_id', '=', companyId).$call(page).execute(),
  );
