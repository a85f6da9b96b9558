import {
  recipientsOfMany,
  type NoticeRecipients,
} from '#features/clients/notice-recipients/recipients.server.ts';
import { actorNow, readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertWrites } from '#features/brazil/service-requests/access.server.ts';
import { recordReminder } from '#features/brazil/service-requests/acting.server.ts';
import { isReader, remindReader } from '#features/brazil/service-requests/mails.server.ts';
import { requestsOf, type RequestRow } from '#features/brazil/service-requests/scope.server.ts';
import { bouncedContacts } from '#features/tasks/task-reminders/bounced.server.ts';
import { db, inBatches, inTransaction, lockRows } from '#platform/database/database.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import type { RowProblem } from './desk.ts';

/** Nobody is reminded of a request more often than once in this time (ms). */
const INTERVAL = DAY;

type Remindable = Pick<RequestRow, 'status' | 'reminded_at'>;

/** Why a client cannot be reminded of a request now; undefined if it can. */
export function reminderProblem({ status, reminded_at: at }: Remindable): RowProblem | undefined {
  if (status !== 'WaitingForClient' && status !== 'WaitingForCorrection') return 'STATUS';
  return at !== null && Number(at) > now() - INTERVAL ? 'TOO_SOON' : undefined;
}

/** Those of these clients that are archived: their contacts cannot open what they would be reminded of. */
export async function archivedClients(clientIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inBatches([...new Set(clientIds)]))
    for (const row of await db()
      .selectFrom('clients')
      .select('client_id')
      .where('client_id', 'in', some)
      .where('archived_at', 'is not', null)
      .execute())
      found.add(row.client_id);
  return found;
}

type AboutRequest = Pick<RequestRow, 'client_id' | 'type'>;

/** For each client of requests who is reminded of them, or why nobody is. */
export function reminderRecipients(
  actor: Actor,
  requests: readonly AboutRequest[],
): Promise<NoticeRecipients[]> {
  return recipientsOfMany(
    actor,
    requests.map((row) => row.client_id),
    {
      kind: 'service-request',
      maySee: (reader) => requests.some((row) => isReader(reader, row)),
      held: async (contactIds) =>
        new Map([...(await bouncedContacts(contactIds))].map((id) => [id, 'bounced' as const])),
    },
  );
}

/**
 * Reminds clients of the requests that wait for them: each contact in one mail. Returns what prevented it, by request;
 * what the actor does not see is missing. FORBIDDEN for those who only read.
 */
export async function remindClients(
  actor: Actor,
  requestIds: readonly string[],
): Promise<Map<string, RowProblem | undefined>> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertWrites(current);
    const rows = await lockedRequests(current, requestIds);
    const results = new Map(rows.map((row) => [row.request_id, reminderProblem(row)]));
    const open = rows.filter((row) => results.get(row.request_id) === undefined);
    const archived = await archivedClients(open.map((row) => row.client_id));
    for (const [clientId, own] of Map.groupBy(open, (row) => row.client_id)) {
      const reached = archived.has(clientId) ? new Set<string>() : await remindClient(own);
      for (const row of own)
        if (reached.has(row.request_id)) await recordReminder(current, row);
        else results.set(row.request_id, 'UNREACHED');
    }
    return results;
  });
}

async function lockedRequests(actor: Actor, requestIds: readonly string[]): Promise<RequestRow[]> {
  const ids = [...requestIds, ''];
  await db()
    .selectFrom('service_requests')
    .select('request_id')
    .where('company_id', '=', actor.companyId)
    .where('request_id', 'in', ids)
    .orderBy('request_id')
    .modifyEnd(lockRows)
    .execute();
  return requestsOf(actor)
    .selectAll('service_requests')
    .where('service_requests.request_id', 'in', ids)
    .orderBy('service_requests.request_id')
    .execute();
}

/** Reminds the contacts of one client; returns the requests of which somebody is reminded. */
async function remindClient(rows: readonly RequestRow[]): Promise<Set<string>> {
  const reached = new Set<string>();
  const [first] = rows;
  if (!first) return reached;
  const readers = await readersOf(first.company_id, first.client_id, 'contacts');
  const bounced = await bouncedContacts(readers.map(({ contactId }) => contactId));
  for (const reader of readers.filter(({ contactId }) => !bounced.has(contactId))) {
    const own = rows.filter((row) => isReader(reader, row));
    if (own.length > 0 && (await remindReader(reader, own)))
      for (const row of own) reached.add(row.request_id);
  }
  return reached;
}
