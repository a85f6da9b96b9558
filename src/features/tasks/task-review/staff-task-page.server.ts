import { dayNote } from '#features/base/work-calendars/day-notes.server.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import type { Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { progressOf, textIn } from '#features/tasks/questionnaires/rules.ts';
import { shownAnswers, submittedAnswers } from '#features/tasks/task-submissions/answers-view.server.ts';
import { textAnswer } from '#features/tasks/tasks/answers.server.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { hasReturnedItems, isReturned } from '#features/tasks/tasks/decisions.server.ts';
import {
  mayReveal,
  revealAnswer,
  type Revealing,
  answerId,
} from '#features/tasks/task-submissions/revealing.server.ts';
import { isPending, possibleActions, type TaskAction } from '#features/tasks/tasks/rules.ts';
import { factsOf, taskRow, visibleTypes, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { submissionHrefs } from '#features/tasks/task-submissions/submission-files.server.ts';
import {
  formOfTask,
  isComment,
  questionAnswers,
  type TaskAnswers,
} from '#features/tasks/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/tasks/titles.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath, type PathTo } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { returnForm, returnItemsForm } from './forms.server.ts';
import { reviewActions } from './review-actions.server.ts';
import { reviewOf } from './review-view.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

const BUTTONS = ['accept', 'return-items', 'reopen', 'cancel', 'delete', 'restore'] as const;
const DONE = {
  accept: 'didAccept',
  'return-items': 'didReturn',
  reopen: 'didReopen',
  cancel: 'didCancel',
  delete: 'didDelete',
  restore: 'didRestore',
} as const;

/** Whether what is stored in a task is what was submitted: the client cannot change it. */
const hasSubmitted = ({ status }: TaskRow): boolean => status === 'Received' || status === 'Done';

/** The answers that are for the firm before they are submitted: that a document comes later. */
const promisesIn = (answers: Answers): Answers =>
  Object.fromEntries(
    Object.entries(answers).filter(
      ([, value]) => typeof value === 'object' && value !== null && 'notYet' in value,
    ),
  );

const submissionIn = ({ answers, stored }: TaskAnswers) => ({
  answers,
  comments: [...stored.values()].flatMap(({ path, value }) =>
    isComment(path) && typeof value === 'string' ? [value] : [],
  ),
});

/**
 * The firm's page of a task: what was answered, and what can be done with it. Opening a submitted task ends the
 * client's right to take it back. NOT_FOUND.
 */
export async function staffTaskPage(page: Page, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId, { withDeleted: true });
  const here = pathTo(`staff/tasks/${taskId}`);
  const recipients = () =>
    recipientsOf(actor, row.client_id, {
      kind: 'task',
      maySee: (reader) => visibleTypes(reader).includes(row.type),
    });
  const act = async (action: (typeof BUTTONS)[number]): Promise<Destination> => {
    await performAction(actor, taskId, action === 'return-items' ? 'return' : action);
    const flash = { type: 'success', namespace: 'tasks', key: DONE[action] } as const;
    return {
      to: action === 'delete' ? pathTo('staff/tasks') : here,
      flash: action === 'return-items' ? withRecipients(lang, flash, await recipients()) : flash,
    };
  };
  const client = await clientRecord(actor, row.client_id);
  const isAll = page.url.searchParams.get('show') === 'all';
  const answerHref = (path: string): string =>
    `${pathTo(`staff/tasks/${taskId}`, { show: isAll ? 'all' : undefined })}#${answerId(path)}`;
  const review = reviewActions(page, { taskId, isAll });
  const done = await useActions(
    page,
    {
      ...Object.fromEntries(BUTTONS.map((action) => [`action=${action}`, () => act(action)])),
      ...review.actions,
      hide: (path) => Promise.resolve({ to: answerHref(path) }),
    },
    ({ code }) =>
      code === 'EDIT_CONFLICT' || code === 'NOT_POSSIBLE' || code === 'CLOSED'
        ? { to: here, flash: { type: 'danger', namespace: 'tasks', key: 'refusedChanged' } }
        : undefined,
  );
  if (done) return done;
  const revealed = await revealedAnswer();
  if (revealed instanceof Response) return revealed;
  const hasReturned = await hasReturnedItems(taskId, row.submission);
  const returnOptions = {
    vars: { client: client.name },
    submit: async ({ reason }: { reason: string }): Promise<Destination> => {
      await performAction(actor, taskId, 'return', { reason });
      const flash = { type: 'success', namespace: 'tasks', key: 'didReturn' } as const;
      return { to: here, flash: withRecipients(lang, flash, await recipients()) };
    },
  };
  const returning = hasReturned
    ? await useForm(page, returnItemsForm, returnOptions)
    : await useForm(page, returnForm, returnOptions);
  if (returning instanceof Response) return returning;
  const mayChange = managesTasks(actor);
  if (row.status === 'Received' && mayChange && (page.request.method === 'GET' || revealed)) await open();
  const facts = await factsOf(await taskRow(actor, taskId, { withDeleted: true }));
  const possible: TaskAction[] = mayChange ? possibleActions(facts, 'firm') : [];
  const form = await formOfTask(row);
  const current = await questionAnswers(taskId);
  const submitted = hasSubmitted(row) ? submissionIn(current) : await submittedAnswers(taskId);
  return {
    task: {
      id: taskId,
      title: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
      type: row.type,
      status: row.status,
      dueOn: row.due_on,
      /** That the date is on a weekend or a holiday. */
      dueNote: row.due_on === null ? '' : await dayNote(row.company_id, row.due_on, lang),
      submittedAt: row.submitted_at,
      isReturned: row.status === 'WIP' && (await isReturned(taskId, row.submission)),
      isDeleted: facts.isDeleted,
      reason: textAnswer(current.stored, '#not-apply'),
    },
    client,
    possible,
    /** Who is notified when the task is returned. */
    recipients: possible.includes('return') ? await recipients() : undefined,
    review:
      form && submitted && possible.includes('return')
        ? await reviewOf(actor, { lang, row, form, answers: submitted.answers, isAll })
        : undefined,
    files: await submissionHrefs(actor, row, lang),
    allHref: pathTo(`staff/tasks/${taskId}`, { show: 'all' }),
    /** The item that was to be returned without a reason. */
    missingReason: page.url.searchParams.get('missing'),
    hasReturned,
    returning,
    revealing: mayReveal(actor, row) ? ({ revealed } satisfies Revealing) : undefined,
    sections: form && submitted ? await shownAnswers(actor, lang, form, submitted.answers) : [],
    /** What was asked, of a task that has not been submitted, with the dates by which documents come. */
    asked:
      form && !submitted && isPending(row.status)
        ? await shownAnswers(actor, lang, form, promisesIn(current.answers))
        : [],
    comments: submitted?.comments ?? [],
    findings: form?.checks ? ((await submittedAnswers(taskId))?.findings ?? []) : [],
    /** How far the client is with what has not been submitted, which the firm does not read. */
    progress: form && isPending(row.status) ? progressOfSections(form, current.answers) : [],
  };

  function progressOfSections(asked: Template, answers: Answers) {
    const titles = new Map(asked.sections.map(({ key, label }) => [key, textIn(label, lang, asked)]));
    return progressOf(asked, answers).map(({ key, settled, total }) => ({
      title: titles.get(key) ?? '',
      settled,
      total,
    }));
  }

  /** The masked answer whose button was pressed. It is only in this response, and in no address. */
  async function revealedAnswer(): Promise<Revealing['revealed'] | Response> {
    const path = page.request.method === 'POST' ? (await formOf(page.request)).get('reveal') : null;
    if (typeof path !== 'string') return undefined;
    try {
      return { path, text: await revealAnswer(session, taskId, { path, lang }) };
    } catch (error) {
      if (refusal(error)?.code !== 'STEP_UP') throw error;
      return redirectTo(confirmPath(lang, answerHref(path)));
    }
  }

  /** Opens the submission; another member of staff may have decided about it meanwhile. */
  async function open(): Promise<void> {
    try {
      await performAction(actor, taskId, 'open');
    } catch (error) {
      if (!refusal(error)) throw error;
    }
  }
}
