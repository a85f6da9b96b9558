import type { Session } from '#features/base/people/people.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { factsOf, taskRow } from '#features/tasks/tasks/scope.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { startCheckout, reportPayment } from './paying.server.ts';
import { formatAmount } from './currencies.server.ts';
import type { PaymentSettings, ReportedWay } from './payments.ts';
import { pixCode } from './pix.ts';
import { hasOpenCheckout, paymentOf } from './reading.server.ts';
import { hasBank, hasPix, paymentSettingsOf } from './settings.server.ts';

interface Page {
  url: URL;
  request: Request;
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/**
 * The payment of a task for the contacts of its client: the invoice, how to pay it, and what became of it. Undefined for
 * a task without a payment.
 */
export async function paymentPage(page: Page, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const payment = await paymentOf(actor, taskId);
  if (!payment) return undefined;
  const task = await taskRow(actor, taskId);
  const here = pathTo(`tasks/clients/${task.client_id}/task/${taskId}`);
  const report = async (way: ReportedWay): Promise<Destination> => {
    await reportPayment(actor, taskId, way);
    return { to: here, flash: { type: 'success', namespace: 'payments', key: 'reported' } };
  };
  const done = await useActions(
    page,
    {
      'payment=report-bank': () => report('bank'),
      'payment=report-pix': () => report('pix'),
      'payment=checkout': async () => ({ to: await startCheckout(actor, taskId, lang) }),
    },
    (error) => refusedAction(error, here),
  );
  if (done) return done;
  const settings = await paymentSettingsOf(task.company_id);
  const canPay = isPending(task.status) && !(await factsOf(task)).isExpired;
  const wasLeft = page.url.searchParams.get('payment');
  return {
    payment,
    amount: formatAmount(lang, payment),
    isCancelled: task.status === 'Cancelled',
    canPay,
    /** The payer comes from the page of the provider, whose message has not arrived. */
    isAwaited: canPay && wasLeft === 'done' && (await hasOpenCheckout(taskId)),
    checkAgain: pathTo(`tasks/clients/${task.client_id}/task/${taskId}`, { payment: 'done' }),
    online: payment.ways.includes('online') && settings.isOnline ? settings.provider : undefined,
    bank:
      payment.ways.includes('bank') && hasBank(settings)
        ? { ...settings.bank, text: textIn(settings.bank.texts, lang) }
        : undefined,
    pix: payment.ways.includes('pix') && hasPix(settings) ? pixOf(settings, payment) : undefined,
  };
}
export type PaymentPage = Exclude<Awaited<ReturnType<typeof paymentPage>>, Response | undefined>;

/** The text of the page's language, else the first one that the firm has written. */
const textIn = (texts: PaymentSettings['bank']['texts'], lang: Lang): string =>
  texts[lang] ?? LANGS.map((each) => texts[each]).find((text) => text !== undefined) ?? '';

/** What a bank's app reads, from a QR code or as text. */
const pixOf = ({ pix }: PaymentSettings, payment: { amount: number; reference: string }) => ({
  code: pixCode({ ...pix, amount: payment.amount, reference: payment.reference }),
  name: pix.name,
});

function refusedAction({ code, details }: PortalError, to: string): Destination | undefined {
  if (code === 'UNAVAILABLE' && details['away'] !== 'provider') return undefined;
  const keys = {
    CLOSED: 'refusedClosed',
    EXPIRED: 'refusedExpired',
    NOT_POSSIBLE: 'refusedOnline',
    UNAVAILABLE: 'refusedProvider',
    INVALID: 'changedMeanwhile',
  } as const;
  const key = code in keys ? keys[code as keyof typeof keys] : undefined;
  return key && { to, flash: { type: 'danger', namespace: 'payments', key } };
}
