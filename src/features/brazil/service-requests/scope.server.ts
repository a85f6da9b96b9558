import type { Selectable } from 'kysely';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { hasMinimum } from '#features/brazil/service-request-forms/forms.ts';
import { courseActions, courseRefusal } from '#features/tasks/answer-editor/course.ts';
import { db, lockRows } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { assertSeesRequests, sideOf, visibleTypes } from './access.server.ts';
import { requestCourse, type RequestAction, type RequestFacts } from './course.ts';

export type RequestRow = Selectable<Tables['service_requests']>;

/**
 * The requests that the actor may see: of their clients, of the kinds that are open to them; staff see a draft only if the
 * firm began it.
 */
export const requestsOf = (actor: Actor) =>
  db()
    .selectFrom('service_requests')
    .where('service_requests.client_id', 'in', clientIdsOf(actor))
    .where('service_requests.company_id', '=', actor.companyId)
    .where('service_requests.deleted_at', 'is', null)
    .$if(!actor.staff, (rows) => rows.where('service_requests.type', 'in', [...visibleTypes(actor)]))
    .$if(actor.staff, (rows) =>
      rows.where((e) =>
        e.or([e('service_requests.status', '!=', 'Draft'), e('service_requests.is_begun_by_firm', '=', 1)]),
      ),
    );

/** A request that the actor may see; FORBIDDEN, NOT_FOUND. */
export async function requestRow(actor: Actor, requestId: string): Promise<RequestRow> {
  assertSeesRequests(actor);
  if (visibleTypes(actor).length === 0) throw notFound();
  const row = await requestsOf(actor)
    .selectAll('service_requests')
    .where('service_requests.request_id', '=', requestId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** The same for a change: locked until the end of the transaction. */
export async function lockRequest(actor: Actor, requestId: string): Promise<RequestRow> {
  await requestRow(actor, requestId);
  await lockById(requestId);
  return requestRow(actor, requestId);
}

const lockById = (requestId: string): Promise<unknown> =>
  db()
    .selectFrom('service_requests')
    .select('request_id')
    .where('request_id', '=', requestId)
    .modifyEnd(lockRows)
    .execute();

/** The day of a firm. */
export const firmToday = async (companyId: string): Promise<string> =>
  dayOf(now(), (await firmOf(companyId)).timeZone);

/** What decides about changes of a request. */
export async function factsOf(row: RequestRow): Promise<RequestFacts> {
  const today = await firmToday(row.company_id);
  return {
    status: row.status,
    ...(row.outcome !== null && { outcome: row.outcome }),
    isDeleted: row.deleted_at !== null,
    isOpened: row.opened_at !== null,
    isBegunByFirm: row.is_begun_by_firm === 1,
    hasOpenDeadline: row.due_on !== null && row.due_on >= today && row.status !== 'Replied',
    hasMinimum: hasMinimum(row.type),
    isMinimum: row.is_minimum === 1,
    daysSinceReply: row.replied_at === null ? 0 : Math.floor((now() - row.replied_at) / DAY),
  };
}

/** What the actor's side can do with a request now. */
export const possibleActions = async (actor: Actor, row: RequestRow): Promise<RequestAction[]> =>
  courseActions(requestCourse, await factsOf(row), sideOf(actor));

/** Throws unless the actor's side may do this now: CLOSED, OPENED or NOT_POSSIBLE. */
export async function assertPossible(actor: Actor, row: RequestRow, action: RequestAction): Promise<void> {
  const refused = courseRefusal(requestCourse, await factsOf(row), action, sideOf(actor));
  if (refused === 'NOT_FOUND') throw notFound();
  if (refused) throw new PortalError(refused);
}

/** Whom or what a request is about. */
export const aboutOf = ({ request_id: id, about }: Pick<RequestRow, 'request_id' | 'about'>): string =>
  decryptFrom('service_requests.about', id, about);
