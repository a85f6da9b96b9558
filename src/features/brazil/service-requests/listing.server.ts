import { sql, type SqlBool } from 'kysely';
import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import type { RequestStatus } from './course.ts';
import { assertSeesRequests, visibleTypes } from './access.server.ts';
import { marksOf } from './marks.server.ts';
import { messagesOf } from './messages.server.ts';
import { aboutOf, possibleActions, requestRow, requestsOf, type RequestRow } from './scope.server.ts';
import {
  CATEGORIES,
  inCategory,
  shownNumber,
  type Category,
  type ListedRequest,
  type RequestQuery,
  type ServiceRequest,
} from './service-requests.ts';

type Scope = Pick<RequestQuery, 'clientId' | 'category'>;

const inScope = (actor: Actor, { clientId, category }: Scope) => {
  const { status, type } = inCategory(category);
  return requestsOf(actor)
    .$if(clientId !== undefined, (rows) => rows.where('service_requests.client_id', '=', clientId ?? ''))
    .$if(status !== undefined, (rows) => rows.where('service_requests.status', '=', status ?? 'Draft'))
    .$if(type !== undefined, (rows) => rows.where('service_requests.type', '=', type ?? 'generalRequests'));
};

/** What waits for the reader comes first. */
const waitsFor = ({ staff }: Actor) =>
  staff
    ? sql<SqlBool>`service_requests.status = 'WaitingForAnswer'`
    : sql<SqlBool>`service_requests.status in ('WaitingForClient', 'WaitingForCorrection')`;

/** The requests of the actor, what waits for them first, then the newest; a page of them. FORBIDDEN, NOT_FOUND. */
export async function listRequests(
  actor: Actor,
  query: RequestQuery,
): Promise<{ items: ListedRequest[]; totalItems: number }> {
  assertSeesRequests(actor);
  if (query.clientId !== undefined) await assertActsFor(actor, query.clientId);
  if (visibleTypes(actor).length === 0) return { items: [], totalItems: 0 };
  const sought = inScope(actor, query);
  const { total } = await sought.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await sought
    .innerJoin('clients', 'clients.client_id', 'service_requests.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'service_requests.responsible')
    .selectAll('service_requests')
    .select(['clients.name as client_name', 'contacts.full_name as responsible_name'])
    .orderBy(sql`case when ${waitsFor(actor)} then 0 else 1 end`)
    // what waits for the firm is done in the order of its dates
    .$if(actor.staff, (all) =>
      all
        .orderBy(
          sql`case when service_requests.status = 'WaitingForAnswer' then coalesce(service_requests.due_on, '9999-12-31') else '' end`,
        )
        .orderBy(
          sql`case when service_requests.status = 'WaitingForAnswer' then service_requests.waits_since else 0 end`,
        ),
    )
    .orderBy('service_requests.changed_at', 'desc')
    .orderBy('service_requests.request_id')
    .limit(query.itemsPerPage)
    .offset(query.startIndex)
    .execute();
  return { items: rows.map(listed), totalItems: Number(total) };
}

const listed = (
  row: RequestRow & { client_name: string; responsible_name: string | null },
): ListedRequest => ({
  id: row.request_id,
  clientId: row.client_id,
  clientName: row.client_name,
  number: shownNumber(Number(row.year), Number(row.number)),
  type: row.type,
  status: row.status,
  outcome: row.outcome,
  about: aboutOf(row),
  employeeId: row.employee_id,
  submittedAt: momentOf(row.submitted_at),
  changedAt: new Date(Number(row.changed_at)).toISOString(),
  waitsSince: momentOf(row.waits_since),
  lapsesOn: row.lapses_on,
  dueOn: row.due_on,
  promisedOn: row.promised_on,
  responsible: row.responsible_name,
  isMinimum: row.is_minimum === 1,
});

const momentOf = (at: number | null): string | null =>
  at === null ? null : new Date(Number(at)).toISOString();

/** How many requests each category has. */
export async function countsByCategory(
  actor: Actor,
  { clientId }: { clientId?: string | undefined },
): Promise<Readonly<Record<Category, number>>> {
  const rows =
    visibleTypes(actor).length === 0
      ? []
      : await inScope(actor, { clientId, category: 'all' })
          .select((e) => [
            'service_requests.status',
            'service_requests.type',
            e.fn.countAll<number>().as('count'),
          ])
          .groupBy(['service_requests.status', 'service_requests.type'])
          .execute();
  const count = (status: RequestStatus | undefined, type: RequestType | undefined): number =>
    rows
      .filter((row) => (status ?? row.status) === row.status && (type ?? row.type) === row.type)
      .reduce((sum, row) => sum + Number(row.count), 0);
  return Object.fromEntries(
    CATEGORIES.map((category) => {
      const { status, type } = inCategory(category);
      return [category, count(status, type)];
    }),
  ) as Record<Category, number>;
}

/** A request with what can be done with it and what was written about it; FORBIDDEN, NOT_FOUND. */
export async function requestFor(actor: Actor, requestId: string): Promise<ServiceRequest> {
  const row = await requestRow(actor, requestId);
  const names = await requestsOf(actor)
    .innerJoin('clients', 'clients.client_id', 'service_requests.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'service_requests.responsible')
    .select(['clients.name as client_name', 'contacts.full_name as responsible_name'])
    .where('service_requests.request_id', '=', requestId)
    .executeTakeFirstOrThrow();
  const marks = await marksOf(row);
  return {
    ...listed({ ...row, ...names }),
    version: Number(row.version),
    submission: Number(row.submission),
    possible: (await possibleActions(actor, row)).filter(
      (action) => action !== 'lapse' && action !== 'expire',
    ),
    messages: await messagesOf(actor, requestId),
    marks: [...marks].map(([path, reason]) => ({ path, reason })),
  };
}
