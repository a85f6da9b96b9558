import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import type { Cell } from '#features/base/grids/grids.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { loadStaffNames } from '#features/base/people/staff.server.ts';
import { daysBetween } from '#features/base/work-calendars/days.ts';
import { REQUEST_TYPES, type RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { RequestOutcome, RequestStatus } from '#features/brazil/service-requests/course.ts';
import { urgencyOf, type Urgency } from '#features/brazil/service-requests/deadlines.ts';
import { aboutOf, firmToday } from '#features/brazil/service-requests/scope.server.ts';
import { shownNumber } from '#features/brazil/service-requests/service-requests.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { clientsNamed, loadClientNames } from '#features/clients/clients/client-search.server.ts';
import { comparedColumn, db, fold } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { formatShortDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import type { T } from '#platform/text/messages.ts';
import { text } from '#platform/text/texts.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import {
  fewRequestsOf,
  hasFewRequests,
  isInPart,
  isLate,
  PART_OF,
  queueOf,
  queuePlace,
} from './queue.server.ts';
import { requestState } from './request-state.server.ts';

/** The form of the page that the checkboxes and buttons of rows belong to. */
export const REQUESTS_FORM = 'requests';

/** What the chips above the grid show. */
export const QUEUE_VIEWS = ['open', 'mine', 'late', 'client', 'done', 'all'] as const;
type QueueView = (typeof QUEUE_VIEWS)[number];

/** In the filter by who is responsible: requests of nobody. */
export const NOBODY = 'nobody';

const STATUSES = Object.keys(PART_OF) as RequestStatus[];

export const TYPE_OPTIONS = REQUEST_TYPES.map(
  (type) => [type, text('service-requests', `type_${type}`)] as const,
);
const STATUS_OPTIONS = STATUSES.map((status) => [status, `status_${status}`] as const);

/** A request in the queue of the firm. */
interface QueuedRequest {
  requestId: string;
  clientId: string;
  client: string;
  number: string;
  type: RequestType;
  about: string;
  status: RequestStatus;
  outcome: RequestOutcome | null;
  isMinimum: boolean;
  dueOn: string | null;
  promisedOn: string | null;
  lapsesOn: string | null;
  /** How urgent it is for the firm today. */
  urgency: Urgency | undefined;
  today: string;
  /** The day since when it waits; undefined if it does not. */
  waitsSince: string | undefined;
  changedAt: number;
  responsible: string;
}

async function viewCondition(actor: Actor, view: string): Promise<Expression<SqlBool>> {
  const conditions: Record<QueueView, () => Promise<Expression<SqlBool>> | Expression<SqlBool>> = {
    open: () => isInPart('firm'),
    mine: () => sql<SqlBool>`(service_requests.responsible = ${actor.contactId} and ${isInPart('firm')})`,
    late: async () => isLate(await firmToday(actor.companyId)),
    client: () => isInPart('client'),
    done: () => isInPart('done'),
    all: () => sql<SqlBool>`1 = 1`,
  };
  const found = QUEUE_VIEWS.find((each) => each === view);
  return found === undefined ? sql<SqlBool>`1 = 0` : conditions[found]();
}

function statusIs(status: string): Expression<SqlBool> {
  const found = STATUSES.find((each) => each === status);
  return found === undefined
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`(${isInPart(PART_OF[found])} and service_requests.status = ${found})`;
}

/** What the search box finds: a number, the names of clients, and those of employees. */
function isFound(companyId: string, term: string): Expression<SqlBool> {
  const clients = clientsNamed(companyId, term);
  const employees = db()
    .selectFrom('employees')
    .select('employees.employee_id')
    .where('employees.company_id', '=', companyId)
    .where(contains(sql.ref('employees.name_key'), fold(term)));
  const [, year, number] = /^(?:(\d{4})-)?(\d{1,6})$/.exec(term) ?? [];
  const ofYear = year === undefined ? sql`` : sql` and service_requests.year = ${Number(year)}`;
  const isNumbered =
    number === undefined ? sql`` : sql` or (service_requests.number = ${Number(number)}${ofYear})`;
  return sql<SqlBool>`(service_requests.client_id in ${clients} or service_requests.employee_id in ${employees}${isNumbered})`;
}

/** The service requests of all clients of a member of staff, as the firm works on them; FORBIDDEN for contacts. */
export const queueGrid = defineGrid({
  name: 'service-requests',
  namespace: 'service-request-desk',
  path: '/api/service-request/v1/grids/requests',
  caption: 'title',
  submit: 'filter',
  empty: 'noRequests',
  noMatch: 'noneFound',
  from: async (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    const areFew = await hasFewRequests(actor);
    return { rows: areFew ? fewRequestsOf(actor) : queueOf(actor), areFew, some: [] };
  },
  id: sql.ref('service_requests.request_id'),
  columns: {
    type: {
      label: 'columnType',
      type: 'choice',
      sql: sql.ref('service_requests.type'),
      isSortable: false,
      isGroupable: true,
      isRowHeader: true,
      options: TYPE_OPTIONS,
      cell: ({ type, requestId }, { lang, pathTo }) => ({
        text: translationsFor(lang, 'service-requests')(`type_${type}`),
        href: pathTo(`staff/service-requests/${requestId}`),
      }),
    },
    number: {
      label: 'columnNumber',
      type: 'text',
      isHidden: true,
      isShort: true,
      textStyle: 'meta',
      cell: ({ number }) => number,
    },
    about: {
      label: 'columnAbout',
      type: 'text',
      textStyle: 'phrase',
      cell: ({ about }) => about,
    },
    client: {
      label: 'columnClient',
      type: 'exact',
      sql: sql.ref('service_requests.client_id'),
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => loadClientNames(ids),
      textStyle: 'person',
      cell: ({ client, clientId }, { pathTo }) => ({
        text: client,
        href: pathTo(`staff/clients/${clientId}`),
      }),
    },
    state: {
      label: 'columnState',
      type: 'choice',
      sql: sql.ref('service_requests.status'),
      isSortable: false,
      isGroupable: true,
      options: STATUS_OPTIONS,
      chip: {},
      textStyle: 'phrase',
      cell: (row, { lang }) => requestState(row, lang),
    },
    due: {
      label: 'columnDue',
      type: 'exact',
      sql: queuePlace,
      isFilterable: false,
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ dueOn, ...row }, { lang, t }) => dayCell(dueOn, { ...row, lang }, t),
    },
    promised: {
      label: 'columnPromised',
      type: 'text',
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ promisedOn, ...row }, { lang, t }) => dayCell(promisedOn, { ...row, lang }, t),
    },
    age: {
      label: 'columnAge',
      type: 'text',
      isLabelled: true,
      isMinor: true,
      textStyle: 'meta',
      cell: ({ waitsSince, today }, { lang, t }) =>
        waitsSince === undefined
          ? undefined
          : {
              text: t('age', { count: daysBetween(waitsSince, today) }),
              title: t('waitsSince', { date: shortDay(lang, waitsSince) }),
            },
    },
    responsible: {
      label: 'columnResponsible',
      type: 'exact',
      sql: sql<string>`coalesce(service_requests.responsible, '')`,
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      isLabelled: true,
      groupTexts: (_, ids) => loadStaffNames(ids),
      textStyle: 'phrase',
      cell: ({ responsible }) => responsible,
    },
    changed: {
      label: 'columnChanged',
      type: 'time',
      sql: sql.ref('service_requests.changed_at'),
      isSortable: false,
      isHidden: true,
      textStyle: 'meta',
      cell: ({ changedAt }) => ({ text: '', at: changedAt }),
    },
  },
  orderBy: [{ by: 'due', dir: 'asc' }],
  search: { label: 'search', where: ({ companyId }, term) => Promise.resolve(isFound(companyId, term)) },
  fields: {
    view: {
      kind: 'select',
      label: 'view',
      options: QUEUE_VIEWS.map((view) => [view, `view_${view}`] as const),
      where: viewCondition,
    },
    type: { kind: 'select', label: 'columnType', by: 'type', op: 'EQ' },
    status: {
      kind: 'select',
      label: 'columnState',
      options: [['', 'all'], ...STATUS_OPTIONS],
      where: (_, status) => statusIs(status),
    },
    responsible: {
      kind: 'select',
      label: 'columnResponsible',
      where: (_, id) =>
        id === NOBODY
          ? sql<SqlBool>`service_requests.responsible is null`
          : sql<SqlBool>`service_requests.responsible = ${id}`,
    },
    /** Not `client`, by which the address of every page names the active client. */
    clientName: {
      kind: 'text',
      label: 'columnClient',
      maxlength: 200,
      where: ({ companyId }, name) =>
        sql<SqlBool>`service_requests.client_id in ${clientsNamed(companyId, name.trim())}`,
    },
  },
  rows: queuedRequests,
  idOf: ({ requestId }) => requestId,
  nameOf: (row, { lang }) => requestTitle(row, lang),
  actions: ({ requestId, clientId, status }, actor, { t, pathTo }) => [
    {
      label: t(status === 'WaitingForAnswer' && !isReadOnly(actor) ? 'actAnswer' : 'actOpen'),
      href: pathTo(`staff/service-requests/${requestId}`),
    },
    ...(PART_OF[status] === 'client' && !isReadOnly(actor)
      ? [{ label: t('actRemind'), name: 'remind', value: requestId, form: REQUESTS_FORM }]
      : []),
    { label: t('actClient'), href: pathTo(`staff/clients/${clientId}`) },
  ],
});

/** The kind of a request with its number. */
export function requestTitle({ type, number }: Pick<QueuedRequest, 'type' | 'number'>, lang: Lang): string {
  const t = translationsFor(lang, 'service-requests');
  return t('requestTitle', { type: t(`type_${type}`), number });
}

async function queuedRequests(actor: Actor, ids: readonly (string | number)[]): Promise<QueuedRequest[]> {
  const rows = await db()
    .selectFrom('service_requests')
    .innerJoin('clients', 'clients.client_id', 'service_requests.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'service_requests.responsible')
    .selectAll('service_requests')
    .select(['clients.name as client_name', 'contacts.full_name'])
    .where('service_requests.request_id', 'in', ids.map(String))
    .where(comparedColumn('service_requests.company_id'), '=', actor.companyId)
    .execute();
  const { timeZone } = await firmOf(actor.companyId);
  const today = await firmToday(actor.companyId);
  return rows.map((row) => {
    const shown = {
      status: row.status,
      isMinimum: row.is_minimum === 1,
      dueOn: row.due_on,
      promisedOn: row.promised_on,
    };
    return {
      ...shown,
      requestId: row.request_id,
      clientId: row.client_id,
      client: row.client_name,
      number: shownNumber(Number(row.year), Number(row.number)),
      type: row.type,
      about: aboutOf(row),
      outcome: row.outcome,
      lapsesOn: row.lapses_on,
      urgency: urgencyOf(shown, today),
      today,
      waitsSince: row.waits_since === null ? undefined : dayOf(Number(row.waits_since), timeZone),
      changedAt: Number(row.changed_at),
      responsible: row.full_name ?? '',
    };
  });
}

const shortDay = (lang: Lang, day: string): string => formatShortDate(LANGUAGES[lang], day, 'UTC', now());

/** A date of a request, or how many days it is over while the firm has to act. */
function dayCell(
  day: string | null,
  { lang, status, today }: { lang: Lang; status: RequestStatus; today: string },
  t: T<KeysOf<'service-request-desk'>>,
): Cell | undefined {
  if (day === null) return undefined;
  const date = shortDay(lang, day);
  if (status !== 'WaitingForAnswer' || day >= today) return { text: date, on: day };
  return { text: t('daysLate', { count: daysBetween(day, today) }), title: date, on: day, isProblem: true };
}
