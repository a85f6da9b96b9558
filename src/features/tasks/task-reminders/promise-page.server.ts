import type { Session } from '#features/base/people/people.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { promiseForm } from './forms.server.ts';
import { promisesFor, promiseTask, withdrawPromise } from './promises.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo'> & { session: Session };
}

/** The dates by which contacts want to finish a task, and the form for the reader's own. NOT_FOUND. */
export async function promiseSection(page: Page, taskId: string) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId);
  const here = pathTo(`tasks/clients/${row.client_id}/task/${taskId}`, {
    step: page.url.searchParams.get('step') ?? undefined,
  });
  const done = await useActions(page, {
    'promise=withdraw': async () => {
      await withdrawPromise(actor, taskId);
      return { to: here, flash: { type: 'success', namespace: 'reminders', key: 'promiseWithdrawn' } };
    },
  });
  if (done) return done;
  const form = await useForm(page, promiseForm, {
    values: { promisedOn: '' },
    submit: async ({ promisedOn }) => {
      await promiseTask(actor, taskId, promisedOn);
      return { to: here, flash: { type: 'success', namespace: 'reminders', key: 'promiseSaved' } };
    },
  });
  if (form instanceof Response) return form;
  const promises = isPending(row.status) ? await promisesFor(actor, taskId) : [];
  return {
    form: isPending(row.status) && !actor.staff ? form : undefined,
    own: promises.find(({ contactId }) => contactId === actor.contactId)?.promisedOn,
    others: promises.filter(({ contactId }) => contactId !== actor.contactId),
  };
}
