import { sql, type SqlBool } from 'kysely';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { RequestStatus } from '#features/brazil/service-requests/course.ts';
import { comparedColumn, db } from '#platform/database/database.server.ts';
import { sharedRead } from '#platform/database/shared-reads.server.ts';

/*
 * The requests of all clients of a member of staff, in the order in which the firm works: what waits for it by the nearer of
 * the legal and the promised date, then what waits for a client, drafts, and what is over, the newest first. Each condition
 * is written as in the indexes (src/migrations/0206), which SQLite does not use for a parameter.
 */

const near = sql.raw<string>(
  `case when coalesce(service_requests.promised_on, '9999-12-31') < coalesce(service_requests.due_on, '9999-12-31') then service_requests.promised_on else coalesce(service_requests.due_on, '9999-12-31') end`,
);

/** The place in the order: who has to act, and by when. */
export const queuePlace = sql<string>`(case when service_requests.status = 'Replied' then '4' || cast(100000000000000 - service_requests.changed_at as text) else case service_requests.status when 'WaitingForAnswer' then '1' when 'Draft' then '3' else '2' end || ${near} end)`;

const PARTS = { firm: 1, client: 2, draft: 3, done: 4 } as const;
export type QueuePart = keyof typeof PARTS;

/** Who has to act on requests of a status. */
export const PART_OF: Readonly<Record<RequestStatus, QueuePart>> = {
  WaitingForAnswer: 'firm',
  WaitingForClient: 'client',
  WaitingForCorrection: 'client',
  Draft: 'draft',
  Replied: 'done',
};

/** Whether a request is in a part of the queue. */
export const isInPart = (part: QueuePart) =>
  sql<SqlBool>`(${queuePlace} >= ${String(PARTS[part])} and ${queuePlace} < ${String(PARTS[part] + 1)})`;

/** Whether a request waits for the firm, and its nearest date is before a day. */
export const isLate = (today: string) =>
  sql<SqlBool>`(${queuePlace} >= '1' and ${queuePlace} < ${`${PARTS.firm}${today}`})`;

const isVisible = sql.raw<SqlBool>(
  `service_requests.deleted_at is null and (service_requests.status <> 'Draft' or service_requests.is_begun_by_firm = 1)`,
);

/** The requests that a member of staff sees, by who acts on them. */
export const queueOf = (actor: Actor) =>
  db()
    .selectFrom('service_requests')
    .where('service_requests.company_id', '=', actor.companyId)
    .where(isVisible)
    .$if(!actor.hasAllClients, (rows) => rows.where('service_requests.client_id', 'in', clientIdsOf(actor)));

/** As many clients and requests of staff with assigned clients are looked up by client. */
const MAX_ASSIGNED = 5000;

/** Whether the requests of a member of staff are few: else they are found soon in the order of the firm's. */
export const hasFewRequests = sharedRead(
  async (actor: Actor): Promise<boolean> => {
    if (actor.hasAllClients) return false;
    const some = db()
      .selectFrom(clientIdsOf(actor).limit(MAX_ASSIGNED).as('own'))
      .crossJoin('service_requests')
      .whereRef('service_requests.client_id', '=', 'own.client_id')
      .select(sql<number>`1`.as('one'))
      .limit(MAX_ASSIGNED + 1);
    const { n } = await db()
      .selectFrom(some.as('some'))
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n) <= MAX_ASSIGNED;
  },
  ({ contactId }) => contactId,
);

/** The same requests as {@link queueOf}, which are looked up by client. */
export const fewRequestsOf = (actor: Actor) =>
  db()
    .selectFrom('service_requests')
    .where(comparedColumn('service_requests.company_id'), '=', actor.companyId)
    .where(isVisible)
    .where('service_requests.client_id', 'in', clientIdsOf(actor));
