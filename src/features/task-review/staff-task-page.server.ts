import { clientRecord } from '#features/clients/client-records.server.ts';
import type { Session } from '#features/people/people.ts';
import { performAction } from '#features/tasks/acting.server.ts';
import { shownAnswers } from '#features/task-submissions/answers-view.server.ts';
import { textAnswer } from '#features/tasks/answers.server.ts';
import { managesTasks } from '#features/tasks/creating.server.ts';
import { hasReturnedItems } from '#features/tasks/decisions.server.ts';
import {
  mayReveal,
  revealAnswer,
  type Revealing,
  answerId,
} from '#features/task-submissions/revealing.server.ts';
import { possibleActions, type TaskAction } from '#features/tasks/rules.ts';
import { factsOf, taskRow } from '#features/tasks/scope.server.ts';
import { submissionHrefs } from '#features/task-submissions/submission-files.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/task-forms.server.ts';
import { taskTitle } from '#features/tasks/titles.server.ts';
import { useActions } from '#platform/actions.server.ts';
import { confirmPath, type PathTo } from '#platform/addresses.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { formOf } from '#platform/form.server.ts';
import { useForm, type Destination } from '#platform/forms.server.ts';
import type { Lang } from '#platform/languages.ts';
import { redirectTo } from '#platform/redirect.server.ts';
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

/**
 * The firm's page of a task: what was answered, and what can be done with it. Opening a submitted task ends the
 * client's right to take it back. NOT_FOUND.
 */
export async function staffTaskPage(page: Page, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId, { withDeleted: true });
  const here = pathTo(`staff/tasks/${taskId}`);
  const act = async (action: (typeof BUTTONS)[number]): Promise<Destination> => {
    await performAction(actor, taskId, action === 'return-items' ? 'return' : action);
    return {
      to: action === 'delete' ? pathTo('staff/tasks') : here,
      flash: { type: 'success', namespace: 'tasks', key: DONE[action] },
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
      return { to: here, flash: { type: 'success', namespace: 'tasks', key: 'didReturn' } };
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
  const { answers, stored } = await questionAnswers(taskId);
  return {
    task: {
      id: taskId,
      title: taskTitle(lang, { ...row, taxYear: row.tax_year }, form),
      type: row.type,
      status: row.status,
      dueOn: row.due_on,
      submittedAt: row.submitted_at,
      isDeleted: facts.isDeleted,
      reason: textAnswer(stored, '#not-apply'),
    },
    client,
    possible,
    review:
      form && possible.includes('return')
        ? await reviewOf(actor, { lang, row, form, answers, isAll })
        : undefined,
    files: await submissionHrefs(actor, row, lang),
    allHref: pathTo(`staff/tasks/${taskId}`, { show: 'all' }),
    /** The item that was to be returned without a reason. */
    missingReason: page.url.searchParams.get('missing'),
    hasReturned,
    returning,
    revealing: mayReveal(actor, row) ? ({ revealed } satisfies Revealing) : undefined,
    sections: form ? await shownAnswers(actor, lang, form, answers) : [],
    comments: [...stored.values()]
      .filter(({ path, value }) => path.endsWith('#comment') && typeof value === 'string')
      .map(({ value }) => String(value)),
  };

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
