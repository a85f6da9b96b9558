import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { findClients, type FoundClient } from '#features/clients/clients/client-search.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import type { NoticeRecipients } from '#features/clients/notice-recipients/recipients.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { Choice, FormView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { currencyChoices } from './currencies.server.ts';
import { requestForm } from './forms.server.ts';
import { requestPayment } from './requesting.server.ts';
import { paymentSettingsOf, waysOf } from './settings.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

const MAX_DOCUMENTS = 100;

/** Requests a payment: the client is searched first, then the invoice is entered. */
export async function requestPage(page: Page): Promise<
  | Response
  | { search: string; found: FoundClient[] | undefined; form?: undefined }
  | {
      client: { id: string; name: string };
      form: FormView;
      hasWays: boolean;
      recipients: NoticeRecipients | undefined;
    }
> {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const { searchParams } = page.url;
  const [to, search] = [searchParams.get('to'), searchParams.get('q') ?? ''];
  if (to === null)
    return { search, found: search === '' ? undefined : await findClients(actor, search.slice(0, 200)) };
  const client = await clientRecord(actor, to);
  const recipients = await recipientsOf(actor, client.id, {
    kind: 'task',
    maySee: (reader) => visibleTypes(reader).includes('payment_request'),
  });
  const settings = await paymentSettingsOf(actor.companyId);
  const ways = waysOf(settings);
  const t = translationsFor(lang, 'payments');
  const form = await useForm(page, requestForm, {
    values: {
      currency: settings.currency,
      documentId: searchParams.get('document') ?? '',
      ways: ways.filter((way) => way !== 'pix' || settings.currency === 'BRL'),
    },
    choices: {
      currency: currencyChoices(lang),
      ways: ways.map((value) => ({ value, text: t(`way_${value}`) })),
      documentId: [{ value: '', text: t('noDocument') }, ...(await documentChoices())],
    },
    submit: async ({ amount = 0, dueDate, documentId, file, ...values }) => {
      const taskId = await requestPayment(actor, {
        ...values,
        clientId: client.id,
        // from the number that was typed with at most two decimals
        amount: Math.round(amount * 100),
        dueDate: dueDate === '' ? null : dueDate,
        documentId: documentId === '' ? undefined : documentId,
        file: file[0],
      });
      return {
        to: pathTo(`staff/tasks/${taskId}`),
        flash: withRecipients(
          lang,
          { type: 'success', namespace: 'payments', key: 'requested', vars: { client: client.name } },
          recipients,
        ),
      };
    },
  });
  return form instanceof Response ? form : { client, form, hasWays: ways.length > 0, recipients };

  async function documentChoices(): Promise<Choice[]> {
    const query = documentQuery.parse({ pageSize: MAX_DOCUMENTS });
    const { items } = await listDocuments(actor, client.id, query);
    return items
      .filter(({ name }) => name.toLowerCase().endsWith('.pdf'))
      .map(({ id, name }) => ({ value: id, text: name }));
  }
}
