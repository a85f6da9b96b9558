import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import { spacedKey } from '#features/documents/fiscal-xml/keys.ts';
import { actsForClient, assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { formatMoney } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { acceptsIntents, assertAccepts, assertSees, reviewsInvoices } from './access.server.ts';
import { presentInvoices } from './documents.server.ts';
import { hasStatus, invoiceName, today, type InvoiceRow } from './internal/store.server.ts';
import { INTENTS, STATUSES, type Invoice } from './invoice-manifest.ts';
import { EVENTS, problemWith, type ManifestEvent } from './rules.ts';
import { dayText, deadlineSentence } from './sentences.server.ts';
import { EVENT_TEXTS, INTENT_TEXTS, STATUS_CHIPS, STATUS_TEXTS } from './texts.server.ts';

/** The form of the page that the checkboxes and buttons of rows belong to. */
export const INVOICES_FORM = 'invoices';
export const WORKLIST_FORM = 'worklist';

/** The parts of the list of invoices. */
export const VIEWS = ['open', 'inProgress', 'done', 'expired', 'all'] as const;

/** What can be marked of a list at once; the other two need a look at the invoice. */
export const QUICK_EVENTS = ['confirmed', 'aware'] as const satisfies readonly ManifestEvent[];

export const money = (lang: Lang, total: number): string => formatMoney(LANGUAGES[lang], total, 'BRL');

const invoicePage = (id: string): string => `actions/nfe-manifest/invoices/${id}`;

const nameOf = (invoice: Pick<Invoice, 'number' | 'series' | 'key'>): string =>
  invoiceName({ number: invoice.number, series: invoice.series, access_key: invoice.key });

/** Whether an event can be marked for an invoice today. */
export const canMark = (event: ManifestEvent, invoice: Invoice): boolean =>
  problemWith(
    event,
    {
      isCancelled: invoice.status === 'cancelled',
      lastDay: invoice.lastDay,
      registered: invoice.events.map((each) => ({ ...each, registeredAt: Date.parse(each.registeredAt) })),
    },
    today(),
  ) === undefined;

const STATUS_OPTIONS = STATUSES.map((status) => [status, STATUS_TEXTS[status]] as const);
const INTENT_OPTIONS = INTENTS.map((intent) => [intent, INTENT_TEXTS[intent]] as const);
const column = (name: string) => sql.ref(`manifest_documents.${name}`);

/** The invoices that others issued to the active client, those with the fewest days left first. */
export const invoiceGrid = defineGrid({
  name: 'manifest-invoices',
  namespace: 'invoice-manifest',
  path: '/api/manifesto/v1/grids/documents',
  caption: 'title',
  submit: 'filterSubmit',
  empty: 'empty',
  noMatch: 'noneFound',
  isOfClient: true,
  from: async (actor, { client, searchTerm }) => {
    assertSees(actor);
    if (client !== undefined) await assertActsFor(actor, client);
    return db()
      .selectFrom('manifest_documents')
      .$if(client !== undefined, (all) => all.where('manifest_documents.client_id', '=', client ?? ''))
      .$if(client === undefined, (all) => all.where('manifest_documents.client_id', 'in', clientIdsOf(actor)))
      .$if(searchTerm !== '', (all) => all.where(sought(searchTerm)));
  },
  id: column('manifest_id'),
  columns: {
    invoice: {
      label: 'columnInvoice',
      type: 'number',
      sql: column('number'),
      isNullable: true,
      isSortable: false,
      isRowHeader: true,
      cell: (invoice, { lang, pathTo }) => {
        const note = deadlineSentence(lang, invoice);
        return { text: nameOf(invoice), href: pathTo(invoicePage(invoice.id)), ...(note && { note }) };
      },
    },
    issuer: {
      label: 'columnIssuer',
      type: 'text',
      sql: column('issuer_key'),
      isSortable: false,
      isGroupable: true,
      groupTexts: issuersByKeys,
      textStyle: 'phrase',
      cell: ({ issuer }) => issuer.name,
    },
    total: {
      label: 'columnTotal',
      type: 'number',
      sql: column('total_cents'),
      isFilterable: false,
      isSortable: false,
      cell: ({ total }, { lang }) => money(lang, total),
    },
    status: {
      label: 'columnStatus',
      type: 'choice',
      sql: column('status'),
      isSortable: false,
      isFilterable: false,
      options: STATUS_OPTIONS,
      chip: {},
      cell: ({ status }, { t }) => ({ text: t(STATUS_TEXTS[status]), chip: STATUS_CHIPS[status] }),
    },
    intent: {
      label: 'columnIntent',
      type: 'choice',
      sql: column('intent'),
      isSortable: false,
      textStyle: 'phrase',
      options: INTENT_OPTIONS,
      cell: ({ intent }, { t }) => (intent === 'none' ? undefined : t(INTENT_TEXTS[intent])),
    },
    lastDay: {
      label: 'columnLastDay',
      type: 'exact',
      sql: column('last_day'),
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ lastDay }, { lang }) => ({ text: dayText(lang, lastDay), on: lastDay }),
    },
    issuedAt: {
      label: 'columnIssuedAt',
      type: 'time',
      sql: column('issued_at'),
      isSortable: false,
      isHidden: true,
      textStyle: 'meta',
      cell: ({ issuedAt }) => ({ text: '', at: Date.parse(issuedAt) }),
    },
    issuerId: {
      label: 'columnIssuerId',
      type: 'exact',
      sql: column('issuer_id'),
      isSortable: false,
      isHidden: true,
      cell: ({ issuer }) => (issuer.id === '' ? undefined : withMask('cnpj', issuer.id)),
    },
    key: {
      label: 'columnKey',
      type: 'exact',
      sql: column('access_key'),
      isSortable: false,
      isHidden: true,
      textStyle: 'meta',
      cell: ({ key }) => spacedKey(key),
    },
  },
  orderBy: [{ by: 'lastDay', dir: 'asc' }],
  search: { label: 'search', isInFrom: true },
  fields: {
    view: {
      kind: 'select',
      label: 'view',
      options: [['', 'view_all'], ...VIEWS.map((view) => [view, `view_${view}`] as const)],
      where: (_, view) => inView(view),
    },
    status: {
      kind: 'select',
      label: 'columnStatus',
      options: [['', 'allStatuses'], ...STATUS_OPTIONS],
      where: (_, status) => hasStatus(STATUSES.find((known) => known === status) ?? 'pending', today()),
    },
  },
  rows: async (_, ids) => presentInvoices(await invoicesByIds(ids.map(String))),
  idOf: ({ id }) => id,
  nameOf: (invoice: Invoice) => nameOf(invoice),
  actions: (invoice, actor, { t, pathTo }) => [
    { label: t('open'), href: pathTo(invoicePage(invoice.id)) },
    ...(reviewsInvoices(actor) && invoice.intent === 'none'
      ? QUICK_EVENTS.filter((event) => canMark(event, invoice)).map((event) => ({
          label: t(`mark_${event}`),
          name: `mark-${event}`,
          value: invoice.id,
          form: INVOICES_FORM,
        }))
      : []),
  ],
});

/** What is in a part of the list. */
function inView(view: string): Expression<SqlBool> {
  const [intent, stored] = [column('intent'), column('status')];
  if (view === 'open') return sql<SqlBool>`(${hasStatus('open', today())} and ${intent} = 'none')`;
  if (view === 'inProgress') return sql<SqlBool>`${intent} <> 'none'`;
  if (view === 'done') return sql<SqlBool>`${stored} in ('confirmed', 'unknown', 'notDone', 'cancelled')`;
  if (view === 'expired') return hasStatus('expired', today());
  return sql<SqlBool>`1 = 1`;
}

/** A whole access key, CNPJ or number is looked up; anything else is a part of the issuer's name. */
function sought(term: string): Expression<SqlBool> {
  const characters = term.replaceAll(/[^\dA-Za-z]/g, '').toUpperCase();
  if (/^[\dA-Z]{44}$/.test(characters)) return sql<SqlBool>`${column('access_key')} = ${characters}`;
  if (/^[\dA-Z]{12}\d\d$/.test(characters)) return sql<SqlBool>`${column('issuer_id')} = ${characters}`;
  if (/^\d{1,9}$/.test(term.trim())) return sql<SqlBool>`${column('number')} = ${Number(term)}`;
  return contains(column('issuer_key'), fold(term.trim()));
}

const invoicesByIds = (ids: readonly string[]): Promise<InvoiceRow[]> =>
  db().selectFrom('manifest_documents').selectAll().where('manifest_id', 'in', ids).execute();

/** Those of some invoices that are of a client: all that a list selects may be of several. */
export async function idsOfClient(ids: readonly string[], clientId: string): Promise<string[]> {
  const rows = await invoicesByIds(ids);
  return rows.flatMap((row) => (row.client_id === clientId ? [row.manifest_id] : []));
}

/** Issuers by the folded names in groups; of several with one name, one. */
async function issuersByKeys(actor: Actor, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db()
    .selectFrom('manifest_documents')
    .select((e) => ['issuer_key', e.fn.max('issuer_name').as('name')])
    .where('client_id', 'in', clientIdsOf(actor))
    .where('issuer_key', 'in', keys)
    .groupBy('issuer_key')
    .execute();
  return new Map(rows.map((row) => [row.issuer_key, row.name]));
}

interface WorkRow {
  intentId: string;
  event: ManifestEvent;
  client: string;
  invoice: Invoice;
  markedAt: number;
  marker: string;
}

/** What was marked for all clients of the actor: what waits to be accepted, and what has to be told to the authority. */
export const worklistGrid = defineGrid({
  name: 'manifest-worklist',
  namespace: 'invoice-manifest',
  path: '/api/manifesto/v1/grids/worklist',
  caption: 'worklistTitle',
  submit: 'filterSubmit',
  empty: 'worklistEmpty',
  noMatch: 'noneFound',
  from: (actor) => {
    assertAccepts(actor);
    return db()
      .selectFrom('manifest_documents')
      .innerJoin('manifest_intents', 'manifest_intents.intent_id', 'manifest_documents.intent_id')
      .innerJoin('clients', 'clients.client_id', 'manifest_documents.client_id')
      .where('manifest_documents.company_id', '=', actor.companyId)
      .where('manifest_documents.intent', 'in', ['marked', 'accepted', 'sent', 'failed'])
      .where('clients.archived_at', 'is', null)
      .where(actsForClient(actor));
  },
  id: sql.ref('manifest_intents.intent_id'),
  columns: {
    invoice: {
      label: 'columnInvoice',
      type: 'number',
      sql: column('number'),
      isNullable: true,
      isSortable: false,
      isRowHeader: true,
      cell: ({ invoice }, { lang, pathTo }) => ({
        text: nameOf(invoice),
        href: pathTo(invoicePage(invoice.id), { client: invoice.clientId }),
        note: deadlineSentence(lang, invoice),
      }),
    },
    client: {
      label: 'client',
      type: 'text',
      sql: sql.ref('clients.name_key'),
      isSortable: false,
      isGroupable: true,
      groupTexts: clientsByKeys,
      textStyle: 'phrase',
      cell: ({ client }) => client,
    },
    event: {
      label: 'columnEvent',
      type: 'choice',
      sql: sql.ref('manifest_intents.event'),
      isSortable: false,
      isGroupable: true,
      textStyle: 'phrase',
      options: EVENTS.map((event) => [event, EVENT_TEXTS[event]] as const),
      cell: ({ event }, { t }) => t(EVENT_TEXTS[event]),
    },
    intent: {
      label: 'columnIntent',
      type: 'choice',
      sql: column('intent'),
      isSortable: false,
      textStyle: 'phrase',
      options: INTENT_OPTIONS,
      cell: ({ invoice }, { t }) => t(INTENT_TEXTS[invoice.intent]),
    },
    issuer: {
      label: 'columnIssuer',
      type: 'text',
      sql: column('issuer_key'),
      isSortable: false,
      textStyle: 'phrase',
      isMinor: true,
      cell: ({ invoice }) => invoice.issuer.name,
    },
    total: {
      label: 'columnTotal',
      type: 'number',
      sql: column('total_cents'),
      isFilterable: false,
      isSortable: false,
      cell: ({ invoice }, { lang }) => money(lang, invoice.total),
    },
    lastDay: {
      label: 'columnLastDay',
      type: 'exact',
      sql: column('last_day'),
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ invoice }, { lang }) => ({ text: dayText(lang, invoice.lastDay), on: invoice.lastDay }),
    },
    marker: {
      label: 'columnMarker',
      type: 'text',
      isHidden: true,
      textStyle: 'person',
      cell: ({ marker }, { t }) => (marker === '' ? t('markedAutomatically') : marker),
    },
    markedAt: {
      label: 'columnMarkedAt',
      type: 'time',
      sql: sql.ref('manifest_intents.marked_at'),
      isSortable: false,
      isHidden: true,
      textStyle: 'meta',
      cell: ({ markedAt }) => ({ text: '', at: markedAt }),
    },
    key: {
      label: 'columnKey',
      type: 'exact',
      sql: column('access_key'),
      isSortable: false,
      isHidden: true,
      textStyle: 'meta',
      cell: ({ invoice }) => spacedKey(invoice.key),
    },
  },
  orderBy: [{ by: 'lastDay', dir: 'asc' }],
  search: { label: 'searchClient', in: ['client'] },
  fields: {
    intent: {
      kind: 'select',
      label: 'columnIntent',
      by: 'intent',
      op: 'EQ',
      options: [
        ['', 'allIntents'],
        ['marked', 'intent_marked'],
        ['accepted', 'intent_accepted'],
      ],
    },
  },
  rows: (_, ids): Promise<WorkRow[]> => workRows(ids.map(String)),
  idOf: ({ intentId }) => intentId,
  nameOf: ({ invoice, client }: WorkRow) => `${nameOf(invoice)}, ${client}`,
  actions: ({ intentId, invoice }, actor, { t, pathTo }) => [
    { label: t('open'), href: pathTo(invoicePage(invoice.id), { client: invoice.clientId }) },
    ...(acceptsIntents(actor) && invoice.intent === 'marked'
      ? [{ label: t('accept'), name: 'accept', value: intentId, form: WORKLIST_FORM }]
      : []),
  ],
});

async function workRows(intentIds: readonly string[]): Promise<WorkRow[]> {
  const rows = await db()
    .selectFrom('manifest_documents')
    .innerJoin('manifest_intents', 'manifest_intents.intent_id', 'manifest_documents.intent_id')
    .innerJoin('clients', 'clients.client_id', 'manifest_documents.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'manifest_intents.marked_by')
    .selectAll('manifest_documents')
    .select([
      'manifest_intents.event',
      'manifest_intents.marked_at',
      'clients.name as client_name',
      'contacts.full_name',
    ])
    .where('manifest_intents.intent_id', 'in', intentIds)
    .execute();
  const invoices = new Map((await presentInvoices(rows)).map((invoice) => [invoice.id, invoice]));
  return rows.flatMap((row) => {
    const invoice = invoices.get(row.manifest_id);
    return invoice && row.intent_id !== null
      ? [
          {
            intentId: row.intent_id,
            event: row.event,
            client: row.client_name,
            invoice,
            markedAt: Number(row.marked_at),
            marker: row.full_name ?? '',
          },
        ]
      : [];
  });
}

/** Clients by the folded names in groups; of several with one name, one. */
async function clientsByKeys(actor: Actor, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db()
    .selectFrom('clients')
    .select(['name', 'name_key'])
    .where(actsForClient(actor))
    .where('name_key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.name_key, row.name]));
}
