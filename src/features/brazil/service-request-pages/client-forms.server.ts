import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import { performAction, type PerformedAction } from '#features/brazil/service-requests/acting.server.ts';
import { answerForm, cancelForm, messageForm, reopenForm } from './forms.server.ts';
import { addMessage } from '#features/brazil/service-requests/messages.server.ts';
import type { RequestPage } from './request-page.server.ts';
import { possibleActions, type RequestRow } from '#features/brazil/service-requests/scope.server.ts';

/** The forms of a client about a request: those for what is possible now. */
export async function clientForms(
  page: RequestPage,
  row: RequestRow,
  pathOf: (query?: Record<string, string | undefined>) => string,
) {
  const { actor } = page.locals.session;
  const possible = await possibleActions(actor, row);
  const id = row.request_id;
  const there = (key: 'answered' | 'canceled' | 'reopened' | 'messageSent'): Destination => ({
    to: pathOf(),
    flash: { type: 'success', namespace: 'service-requests', key },
  });
  const act =
    (action: PerformedAction, key: Parameters<typeof there>[0]) =>
    async ({ text }: { text: string }): Promise<Destination> => {
      await performAction(actor, id, action, { text });
      return there(key);
    };
  const answer = await useForm(page, answerForm, { submit: act('answer', 'answered') });
  if (answer instanceof Response) return answer;
  const cancel = await useForm(page, cancelForm, { submit: act('cancel', 'canceled') });
  if (cancel instanceof Response) return cancel;
  const reopen = await useForm(page, reopenForm, { submit: act('reopen', 'reopened') });
  if (reopen instanceof Response) return reopen;
  const message = await useForm(page, messageForm, {
    submit: async ({ text }) => {
      await addMessage(actor, id, { text, isInternal: false });
      return there('messageSent');
    },
  });
  if (message instanceof Response) return message;
  return {
    answer: possible.includes('answer') ? answer : undefined,
    cancel: possible.includes('cancel') ? cancel : undefined,
    reopen: possible.includes('reopen') ? reopen : undefined,
    message: row.status === 'Draft' || possible.includes('answer') ? undefined : message,
  };
}
