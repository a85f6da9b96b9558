import { db } from '#platform/database/database.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';

/** The dates by which contacts of a client said that they would finish their tasks. */
export const exportedPromises: Contributions['exports'][number] = {
  of: 'client',
  name: 'promises.csv',
  text: text('reminders', 'exportPromises'),
  content: ({ lang }, { ids }) =>
    exportedTable(
      lang,
      ['promisedOn', 'contactName', 'createdAt', 'task', 'contact'],
      eachRow(promisesOf(ids), (row) => ({
        task: row.task_id,
        promisedOn: row.promised_on,
        contact: row.contact_id,
        contactName: row.full_name,
        createdAt: { at: row.created_at },
      })),
    ),
};

const promisesOf = (clientIds: readonly string[]) =>
  rowPages(['task_promises.task_id', 'task_promises.contact_id'], (page) =>
    db()
      .selectFrom('task_promises')
      .innerJoin('tasks', 'tasks.task_id', 'task_promises.task_id')
      .leftJoin('contacts', 'contacts.contact_id', 'task_promises.contact_id')
      .selectAll('task_promises')
      .select('contacts.full_name')
      .where('tasks.client_id', 'in', clientIds)
      .where('tasks.deleted_at', 'is', null)
      .$call(page)
      .execute(),
  );
