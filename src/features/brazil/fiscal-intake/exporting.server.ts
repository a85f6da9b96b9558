import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** How the fiscal documents of a client came in, in an export of all data. */
export const exportedIntakes: Contributions['exports'] = [
  {
    of: 'client',
    name: 'fiscal-intakes.csv',
    text: text('fiscal-intake', 'exportIntakes'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'startedAt', 'by', 'source', 'state', 'id'],
        eachRow(intakesOf(ids), (row) => ({
          id: row.intake_id,
          name: row.name,
          startedAt: { at: row.created_at },
          by: row.full_name ?? row.started_by,
          source: row.source,
          state: row.state,
        })),
      ),
  },
  {
    of: 'client',
    name: 'fiscal-intake-items.csv',
    text: text('fiscal-intake', 'exportItems'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'row', 'state', 'reason', 'file', 'id'],
        eachRow(itemsOf(ids), (row) => ({
          id: row.intake_id,
          row: row.number,
          name: row.name,
          state: row.outcome,
          reason: row.code,
          file: row.file_id,
        })),
      ),
  },
];

const intakesOf = (clientIds: readonly string[]) =>
  rowPages(['fiscal_intakes.intake_id'], (page) =>
    db()
      .selectFrom('fiscal_intakes')
      .leftJoin('contacts', 'contacts.contact_id', 'fiscal_intakes.started_by')
      .selectAll('fiscal_intakes')
      .select('contacts.full_name')
      .where('fiscal_intakes.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );

/** Those of intakes for the clients: what went elsewhere is in the list of who sent it. */
const itemsOf = (clientIds: readonly string[]) =>
  rowPages(['fiscal_intake_items.intake_id', 'fiscal_intake_items.number'], (page) =>
    db()
      .selectFrom('fiscal_intake_items')
      .selectAll()
      .where('client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
