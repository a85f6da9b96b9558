import { contactsOfClient } from '#features/clients/clients/client-overview.server.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { findClients, type FoundClient } from '#features/clients/clients/client-search.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import {
  discardDraft,
  draftRequest,
  draftWithFields,
  placeFields,
  type Draft,
} from '#features/signing/signing/drafting.server.ts';
import { SHOWN_WIDTH } from '#features/signing/signing/pages.server.ts';
import { fieldsAtEnd, warningsAbout, WHOLE } from '#features/signing/signing/rules.ts';
import { sendRequest } from '#features/signing/signing/sending.server.ts';
import type { NewSigner, PlacedField } from '#features/signing/signing/signing.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { Choice, FormView } from '#platform/forms/forms.ts';
import { formatDate } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import {
  fieldsForm,
  ORDERS,
  OTHER_SIGNER,
  requestForm,
  type FieldsValues,
  type RequestValues,
} from './forms.server.ts';
import { emailedSigners, sentMessage } from './email-recipients.server.ts';
import { pagesText, warningBeforeSending } from './send-warning.server.ts';
import { keptRequest } from './uploading.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; locale: string; timeZone: string; session: Session; pathTo: PathTo };
}

const HERE = 'staff/tasks/sign';
const MAX_LISTED = 100;
/** In the address after an upload: the page shows again what had been typed. */
const KEPT = 'kept';

/** Asks a client for signatures: the client, the document and its signers, and the places where they sign. */
export async function requestPage(page: Page) {
  const { searchParams } = page.url;
  const [draft, to, search] = [
    searchParams.get('draft'),
    searchParams.get('to'),
    searchParams.get('q') ?? '',
  ];
  if (draft !== null) return placingPage(page, draft);
  if (to !== null) return startPage(page, to);
  const { actor } = page.locals.session;
  const found: FoundClient[] | undefined =
    search === '' ? undefined : await findClients(actor, search.slice(0, 200));
  return { step: 'client' as const, search, found };
}

async function startPage(page: Page, clientId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'signing');
  const client = await clientRecord(actor, clientId);
  const documents = await pdfChoices(page, clientId);
  const contacts = await contactsOfClient(actor, clientId);
  const kept = keptRequest(session, clientId);
  const here = pathTo(HERE, { to: clientId, [KEPT]: '1' });
  const form = await useForm(page, requestForm, {
    values: {
      identity: 'none',
      document: page.url.searchParams.get('document') ?? '',
      signers: [{ contact: contacts[0]?.contactId ?? OTHER_SIGNER, order: '1' }],
      ...(page.url.searchParams.has(KEPT) && (await kept?.load())?.values),
    },
    choices: {
      document: [{ value: '', text: '–' }, ...documents],
      'signers.contact': [
        { value: '', text: '–' },
        ...contacts.map(({ contactId, fullName, emailAddress }) => ({
          value: contactId,
          text: `${fullName} (${emailAddress})`,
        })),
        { value: OTHER_SIGNER, text: t('signerOther') },
      ],
      'signers.order': ORDERS.map((order) => ({ value: order, text: order })),
    },
    submit: async (values) => {
      const id = await draftRequest(actor, requestOf(clientId, values), lang);
      await kept?.discard();
      return { to: pathTo(HERE, { draft: id }) };
    },
  });
  if (form instanceof Response) return form;
  return {
    step: 'start' as const,
    client: { id: clientId, name: client.name },
    form,
    uploadUrl: `/api/client-center/v3/signing/clients/${clientId}/documents?${new URLSearchParams({ r: here })}`,
  };
}

/** The PDF files of a client, the newest first. */
async function pdfChoices({ locals }: Page, clientId: string): Promise<Choice[]> {
  const { locale, timeZone, session } = locals;
  const query = documentQuery.parse({ orderBy: 'createdDate', orderDir: 'desc', pageSize: MAX_LISTED });
  const { items } = await listDocuments(session.actor, clientId, query);
  return items
    .filter(({ name }) => name.toLowerCase().endsWith('.pdf'))
    .map(({ id, name, createdDate }) => ({
      value: id,
      text: `${name} (${formatDate(locale, createdDate, timeZone)})`,
    }));
}

const requestOf = (clientId: string, values: RequestValues) => ({
  clientId,
  documentId: values.document,
  title: values.title,
  identity: values.identity,
  dueDate: values.dueDate === '' ? null : values.dueDate,
  signers: values.signers
    .filter(({ contact }) => contact !== '')
    .map(({ contact, name, email, order }): NewSigner => ({
      contactId: contact === OTHER_SIGNER ? null : contact,
      name,
      email,
      place: Number(order),
    })),
});

/** A row of the form, in percent of the page. */
const rowOf = ({ kind, signer, page, x, y, width, height, required }: PlacedField) => ({
  kind,
  signer: String(signer),
  page: String(page),
  x: percentOf(x),
  y: percentOf(y),
  width: percentOf(width),
  height: percentOf(height),
  required,
});

const percentOf = (value: number): string => String(Math.round((value / WHOLE) * 10_000) / 100);

const fieldsIn = ({ fields }: FieldsValues): PlacedField[] =>
  fields.flatMap(({ kind, signer, page, x, y, width, height, required }) =>
    kind === ''
      ? []
      : [
          {
            kind,
            signer: Number(signer) || 1,
            page: Number(page) || 1,
            x: Math.round((x / 100) * WHOLE),
            y: Math.round((y / 100) * WHOLE),
            width: Math.max(500, Math.round((width / 100) * WHOLE)),
            height: Math.max(500, Math.round((height / 100) * WHOLE)),
            required,
          },
        ],
  );

async function placingPage(page: Page, signingId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const draft = await draftWithFields(actor, signingId);
  const here = pathTo(HERE, { draft: signingId });
  const { title, signers, pages, fields } = draft;
  const done = await useActions(page, {
    'action=discard': async () => {
      await discardDraft(actor, signingId);
      return {
        to: pathTo('staff/tasks'),
        flash: { type: 'success', namespace: 'signing', key: 'discarded' },
      };
    },
  });
  if (done) return done;
  const form = await placingForm(page, { signingId, here, draft });
  if (form instanceof Response) return form;
  const t = translationsFor(lang, 'signing');
  const client = await clientRecord(actor, draft.clientId);
  return {
    step: 'place' as const,
    client: { id: client.id, name: client.name },
    title,
    form,
    placed: fields,
    signers,
    pages: pages.map((size, index) => ({
      page: index + 1,
      width: SHOWN_WIDTH,
      height: Math.round((SHOWN_WIDTH * size.height) / size.width),
      pointsWide: size.width,
      pointsHigh: size.height,
      imageUrl: `/api/client-center/v3/signing/${signingId}/pages/${index + 1}?width=${SHOWN_WIDTH}`,
    })),
    emailed: await emailedSigners(draft),
    sendWarning: warningBeforeSending(draft.notCarried, page.locals),
    warnings: warningsAbout(fields, signers.length).map((warning) => {
      if (warning.kind === 'noSignature')
        return t('warnNoSignature', { name: signers[warning.signer - 1]?.name ?? '' });
      return warning.kind === 'overlap'
        ? t('warnOverlap', { first: warning.first + 1, second: warning.second + 1 })
        : t('warnOutside', { field: warning.field + 1 });
    }),
  };
}

/** Why nothing was sent. */
function notSentMessage({ code, details: { cause, pages } }: PortalError, locale: string) {
  const message = { type: 'danger', namespace: 'signing' } as const;
  if (code === 'INCOMPLETE') return { ...message, key: 'notSent' as const };
  if (code !== 'NOT_POSSIBLE') return undefined;
  if (cause === 'unconfirmed') return { ...message, key: 'notSentUnconfirmed' as const };
  const numbers = Array.isArray(pages) ? pages.map(Number) : [];
  return { ...message, key: 'notSentUnsealable' as const, vars: { pages: pagesText(locale, numbers) } };
}

/** The buttons of the form save, place a signature for each signer, or send. */
function placingForm(
  page: Page,
  { signingId, here, draft }: { signingId: string; here: string; draft: Draft },
): Promise<FormView | Response> {
  const { session, pathTo } = page.locals;
  const { actor }: { actor: Actor } = session;
  const { signers, pages } = draft;
  return useForm(page, fieldsForm, {
    values: { fields: draft.fields.map(rowOf) },
    choices: {
      'fields.signer': signers.map(({ number, name }) => ({
        value: String(number),
        text: `${number}. ${name}`,
      })),
    },
    submit: async (values, action) => {
      const fields = fieldsIn(values);
      const added =
        action === 'place'
          ? fieldsAtEnd(
              signers.map(({ number }) => number),
              pages,
            )
          : [];
      await placeFields(actor, signingId, [...fields, ...added]);
      if (action !== 'send' && action !== 'send-anyway')
        return { to: here, flash: { type: 'success', namespace: 'signing', key: 'fieldsSaved' } };
      const acceptsDifferences = action === 'send-anyway';
      const taskId = await sendRequest(actor, signingId, { acceptsDifferences });
      return {
        to: pathTo(`staff/tasks/${taskId}`),
        flash: sentMessage(page.locals.lang, await emailedSigners(draft)),
      };
    },
    redirectRefusal: (error) => {
      const flash = notSentMessage(error, page.locals.locale);
      return flash && { to: here, flash };
    },
  });
}
