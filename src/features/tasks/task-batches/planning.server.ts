import { z } from 'zod';
import { chosenTemplate, type ChosenTemplate } from '#features/tasks/task-templates/templates.server.ts';
import { dueDateOf } from '#features/tasks/task-templates/task-templates.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Template, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import type { Creation } from '#features/tasks/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { firmToday, visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { newTask, type NewTask } from '#features/tasks/tasks/tasks.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { ContentValues } from './forms.server.ts';

/** A task that can be created for any client. */
export interface PlannedTask {
  task: Omit<NewTask, 'clientId' | 'taskGroupId'>;
  creation: Pick<Creation, 'responsible' | 'template'>;
}

/** What an email about a new task of a type is about; of a type that is not chosen yet, about any task. */
export const newTaskAbout = (type: string | undefined) => ({
  kind: 'task' as const,
  maySee: (reader: Actor): boolean =>
    type === undefined
      ? visibleTypes(reader).length > 0
      : visibleTypes(reader).some((visible) => visible === type),
});

/** Parses a stored plan. */
export const plannedTask: z.ZodType<PlannedTask> = z.strictObject({
  task: newTask.omit({ clientId: true, taskGroupId: true }),
  creation: z.strictObject({
    responsible: z.string().exactOptional(),
    template: z
      .strictObject({ id: z.string(), version: z.number().nullable(), name: z.string() })
      .exactOptional(),
  }),
}) as unknown as z.ZodType<PlannedTask>;

/**
 * The task that a form describes: the chosen template, or the questions that were listed. NOT_FOUND for a template of
 * another firm; INVALID (`taxYear`) if the questions name a year and none was entered.
 */
export async function planTask(actor: Actor, values: ContentValues, lang: Lang): Promise<PlannedTask> {
  const { content, title, message, taxYear, dueDate, responsible, notify, items } = values;
  const template = content === 'own' ? undefined : await chosenTemplate(actor, content);
  if (template?.type === 'document_review') throw notFound(); // without documents there is nothing to review
  if (template && taxYear === '' && namesYear(template))
    throw new PortalError('INVALID', { field: 'taxYear' });
  const task = template
    ? templateTask(template, { title, message, taxYear })
    : ownTask({ title, message, items, taxYear, dueDate: '' }, lang);
  const due = dueDate === '' ? dueDateOf(template?.dueRule ?? '', await firmToday(actor.companyId)) : dueDate;
  return {
    task: { ...task, dueDate: due ?? null, sendNotification: notify },
    creation: {
      ...(responsible !== '' && { responsible }),
      ...(template && {
        template: {
          id: template.id,
          version: template.version,
          name: template.name || textIn(template.form.label, lang, template.form).trim(),
        },
      }),
    },
  };
}

/** What makes two tasks of a client the same; undefined for questions of one's own. */
export const planKey = ({ task, creation }: PlannedTask) =>
  creation.template && { templateId: creation.template.id, taxYear: task.params?.taxYear ?? null };

/** What planned tasks ask; undefined if nothing. */
export function plannedForm({ task }: PlannedTask): Template | undefined {
  const { form } = newTask.omit({ clientId: true, taskGroupId: true }).parse(task);
  const checked = form && checkTemplate(form);
  return checked && 'template' in checked ? checked.template : undefined;
}

/** The title of planned tasks in a language: the one that was typed, else that of the template. */
export function plannedTitle(plan: PlannedTask, lang: Lang): string {
  const { type, label, params } = newTask.omit({ clientId: true, taskGroupId: true }).parse(plan.task);
  const { kind = '', taxYear = null } = params ?? {};
  return taskTitle(lang, { type, kind, label: label ?? '', taxYear }, plannedForm(plan));
}

const namesYear = ({ form }: ChosenTemplate): boolean =>
  form.taxYear === undefined && JSON.stringify(form).includes('{taxYear}');

function templateTask(
  { type, form }: ChosenTemplate,
  { title, message, taxYear }: { title: string; message: string; taxYear: string },
): PlannedTask['task'] {
  const [first, ...others] = form.sections;
  const sections =
    message === '' || !first
      ? form.sections
      : [{ ...first, lead: withMessage(first.lead, message) }, ...others];
  const year = taxYear === '' ? form.taxYear : Number(taxYear);
  return {
    type,
    label: title,
    params: { kind: form.key, ...(year !== undefined && { taxYear: year }) },
    form: { ...form, sections },
  };

  /** The message of this task before what the template says, in every language. */
  function withMessage(lead: Text | undefined, words: string): Text {
    return Object.fromEntries(
      form.languages.map((lang) => [lang, [words, lead?.[lang]].filter(Boolean).join('\n\n').slice(0, 2000)]),
    );
  }
}
