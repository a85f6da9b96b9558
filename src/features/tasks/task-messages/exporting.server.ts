import { formTitles } from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { rowPages } from '#platform/database/row-pages.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { messagesOf } from './scope.server.ts';

/**
 * The messages on the tasks of a client in an export of all data, by task and in their order. The notes of the firm are
 * in an export of the whole firm only.
 */
export const exportedMessages: Contributions['exports'][number] = {
  of: 'client',
  name: 'messages.csv',
  text: ({ clientId }) => text('task-messages', clientId === null ? 'exportFileNotes' : 'exportFile'),
  content: ({ actor, clientId, lang }, { ids }) =>
    exportedTable(
      lang,
      ['title', 'number', 'at', 'name', 'isByFirm', 'isInternal', 'isDeleted', 'text', 'task'],
      messageRows(actor, { lang, clientIds: ids, withNotes: clientId === null }),
    ),
};

async function* messageRows(
  actor: Actor,
  { lang, clientIds, withNotes }: { lang: Lang; clientIds: readonly string[]; withNotes: boolean },
) {
  const pages = rowPages(['task_messages.task_id', 'task_messages.number'], (page) =>
    messagesOf(actor, { withDeleted: true })
      .innerJoin('contacts', 'contacts.contact_id', 'task_messages.created_by')
      .selectAll('task_messages')
      .select([
        'contacts.full_name',
        'tasks.type',
        'tasks.kind',
        'tasks.label',
        'tasks.tax_year',
        'tasks.form_id',
      ])
      .where('tasks.client_id', 'in', clientIds)
      .$if(!withNotes, (messages) => messages.where('task_messages.is_internal', '=', 0))
      .$call(page)
      .execute(),
  );
  for await (const rows of pages) {
    const titles = await formTitles(rows.map(({ form_id: id }) => id));
    for (const row of rows)
      yield {
        task: row.task_id,
        title: taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
        number: Number(row.number),
        at: { at: row.created_at },
        name: row.full_name,
        isByFirm: row.by_staff === 1,
        isInternal: row.is_internal === 1,
        isDeleted: row.withdrawn_at !== null,
        text: row.body === null ? '' : decryptFrom('task_messages.body', row.message_id, row.body),
      };
  }
}
