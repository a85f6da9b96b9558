import { loadValidity } from '#features/brazil/digital-certificates/credentials.server.ts';
import { isStorageOpen } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { taxAuthority } from '#features/brazil/tax-authority/current.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formatDate, formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { acceptsIntents, reviewsInvoices } from './access.server.ts';
import { destination, type Page } from './client-page.server.ts';
import { invoiceById } from './documents.server.ts';
import { markForm, recordForm, refuseForm } from './forms.server.ts';
import { canMark } from './grids.server.ts';
import {
  acceptIntent,
  listIntents,
  markInvoice,
  refuseIntent,
  takeBackAcceptance,
  withdrawMark,
} from './intents.server.ts';
import type { Invoice } from './invoice-manifest.ts';
import { recordEvent } from './registering.server.ts';
import { rejectionText } from './rejections.server.ts';
import { AUTHORITY_ZONE, EVENTS, type ManifestEvent } from './rules.ts';
import { sendingState } from './sending.server.ts';
import { CHOICE_TEXTS, EVENT_TEXTS, MARK_TEXTS, STATE_TEXTS } from './texts.server.ts';

/** An invoice of somebody else: what is registered, what people want, and what the reader may do. NOT_FOUND, FORBIDDEN. */
export async function invoicePage(page: Page, id: string) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const invoice = await invoiceById(actor, id);
  const here = page.url.pathname + page.url.search;
  const intentId = invoice.intentId ?? '';
  const pressed = await useActions(
    page,
    {
      withdraw: async () => {
        await withdrawMark(actor, { id });
        return destination(here, 'success', 'withdrawn');
      },
      accept: async (value) => {
        await acceptIntent(actor, value);
        return destination(
          here,
          'success',
          (await isSentByPortal(invoice.clientId)) ? 'acceptedToSend' : 'accepted',
        );
      },
      takeBack: async (value) => {
        await takeBackAcceptance(actor, value);
        return destination(here, 'success', 'takenBack');
      },
    },
    ({ code }) =>
      code === 'SAME_PERSON'
        ? destination(here, 'danger', 'refusedSamePerson')
        : code === 'CHANGED' || code === 'CLOSED' || code === 'NOT_POSSIBLE'
          ? destination(here, 'danger', 'refusedChanged')
          : undefined,
  );
  if (pressed) return pressed;
  const forms = await buildForms(page, invoice, here);
  if (forms instanceof Response) return forms;
  const intents = await listIntents(id);
  const current = intents.find((intent) => intent.id === intentId);
  return {
    invoice,
    intents,
    current,
    forms,
    xml: (await isStorageOpen(actor)) ? await archivedAt(invoice) : undefined,
    mayWithdraw: invoice.intent === 'marked' && reviewsInvoices(actor) && current?.isByStaff === actor.staff,
    mayAccept: (invoice.intent === 'marked' || invoice.intent === 'failed') && acceptsIntents(actor),
    progress: await progressSentence(lang, invoice, current),
    isOwnMark: current?.markedBy === actor.contactId,
    mayTakeBack: invoice.intent === 'accepted' && acceptsIntents(actor),
    eventColumns: eventColumns(lang),
    intentColumns: intentColumns(lang),
  };
}

/** Whether what is accepted for a client is sent by the portal. */
const isSentByPortal = async (clientId: string): Promise<boolean> =>
  taxAuthority() !== undefined && (await loadValidity([clientId])).get(clientId)?.ok === true;

/** How far what people want is: undefined where nothing is open. */
async function progressSentence(
  lang: Lang,
  { intent, key, clientId }: Invoice,
  current: ListedIntent | undefined,
): Promise<string | undefined> {
  if (!current) return undefined;
  const t = translationsFor(lang, 'invoice-manifest');
  const event = t(EVENT_TEXTS[current.event]);
  const { marker: name, markedAt, id } = current;
  if (intent === 'marked')
    return t('waiting', {
      event,
      name: name ?? '',
      date: formatDate(LANGUAGES[lang], markedAt, AUTHORITY_ZONE),
    });
  if (intent === 'accepted')
    return (await isSentByPortal(clientId)) ? t('sendingSoon', { event }) : t('acceptedWaiting', { event });
  const sending = await sendingState(id);
  if (intent === 'failed')
    return t('rejectedBecause', {
      event,
      reason: rejectionText(lang, { code: '', reason: '', ...sending, key }),
    });
  if (sending?.state === 'unclear') return t('sendingUnclear', { event });
  return sending?.state === 'waiting' && sending.nextAt !== null
    ? t('sendingLater', { event, time: momentIn(lang, sending.nextAt) })
    : t('sendingNow', { event });
}

type ListedIntent = Awaited<ReturnType<typeof listIntents>>[number];

async function archivedAt({ clientId, key }: Invoice): Promise<string | undefined> {
  const row = await db()
    .selectFrom('fiscal_documents')
    .select('document_id')
    .where('client_id', '=', clientId)
    .where('document_key', '=', key)
    .executeTakeFirst();
  return row?.document_id;
}

/** The forms that the reader may use now. */
async function buildForms(page: Page, invoice: Invoice, here: string) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const { id } = invoice;
  const t = translationsFor(lang, 'invoice-manifest');
  const possible = EVENTS.filter((event) => canMark(event, invoice));
  const isFree = ['none', 'marked', 'failed'].includes(invoice.intent);
  const mark =
    reviewsInvoices(actor) && isFree && possible.length > 0
      ? await useForm(page, markForm, {
          values: { version: String(invoice.version) },
          choices: {
            event: (Object.keys(MARK_TEXTS) as ManifestEvent[])
              .filter((event) => possible.includes(event))
              .map((event) => ({ value: event, text: t(MARK_TEXTS[event]), hint: t(CHOICE_TEXTS[event]) })),
          },
          submit: async (value) => {
            await markInvoice(actor, { id, ...value });
            return destination(here, 'success', 'marked', { count: 1 });
          },
        })
      : undefined;
  if (mark instanceof Response) return mark;
  const refuse =
    acceptsIntents(actor) && ['marked', 'accepted', 'failed'].includes(invoice.intent)
      ? await useForm(page, refuseForm, {
          submit: async ({ reason }) => {
            await refuseIntent(actor, invoice.intentId ?? '', reason);
            return destination(here, 'success', 'refused');
          },
        })
      : undefined;
  if (refuse instanceof Response) return refuse;
  const record =
    acceptsIntents(actor) && invoice.status !== 'cancelled'
      ? await useForm(page, recordForm, {
          values: { event: 'confirmed', registeredOn: dayOf(now(), AUTHORITY_ZONE) },
          submit: async (value) => {
            await recordEvent(actor, { id, ...value });
            return destination(here, 'success', 'recorded');
          },
        })
      : undefined;
  return record instanceof Response ? record : { mark, refuse, record };
}

const momentIn = (lang: Lang, at: number): string => formatMoment(LANGUAGES[lang], at, AUTHORITY_ZONE);

function eventColumns(lang: Lang): Column<Invoice['events'][number]>[] {
  const t = translationsFor(lang, 'invoice-manifest');
  return [
    { key: 'event', label: t('columnEvent'), text: ({ event }) => t(EVENT_TEXTS[event]), isRowHeader: true },
    {
      key: 'protocol',
      label: t('protocol'),
      text: ({ protocol }) => protocol || t('inFile'),
      isLabelled: true,
    },
    {
      key: 'at',
      label: t('registeredOn'),
      text: ({ registeredAt }) => momentIn(lang, Date.parse(registeredAt)),
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
    },
  ];
}

function intentColumns(lang: Lang): Column<ListedIntent>[] {
  const t = translationsFor(lang, 'invoice-manifest');
  return [
    {
      key: 'event',
      label: t('columnEvent'),
      text: ({ event }) => t(EVENT_TEXTS[event]),
      note: ({ justification, reason }) =>
        [justification, reason === '' ? '' : t('refusedWith', { reason })].filter(Boolean).join(' · ') ||
        undefined,
      isRowHeader: true,
    },
    { key: 'state', label: t('columnIntent'), text: ({ state }) => t(STATE_TEXTS[state]), isLabelled: true },
    {
      key: 'by',
      label: t('columnMarker'),
      text: ({ marker }) => marker ?? t('markedAutomatically'),
      isLabelled: true,
      textStyle: 'person',
    },
    {
      key: 'at',
      label: t('columnMarkedAt'),
      text: ({ markedAt }) => momentIn(lang, markedAt),
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
    },
    {
      key: 'decider',
      label: t('columnDecider'),
      text: ({ decider }) => decider ?? '',
      isLabelled: true,
      isMinor: true,
      textStyle: 'person',
    },
  ];
}
