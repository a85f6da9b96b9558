import { dayNote } from '#features/base/work-calendars/day-notes.server.ts';
import { isAtWork } from '#features/base/batches/batches.ts';
import { ROWS_A_PAGE } from '#features/base/batches/rows.ts';
import { staffChoices } from '#features/clients/clients/list-choices.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { newTaskSubject } from '#features/tasks/task-reminders/mails.server.ts';
import { remindedBy } from '#features/tasks/task-reminders/remind-now.server.ts';
import { previewOf } from '#features/tasks/task-templates/templates-page.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { refreshWhile } from '#platform/http/refresh.server.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import {
  batchOf,
  beginBatch,
  discardBatch,
  listRows,
  planOf,
  recipientsOfBatch,
  stopBatch,
  waitingTasks,
  undoBatch,
  type ChangeInput,
} from './batches.server.ts';
import { assignManyForm, rescheduleManyForm, returnManyForm } from './forms.server.ts';
import { rowList } from './lists.server.ts';
import { plannedForm, type PlannedTask } from './planning.server.ts';
import type { BatchAction } from './task-batches.ts';

interface Page {
  request: Request;
  url: URL;
  response: { status?: number; headers: Headers };
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session'>;
}

/** A batch: what it would do, how far it is, or what it did. While it is at work the page refreshes itself. */
export async function batchPage(page: Page, batchId: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/tasks/batches/${batchId}`);
  const after = (work: Promise<void>): Promise<Destination> => work.then(() => ({ to: here }));
  const done = await useActions(
    page,
    {
      'act=begin': () => after(beginBatch(actor, batchId)),
      'act=stop': () => after(stopBatch(actor, batchId)),
      'act=undo': () => after(undoBatch(actor, batchId)),
      'act=discard': async () => {
        await discardBatch(actor, batchId);
        return { to: pathTo('staff/tasks') };
      },
    },
    ({ code }) => (code === 'STALE' || code === 'NOT_POSSIBLE' ? failed(here, 'batchChanged') : undefined),
  );
  if (done) return done;
  const batch = await batchOf(actor, batchId, lang);
  const form =
    batch.state === 'ready' && batch.counts.waiting > 0
      ? await inputForm(page, batch.action, (input) => after(beginBatch(actor, batchId, input)))
      : undefined;
  if (form instanceof Response) return form;
  refreshWhile(isAtWork(batch.state), page);
  const list = useList(page, rowList);
  const { rows, total } = await listRows(actor, batchId, list.query, lang);
  const plan = batch.state === 'ready' ? await planOf(actor, batchId) : undefined;
  return {
    batch,
    recipients: await recipientsOfBatch(actor, batchId),
    form,
    planned: plan && (await plannedView(actor, plan, lang)),
    reminded:
      batch.state === 'ready' && batch.action === 'remind'
        ? await remindedBy(actor, await waitingTasks(actor, batchId))
        : undefined,
    title: translationsFor(lang, 'task-batches')(`do_${batch.action}`),
    list,
    rows,
    pager: list.pager(total, ROWS_A_PAGE),
  };
}

/** The task of a batch as its clients will see it, and the email that tells them. */
async function plannedView(actor: Actor, plan: PlannedTask, lang: Lang) {
  const form = plannedForm(plan);
  const firm = await firmOf(actor.companyId);
  return {
    dueOn: plan.task.dueDate ?? null,
    dueNote: plan.task.dueDate ? await dayNote(actor.companyId, plan.task.dueDate, lang) : '',
    isAnnounced: plan.task.sendNotification === true,
    subject: newTaskSubject(lang, firm.name),
    sections: form ? previewOf(form, lang) : [],
  };
}
export type PlannedView = Awaited<ReturnType<typeof plannedView>>;

const failed = (to: string, key: KeysOf<'task-batches'>): Destination => ({
  to,
  flash: { type: 'danger', namespace: 'task-batches', key },
});

/** The form of a change that needs something besides its tasks; undefined for the others. */
async function inputForm(
  page: Page,
  action: BatchAction,
  submit: (input: ChangeInput) => Promise<Destination>,
): Promise<FormView | Response | undefined> {
  const { lang, session } = page.locals;
  if (action === 'return') return useForm(page, returnManyForm, { submit });
  if (action === 'reschedule') return useForm(page, rescheduleManyForm, { submit });
  if (action !== 'assign') return undefined;
  const nobody = { value: '', text: translationsFor(lang, 'task-batches')('nobody') };
  return useForm(page, assignManyForm, {
    choices: { responsible: [nobody, ...(await staffChoices(session.actor))] },
    submit,
  });
}
