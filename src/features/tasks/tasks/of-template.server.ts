import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';

/** The clients, among these or all of the firm, that have a task of a template and tax year, a cancelled one aside. */
export async function clientsWithTask(
  { companyId }: Pick<Actor, 'companyId'>,
  of: { templateId: string; taxYear: number | null } | undefined,
  among?: readonly string[],
): Promise<Set<string>> {
  if (!of) return new Set();
  const found = db()
    .selectFrom('tasks')
    .select('client_id')
    .where('company_id', '=', companyId)
    .where('template_id', '=', of.templateId)
    .where('tax_year', of.taxYear === null ? 'is' : '=', of.taxYear)
    .where('deleted_at', 'is', null)
    .where('status', '!=', 'Cancelled');
  const rows = among
    ? (
        await Promise.all(inBatches(among).map((some) => found.where('client_id', 'in', some).execute()))
      ).flat()
    : await found.execute();
  return new Set(rows.map((row) => row.client_id));
}

/** Whether nobody has done anything with a task since it was created. */
export async function isUntouched(taskId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('tasks')
    .select('task_id')
    .where('task_id', '=', taskId)
    .where('status', '=', 'New')
    .where('version', '=', 1)
    .where('deleted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('task_answers').select('path').whereRef('task_answers.task_id', '=', 'tasks.task_id'),
        ),
      ),
    )
    .executeTakeFirst();
  return row !== undefined;
}
