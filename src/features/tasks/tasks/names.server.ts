import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { formTitles } from './task-forms.server.ts';
import { taskTitle } from './titles.server.ts';

export const taskNames: NamesOf = async (ids, { lang }) => {
  const rows = await db()
    .selectFrom('tasks')
    .select(['task_id', 'type', 'kind', 'label', 'tax_year', 'form_id'])
    .where('task_id', 'in', ids)
    .execute();
  const titles = await formTitles(rows.map(({ form_id: id }) => id));
  return rows.map((row) => ({
    id: row.task_id,
    name: taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
  }));
};
