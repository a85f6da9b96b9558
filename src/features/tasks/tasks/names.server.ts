import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { formTitles } from './task-forms.server.ts';
import { taskTitle } from './titles.server.ts';

/** The columns of a task by which it is named. */
export const NAME_COLUMNS = [
  'tasks.task_id',
  'tasks.type',
  'tasks.kind',
  'tasks.label',
  'tasks.tax_year',
  'tasks.form_id',
] as const;

type NamedRow = Pick<Tables['tasks'], 'task_id' | 'type' | 'kind' | 'label' | 'tax_year' | 'form_id'>;

/** The names of tasks whose rows were read, by id. */
export async function namesOfRows(rows: readonly NamedRow[], lang: Lang): Promise<Map<string, string>> {
  const titles = await formTitles(rows.map(({ form_id: id }) => id));
  return new Map(
    rows.map((row) => [
      row.task_id,
      taskTitle(lang, { ...row, taxYear: row.tax_year }, titles.get(row.form_id ?? '')),
    ]),
  );
}

export const taskNames: NamesOf = async (ids, { lang }) => {
  const rows = await db().selectFrom('tasks').select(NAME_COLUMNS).where('task_id', 'in', ids).execute();
  return [...(await namesOfRows(rows, lang))].map(([id, name]) => ({ id, name }));
};
