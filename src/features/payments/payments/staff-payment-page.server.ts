import type { Session } from '#features/base/people/people.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { firmToday, taskRow } from '#features/tasks/tasks/scope.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { confirmPayment, rejectPayment } from './confirming.server.ts';
import { formatAmount } from './currencies.server.ts';
import { notArrivedForm, receivedForm } from './forms.server.ts';
import { paymentHistory, paymentOf } from './reading.server.ts';

interface Page {
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The payment of a task for the firm: its state and history, and the forms that confirm or reject it. */
export async function staffPaymentPage(page: Page, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const payment = await paymentOf(actor, taskId);
  if (!payment) return undefined;
  const here = pathTo(`staff/tasks/${taskId}`);
  const task = await taskRow(actor, taskId, { withDeleted: true });
  const received = await useForm(page, receivedForm, {
    values: {
      way: payment.paidBy === 'pix' ? 'pix' : 'bank',
      receivedOn: await firmToday(task.company_id),
    },
    submit: async (values) => {
      await confirmPayment(actor, taskId, values);
      return { to: here, flash: { type: 'success', namespace: 'payments', key: 'didReceive' } };
    },
  });
  if (received instanceof Response) return received;
  const notArrived = await useForm(page, notArrivedForm, {
    submit: async ({ reason }) => {
      await rejectPayment(actor, taskId, reason);
      return { to: here, flash: { type: 'success', namespace: 'payments', key: 'didReject' } };
    },
  });
  if (notArrived instanceof Response) return notArrived;
  const mayChange = managesTasks(actor) && task.deleted_at === null;
  const mayReceive =
    mayChange && ((payment.state === 'open' && isPending(task.status)) || payment.state === 'reported');
  const whenPossible = (form: FormView, isPossible: boolean) => (isPossible ? form : undefined);
  return {
    payment,
    amount: formatAmount(lang, payment),
    history: await paymentHistory(actor, taskId),
    received: whenPossible(received, mayReceive),
    notArrived: whenPossible(notArrived, mayChange && payment.state === 'reported'),
  };
}
export type StaffPaymentPage = Exclude<Awaited<ReturnType<typeof staffPaymentPage>>, Response | undefined>;
