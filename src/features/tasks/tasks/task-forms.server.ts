import type { StoredAnswer } from '#features/tasks/answer-editor/merging.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { forTaxYear, type TextContext } from '#features/tasks/questionnaires/rules.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { answersOf } from './answers.server.ts';

/** Checks what a task is to ask; INVALID with the first problems. */
function checkedForm(body: unknown): Template {
  const checked = checkTemplate(body);
  if ('problems' in checked)
    throw new PortalError('INVALID', { field: 'form', problems: checked.problems.slice(0, 20) });
  return checked.template;
}

/** What tasks ask, and the id by which it is stored. */
export interface StoredForm {
  form: Template;
  formId: string;
}

/** Checks and stores what tasks of a firm ask; INVALID with the first problems. */
export async function storeCheckedForm(companyId: string, body: unknown): Promise<StoredForm> {
  const form = checkedForm(body);
  return { form, formId: await storeForm(companyId, form) };
}

/** Stores what tasks of a firm ask, once, and returns its id. */
async function storeForm(companyId: string, form: Template): Promise<string> {
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

/** Lets a task ask something else, under its lock. */
export async function replaceForm(taskId: string, formId: string): Promise<void> {
  await db().updateTable('tasks').set({ form_id: formId }).where('task_id', '=', taskId).execute();
}

/** What a task asks, with the texts of its tax year; undefined for a task without questions. */
export async function formOfTask(row: {
  form_id: string | null;
  tax_year: number | null;
}): Promise<Template | undefined> {
  if (row.form_id === null) return undefined;
  return forTaxYear(await storedForm(row.form_id), row.tax_year ?? undefined);
}

/** The digest of what tasks ask, by the id of the form. */
export async function formDigest(formId: string): Promise<string> {
  const { sha256: digest } = await db()
    .selectFrom('task_forms')
    .select('sha256')
    .where('form_id', '=', formId)
    .executeTakeFirstOrThrow();
  return digest;
}

/** What the title of a form depends on. */
export type FormTitle = Pick<Template, 'label'> & TextContext;

/** The titles of forms by their ids, for lists, which would read large questionnaires for little. */
export async function formTitles(ids: readonly (string | null)[]): Promise<ReadonlyMap<string, FormTitle>> {
  const found = new Map<string, FormTitle>();
  for (const id of new Set(ids)) {
    if (id === null) continue;
    const title = titles.get(id) ?? titleOf(await storedForm(id));
    titles.set(id, title);
    found.set(id, title);
  }
  if (titles.size > MAX_TITLES) titles.clear();
  return found;
}

const titleOf = ({ label, country, languages, taxYear }: Template): FormTitle => ({
  label,
  country,
  languages,
  ...(taxYear !== undefined && { taxYear }),
});

/** Forms never change. A large questionnaire takes some milliseconds to parse, and some 100 kB. */
const MAX_FORMS = 20;
const MAX_TITLES = 5000;
const forms = new Map<string, Template>();
const titles = new Map<string, FormTitle>();

async function storedForm(id: string): Promise<Template> {
  const known = forms.get(id);
  if (known) return known;
  const { body } = await db()
    .selectFrom('task_forms')
    .select('body')
    .where('form_id', '=', id)
    .executeTakeFirstOrThrow();
  const form = JSON.parse(body) as Template;
  const [oldest] = forms.keys();
  if (forms.size >= MAX_FORMS && oldest !== undefined) forms.delete(oldest);
  forms.set(id, form);
  return form;
}

/** What is stored in a task: the answers to its questions with their versions, and every value, comments included. */
export interface TaskAnswers {
  answers: Answers;
  versions: ReadonlyMap<string, number>;
  stored: ReadonlyMap<string, StoredAnswer>;
}

/** Reads and decrypts what is stored in a task, by path. */
export async function questionAnswers(taskId: string): Promise<TaskAnswers> {
  const stored = (await answersOf([taskId])).get(taskId) ?? new Map<string, StoredAnswer>();
  const own = [...stored.values()].filter(({ path }) => !isReserved(path));
  return {
    stored,
    answers: Object.fromEntries(
      own.filter(({ value }) => value !== null).map(({ path, value }) => [path, value]),
    ) as Answers,
    versions: new Map(own.map(({ path, version }) => [path, version])),
  };
}

/** The path of the reason for a finding of a rule. */
export const reasonPath = ({ rule, id }: { rule: string; id: string }): string => `#reason-${rule}.${id}`;

export const isReason = (path: string): boolean => path.startsWith('#reason-');

/** Paths of comments: `#comment`, `#not-apply`, and those of steps; and of reasons. */
export const isReserved = (path: string): boolean =>
  /^\d*#(?:comment|not-apply)$/.test(path) || isReason(path);

/** The path of a comment, on the task or on one of its steps. */
export const isComment = (path: string): boolean => /^\d*#comment$/.test(path);
