import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import { hasArea, hasPart, type Actor } from '#features/base/people/people.ts';
import { stateForClient } from '#features/brazil/service-request-pages/status.server.ts';
import { assertSeesRequests, visibleTypes } from '#features/brazil/service-requests/access.server.ts';
import type { RequestStatus } from '#features/brazil/service-requests/course.ts';
import {
  aboutOf,
  firmToday,
  requestsOf,
  type RequestRow,
} from '#features/brazil/service-requests/scope.server.ts';
import { shownNumber } from '#features/brazil/service-requests/service-requests.ts';
import { pendingDocuments } from '#features/brazil/service-requests/submissions.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { text, translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/* Who was registered for a client: employees, interns and partners, and whether the date of eSocial was met. */

const TYPES = ['employeeRegistration', 'internRegistration', 'partnerRegistration'] as const;
const TYPE_OPTIONS = TYPES.map((type) => [type, text('service-requests', `type_${type}`)] as const);

/** Drafts are not among them. */
const STATUSES = [
  'WaitingForAnswer',
  'WaitingForClient',
  'WaitingForCorrection',
  'Replied',
] as const satisfies readonly RequestStatus[];
const STATUS_TEXTS = {
  WaitingForAnswer: 'category_waitingForAnswer',
  WaitingForClient: 'category_waitingForClient',
  WaitingForCorrection: 'category_waitingForCorrection',
  Replied: 'category_replied',
} as const satisfies Record<(typeof STATUSES)[number], string>;
const STATUS_OPTIONS = STATUSES.map(
  (status) => [status, text('service-requests', STATUS_TEXTS[status])] as const,
);

/** Whether the date of the law was met: there is none of what was not registered. */
export const DEADLINES = ['open', 'kept', 'missed', 'none'] as const;
type Deadline = (typeof DEADLINES)[number];
const DEADLINE_OPTIONS = DEADLINES.map((deadline) => [deadline, `deadline_${deadline}`] as const);

type Dates = Pick<RequestRow, 'status' | 'outcome' | 'due_on' | 'replied_on'>;

function deadlineOf(
  { status, outcome, due_on: dueOn, replied_on: repliedOn }: Dates,
  today: string,
): Deadline {
  const isOver = status === 'Replied';
  if (dueOn === null || (isOver && outcome !== 'done')) return 'none';
  if (isOver) return repliedOn !== null && repliedOn <= dueOn ? 'kept' : 'missed';
  return dueOn < today ? 'missed' : 'open';
}

/** The same as SQL. */
export const deadlineSql = (today: string): Expression<string> =>
  sql<string>`case
    when service_requests.due_on is null then 'none'
    when service_requests.status = 'Replied' and service_requests.outcome <> 'done' then 'none'
    when service_requests.status = 'Replied' and service_requests.replied_on <= service_requests.due_on then 'kept'
    when service_requests.status = 'Replied' or service_requests.due_on < ${today} then 'missed'
    else 'open' end`;

/** What the filter offers, beside all. */
export const registrationChoices = (lang: Lang): Record<'type' | 'status', Choice[]> => ({
  type: TYPE_OPTIONS.map(([value, label]) => ({ value, text: translate(lang, label) })),
  status: STATUS_OPTIONS.map(([value, label]) => ({ value, text: translate(lang, label) })),
});

interface Registration {
  row: RequestRow;
  deadline: Deadline;
  /** Documents that were not there yet when it was sent. */
  pending: number;
}

/** Throws FORBIDDEN for people who have no reports, or no service requests. */
function assertReportOpen(actor: Actor): void {
  assertSeesRequests(actor);
  if (!hasPart(actor.access, 'actions') || !hasArea(actor.access, 'br-reports'))
    throw new PortalError('FORBIDDEN');
}

/** The registrations of the active client that were sent, the newest first. */
export const registrationsGrid = defineGrid({
  name: 'payroll-registrations',
  namespace: 'reports',
  path: '/api/br-reports/v1/grids/payroll-registrations',
  caption: 'registrationsTitle',
  submit: 'filter',
  empty: 'registrationsEmpty',
  noMatch: 'registrationsNone',
  isOfClient: true,
  from: async (actor, { client }) => {
    assertReportOpen(actor);
    if (client !== undefined) await assertActsFor(actor, client);
    const types = TYPES.filter((type) => visibleTypes(actor).includes(type));
    if (types.length === 0) throw new PortalError('FORBIDDEN');
    return requestsOf(actor)
      .where('service_requests.type', 'in', types)
      .where('service_requests.submission', '>', 0)
      .where('service_requests.status', '<>', 'Draft')
      .$if(client !== undefined, (rows) => rows.where('service_requests.client_id', '=', client ?? ''));
  },
  id: sql.ref('service_requests.request_id'),
  columns: {
    about: {
      label: 'columnRegistered',
      type: 'text',
      isRowHeader: true,
      textStyle: 'person',
      cell: ({ row }, { pathTo }) => ({
        text: aboutOf(row) || '-',
        href: pathTo(`actions/service-request/requests/${row.request_id}`),
        note: shownNumber(Number(row.year), Number(row.number)),
      }),
    },
    type: {
      label: 'columnRegistration',
      type: 'choice',
      sql: sql.ref('service_requests.type'),
      isSortable: false,
      isGroupable: true,
      options: TYPE_OPTIONS,
      textStyle: 'phrase',
      cell: ({ row: { type } }, { lang }) => translationsFor(lang, 'service-requests')(`type_${type}`),
    },
    state: {
      label: 'columnState',
      type: 'choice',
      sql: sql.ref('service_requests.status'),
      isSortable: false,
      isGroupable: true,
      options: STATUS_OPTIONS,
      textStyle: 'phrase',
      cell: ({ row }, { lang }) =>
        stateForClient(
          {
            status: row.status,
            outcome: row.outcome,
            lapsesOn: row.lapses_on,
            isMinimum: row.is_minimum === 1,
          },
          lang,
        ),
    },
    submittedAt: {
      label: 'columnSentAt',
      type: 'time',
      sql: sql.ref('service_requests.submitted_at'),
      isNullable: true,
      textStyle: 'meta',
      cell: ({ row: { submitted_at: at } }) => (at === null ? undefined : { text: '', at: Number(at) }),
    },
    dueOn: {
      label: 'columnDeadline',
      type: 'exact',
      sql: sql.ref('service_requests.due_on'),
      isNullable: true,
      isFilterable: false,
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ row: { due_on: day } }, { lang }) =>
        day === null ? undefined : formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC'),
    },
    deadline: {
      label: 'columnKept',
      type: 'choice',
      textStyle: 'phrase',
      cell: ({ deadline }, { t }) => ({
        text: t(`deadline_${deadline}`),
        ...(deadline === 'missed' && { isProblem: true }),
      }),
    },
    pending: {
      label: 'columnPending',
      type: 'number',
      isLabelled: true,
      isMinor: true,
      cell: ({ pending }) => String(pending),
    },
  },
  orderBy: [{ by: 'submittedAt', dir: 'desc' }],
  search: undefined,
  fields: {
    type: {
      kind: 'select',
      label: 'columnRegistration',
      by: 'type',
      op: 'EQ',
    },
    status: {
      kind: 'select',
      label: 'columnState',
      by: 'state',
      op: 'EQ',
    },
    deadline: {
      kind: 'select',
      label: 'columnKept',
      options: [['', 'allDeadlines'], ...DEADLINE_OPTIONS],
      where: hasDeadline,
    },
    from: { kind: 'date', label: 'filterFrom', by: 'submittedAt', op: 'GE' },
    to: { kind: 'date', label: 'filterTo', by: 'submittedAt', op: 'LE' },
  },
  rows: registrationsWith,
  idOf: ({ row }) => row.request_id,
  nameOf: ({ row }) => aboutOf(row) || shownNumber(Number(row.year), Number(row.number)),
});

async function hasDeadline(actor: Actor, deadline: string): Promise<Expression<SqlBool>> {
  return sql<SqlBool>`${deadlineSql(await firmToday(actor.companyId))} = ${deadline}`;
}

async function registrationsWith(actor: Actor, ids: readonly (string | number)[]): Promise<Registration[]> {
  const today = await firmToday(actor.companyId);
  const rows = await requestsOf(actor)
    .selectAll('service_requests')
    .where('service_requests.request_id', 'in', ids.map(String))
    .execute();
  const pending = await pendingDocuments(rows);
  return rows.map((row) => ({
    row,
    deadline: deadlineOf(row, today),
    pending: pending.get(row.request_id) ?? 0,
  }));
}
