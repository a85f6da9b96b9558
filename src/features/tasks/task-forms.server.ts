import { checkTemplate } from '#features/questionnaires/checks.server.ts';
import type { Answers, Template } from '#features/questionnaires/questionnaires.ts';
import { forTaxYear } from '#features/questionnaires/rules.ts';
import { now } from '#platform/clock.server.ts';
import { newId, sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { answersOf } from './internal/answers.server.ts';

/** Checks what a task is to ask; INVALID with the first problems. */
export function checkedForm(body: unknown): Template {
  const checked = checkTemplate(body);
  if ('problems' in checked)
    throw new PortalError('INVALID', { field: 'form', problems: checked.problems.slice(0, 20) });
  return checked.template;
}

/** Stores what tasks of a firm ask, once, and returns its id. */
export async function storeForm(companyId: string, form: Template): Promise<string> {
  const body = JSON.stringify(form);
  const digest = sha256(body);
  await db()
    .insertInto('task_forms')
    .values({ form_id: newId('taskform'), company_id: companyId, sha256: digest, body, created_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { form_id: id } = await db()
    .selectFrom('task_forms')
    .select('form_id')
    .where('company_id', '=', companyId)
    .where('sha256', '=', digest)
    .executeTakeFirstOrThrow();
  return id;
}

/** What a task asks, with the texts of its tax year; undefined for a task without questions. */
export async function formOfTask(row: {
  form_id: string | null;
  tax_year: number | null;
}): Promise<Template | undefined> {
  if (row.form_id === null) return undefined;
  const { body } = await db()
    .selectFrom('task_forms')
    .select('body')
    .where('form_id', '=', row.form_id)
    .executeTakeFirstOrThrow();
  return forTaxYear(JSON.parse(body) as Template, row.tax_year ?? undefined);
}

/** The answers to the questions of a task, by path, and their versions; comments are no answers. */
export async function questionAnswers(
  taskId: string,
): Promise<{ answers: Answers; versions: ReadonlyMap<string, number> }> {
  const stored = [...((await answersOf([taskId])).get(taskId)?.values() ?? [])];
  const own = stored.filter(({ path }) => !isReserved(path));
  return {
    answers: Object.fromEntries(
      own.filter(({ value }) => value !== null).map(({ path, value }) => [path, value]),
    ) as Answers,
    versions: new Map(own.map(({ path, version }) => [path, version])),
  };
}

/** Paths of comments: `#comment`, `#not-apply`, and those of steps. */
export const isReserved = (path: string): boolean => /^\d*#(?:comment|not-apply)$/.test(path);

/** The path of a comment, on the task or on one of its steps. */
export const isComment = (path: string): boolean => /^\d*#comment$/.test(path);
