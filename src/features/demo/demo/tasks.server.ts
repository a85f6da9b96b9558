import type { Actor } from '#features/base/people/people.ts';
import type { ukPersonal } from '#features/tasks/starter-questionnaires/uk-personal.ts';
import type { us1040 } from '#features/tasks/starter-questionnaires/us-1040.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import type { NewTask } from '#features/tasks/tasks/tasks.ts';
import type { Lang } from '#platform/text/languages.ts';
import { play, type Stage } from './story.server.ts';

/* What the firms of the demo ask their clients: something of each kind, in every state. */

/** Asks a client for documents and one answer. `due` is a date, such as `2027-01-31`. Returns the task's id. */
export async function request(
  firm: Actor,
  clientId: string,
  lang: Lang,
  {
    title,
    message,
    files,
    question,
    due = '2027-01-31',
    isRequired = true,
  }: {
    title: string;
    message: string;
    files: readonly string[];
    question: string;
    due?: string;
    isRequired?: boolean;
  },
): Promise<string> {
  const items = [
    ...files.map((label) => ({ label, kind: 'files' as const, isRequired })),
    { label: question, kind: 'paragraph' as const, isRequired: false },
  ];
  const values = { title, message, taxYear: '', dueDate: due, items };
  const { taskId } = await createTask(firm, { clientId, ...ownTask(values, lang) });
  return taskId;
}

const questionnaire = (
  firm: Actor,
  clientId: string,
  { template, taxYear, due }: { template: typeof us1040 | typeof ukPersonal; taxYear: number; due: string },
) =>
  createTask(firm, {
    clientId,
    type: 'questionnaire',
    label: '',
    dueDate: due,
    params: { kind: template.key, taxYear },
    form: template as NonNullable<NewTask['form']>,
  });

/** A client with something overdue, something returned, a long questionnaire, and something that is done. */
export async function bakeryTasks(
  { firm, olivia, clientId }: { firm: Actor; olivia: Actor; clientId: string },
  stage: Stage,
): Promise<void> {
  const done = await request(firm, clientId, 'en-us', {
    title: 'Documents for the engagement',
    message: 'We need these once, before we begin.',
    files: ['Articles of organization'],
    question: 'Who may give us instructions besides you?',
    due: '2026-11-06',
    isRequired: false,
  });
  await performAction(olivia, done, 'submit');
  await performAction(firm, done, 'accept');
  const returned = await request(firm, clientId, 'en-us', {
    title: 'Vehicle log 2026',
    message: 'Miles by month are enough.',
    files: ['Log of the delivery van'],
    question: 'Was the van used privately?',
    due: '2027-01-15',
    isRequired: false,
  });
  await performAction(olivia, returned, 'submit');
  await performAction(firm, returned, 'return', {
    reason: 'The log ends in August. Please add September and October.',
  });
  const sales = await request(firm, clientId, 'en-us', {
    title: 'Sales tax return for October',
    message: 'We file on the 20th.',
    files: ['Register reports for October', 'Delivery platform statements'],
    question: 'Were there large orders from resellers?',
    due: '2026-11-16',
  });
  await play('salesTaxTask', { firm, olivia, taskId: sales }, stage);
  const { us1040 } = await import('#features/tasks/starter-questionnaires/us-1040.ts');
  await questionnaire(firm, clientId, { template: us1040, taxYear: 2026, due: '2027-02-15' });
}

/** A personal return of the United Kingdom, and documents asked for in French. */
export async function mapleTasks(firm: Actor, clientId: string): Promise<void> {
  const { ukPersonal } = await import('#features/tasks/starter-questionnaires/uk-personal.ts');
  await questionnaire(firm, clientId, { template: ukPersonal, taxYear: 2026, due: '2026-12-31' });
  await request(firm, clientId, 'fr', {
    title: 'Documents pour la fin d’exercice',
    message: 'Ces documents servent à préparer votre déclaration T2.',
    files: ['Relevés bancaires de mars', 'Inventaire au 31 mars'],
    question: 'Avez-vous acheté ou vendu de l’équipement?',
    due: '2026-12-15',
  });
}

/** One of many clients of a person. */
export async function holdingTasks(firm: Actor, clientId: string): Promise<void> {
  await request(firm, clientId, 'en-us', {
    title: 'Payroll changes for December',
    message: 'We run payroll on the 18th.',
    files: ['Timesheets'],
    question: 'Who joined or left?',
    due: '2026-12-11',
  });
}
