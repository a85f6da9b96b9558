import type { Actor } from '#features/people/people.ts';
import { formTitles } from '#features/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/titles.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import type { Lang } from '#platform/languages.ts';
import { messagesOf } from './scope.server.ts';

/** A message in an export; `text` is empty if it was deleted. */
export interface ExportedMessage {
  task: string;
  title: string;
  number: number;
  at: number;
  author: string;
  isByFirm: boolean;
  isInternal: boolean;
  isDeleted: boolean;
  text: string;
}

const PAGE = 1000;

/**
 * All messages on the tasks of some clients, by task and in their order, read page by page. Without `withNotes`, the
 * notes of the firm are left out: a client may get the file.
 */
export async function* exportedMessages(
  actor: Actor,
  { lang, clientIds, withNotes }: { lang: Lang; clientIds: readonly string[]; withNotes: boolean },
): AsyncGenerator<ExportedMessage, void> {
  for (let after = { task: '', number: 0 }; ;) {
    const rows = await messagesOf(actor, { withDeleted: true })
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
      .where((e) =>
        e.or([
          e('task_messages.task_id', '>', after.task),
          e.and([e('task_messages.task_id', '=', after.task), e('task_messages.number', '>', after.number)]),
        ]),
      )
      .orderBy('task_messages.task_id')
      .orderBy('task_messages.number')
      .limit(PAGE)
      .execute();
    const titles = await formTitles(rows.map(({ form_id: id }) => id));
    for (const row of rows)
      yield {
        task: row.task_id,
        title: taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
        number: Number(row.number),
        at: row.created_at,
        author: row.full_name,
        isByFirm: row.by_staff === 1,
        isInternal: row.is_internal === 1,
        isDeleted: row.withdrawn_at !== null,
        text: row.body === null ? '' : decryptFrom('task_messages.body', row.message_id, row.body),
      };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { task: last.task_id, number: Number(last.number) };
  }
}
