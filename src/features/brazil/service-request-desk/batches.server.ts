import {
  batchIn,
  beginBatch as begin,
  createBatch,
  discardBatch as discard,
  stopBatch as stop,
  undoBatch as undo,
} from '#features/base/batches/batches.server.ts';
import { countByState, LISTED_STATES, ROWS_A_PAGE, type RowQuery } from '#features/base/batches/rows.ts';
import { actorNow, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { NoticeRecipients } from '#features/clients/notice-recipients/recipients.server.ts';
import { assertWrites } from '#features/brazil/service-requests/access.server.ts';
import { assertStaff } from '#features/brazil/service-requests/acting.server.ts';
import { requestsOf, type RequestRow } from '#features/brazil/service-requests/scope.server.ts';
import { shownNumber } from '#features/brazil/service-requests/service-requests.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { deskBatchKind } from './batch-kind.server.ts';
import { MAX_BATCH, type DeskAction, type DeskBatch, type DeskRow, type RowProblem } from './desk.ts';
import { requestTitle } from './queue-grid.server.ts';
import { archivedClients, reminderProblem, reminderRecipients } from './reminding.server.ts';

/**
 * Prepares something with requests and returns the id of the batch: those with which it cannot be done are listed as such.
 * FORBIDDEN; EMPTY without a request, NOT_FOUND without one that the actor may see, TOO_LARGE.
 */
export async function prepareBatch(
  actor: Actor,
  action: DeskAction,
  requestIds: readonly string[],
): Promise<string> {
  assertMayChange(actor);
  if (requestIds.length === 0) throw new PortalError('EMPTY');
  if (requestIds.length > MAX_BATCH) throw new PortalError('TOO_LARGE', { most: MAX_BATCH });
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertMayChange(current);
    const requests = await loadRequests(current, requestIds);
    if (requests.length === 0) throw notFound();
    const unreached = action === 'remind' ? await unreachedClients(current, requests) : new Set<string>();
    const batchId = newId('requestbatch');
    await createBatch(current, deskBatchKind, { batchId, total: requests.length, state: 'ready' });
    await db()
      .insertInto('service_request_batches')
      .values({ batch_id: batchId, action, responsible: action === 'take' ? current.contactId : null })
      .execute();
    const values = requests.map((row, index) => {
      const problem: RowProblem | '' =
        problemOf(action, row) ?? (unreached.has(row.client_id) ? 'UNREACHED' : '');
      return {
        batch_id: batchId,
        number: index + 1,
        client_id: row.client_id,
        request_id: row.request_id,
        state: problem === '' ? ('waiting' as const) : ('skipped' as const),
        problem,
        before_value: row.responsible ?? '',
      };
    });
    for (const some of inBatches(values))
      await db().insertInto('service_request_batch_rows').values(some).execute();
    return batchId;
  });
}

function assertMayChange(actor: Actor): void {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  assertWrites(actor);
}

/** Those of a client follow each other, so that its contacts get one mail about all of them. */
async function loadRequests(actor: Actor, requestIds: readonly string[]): Promise<RequestRow[]> {
  const found: RequestRow[] = [];
  for (const some of inBatches([...new Set(requestIds)]))
    found.push(
      ...(await requestsOf(actor)
        .selectAll('service_requests')
        .where('service_requests.request_id', 'in', some)
        .execute()),
    );
  const placeOf = ({ client_id: client, year, number }: RequestRow): string =>
    `${client} ${shownNumber(Number(year), Number(number))}`;
  return found.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** Why something cannot be done with a request. */
function problemOf(action: DeskAction, row: RequestRow): RowProblem | undefined {
  switch (action) {
    case 'take':
      if (row.status === 'Replied') return 'STATUS';
      return row.responsible === null ? undefined : 'TAKEN';
    case 'assign':
      return row.status === 'Replied' ? 'STATUS' : undefined;
    case 'remind':
      return reminderProblem(row);
    case 'export':
      return Number(row.submission) === 0 ? 'NOT_SENT' : undefined;
  }
}

async function unreachedClients(actor: Actor, requests: readonly RequestRow[]): Promise<Set<string>> {
  const open = requests.filter((row) => reminderProblem(row) === undefined);
  const archived = await archivedClients(open.map((row) => row.client_id));
  const recipients = await reminderRecipients(actor, open);
  const unreached = recipients.filter((each) => each.unreached !== undefined);
  return new Set([...archived, ...unreached.map(({ clientId }) => clientId)]);
}

/** The batch that the actor has prepared; NOT_FOUND for that of somebody else, FORBIDDEN. */
const ownBatch = (actor: Actor, batchId: string) => batchIn(actor, deskBatchKind, batchId);

/** A batch with how many of its requests are in which state. NOT_FOUND, FORBIDDEN. */
export async function loadBatch(actor: Actor, batchId: string): Promise<DeskBatch> {
  const { state, total, position, input } = await ownBatch(actor, batchId);
  const counts = await rowsOfBatch(batchId)
    .select((e) => ['state', e.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  return {
    id: batchId,
    action: input.action,
    state,
    total,
    position,
    counts: countByState(counts),
  };
}

const rowsOfBatch = (batchId: string) =>
  db().selectFrom('service_request_batch_rows').where('batch_id', '=', batchId);

/** Of how many requests that wait to be assigned somebody is responsible already. NOT_FOUND, FORBIDDEN. */
export async function countAssigned(actor: Actor, batchId: string): Promise<number> {
  await ownBatch(actor, batchId);
  const { n } = await rowsOfBatch(batchId)
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('state', '=', 'waiting')
    .where('before_value', '!=', '')
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** For each client of a batch that reminds who gets a mail, or why nobody does. NOT_FOUND, FORBIDDEN. */
export async function recipientsOfBatch(actor: Actor, batchId: string): Promise<NoticeRecipients[]> {
  await ownBatch(actor, batchId);
  const rows = await db()
    .selectFrom('service_request_batch_rows')
    .innerJoin('service_requests', 'service_requests.request_id', 'service_request_batch_rows.request_id')
    .innerJoin('clients', 'clients.client_id', 'service_requests.client_id')
    .select(['service_requests.client_id', 'service_requests.type'])
    .distinct()
    .where('clients.archived_at', 'is', null)
    .where('service_request_batch_rows.batch_id', '=', batchId)
    .where('service_request_batch_rows.problem', 'in', ['', 'UNREACHED'])
    .execute();
  return reminderRecipients(actor, rows);
}

/** Lists one page of the requests of a batch, in their order. NOT_FOUND, FORBIDDEN. */
export async function listRows(
  actor: Actor,
  batchId: string,
  { show, from }: RowQuery,
  lang: Lang,
): Promise<{ rows: DeskRow[]; total: number }> {
  await ownBatch(actor, batchId);
  const matching = rowsOfBatch(batchId).where('service_request_batch_rows.state', 'in', LISTED_STATES[show]);
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .innerJoin('clients', 'clients.client_id', 'service_request_batch_rows.client_id')
    .innerJoin('service_requests', 'service_requests.request_id', 'service_request_batch_rows.request_id')
    .select([
      'service_request_batch_rows.request_id',
      'service_request_batch_rows.client_id',
      'service_request_batch_rows.state',
      'service_request_batch_rows.problem',
      'clients.name as client',
      'service_requests.type',
      'service_requests.year',
      'service_requests.number',
    ])
    // a right that was withdrawn in the meantime hides the names
    .where('service_request_batch_rows.client_id', 'in', clientIdsOf(actor))
    .orderBy('service_request_batch_rows.number')
    .limit(ROWS_A_PAGE)
    .offset(from)
    .execute();
  return {
    total: Number(total),
    rows: rows.map(({ request_id: requestId, client_id: clientId, type, year, number, ...row }) => ({
      ...row,
      requestId,
      clientId,
      title: requestTitle({ type, number: shownNumber(Number(year), Number(number)) }, lang),
    })),
  };
}

/** The requests of a batch that wait, a page at a time. NOT_FOUND, FORBIDDEN, asked again for each. */
export async function* waitingRequests(actor: Actor, batchId: string): AsyncGenerator<string[], void> {
  for (let after = 0; ;) {
    await ownBatch(await actorNow(actor), batchId);
    const rows = await rowsOfBatch(batchId)
      .select(['number', 'request_id'])
      .where('state', '=', 'waiting')
      .where('number', '>', after)
      .orderBy('number')
      .limit(ROWS_A_PAGE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => row.request_id);
    after = Number(last.number);
  }
}

/**
 * Begins a batch that was prepared, or continues one that was stopped; one with few requests is done when this returns.
 * STALE if it has begun already, NOT_FOUND for a person who is not staff, NOT_POSSIBLE for an export.
 */
export const beginBatch = (actor: Actor, batchId: string, responsible?: string | null): Promise<void> =>
  begin(actor, deskBatchKind, batchId, {
    prepare: async (current, { state, input: { action } }) => {
      if (action === 'export') throw new PortalError('NOT_POSSIBLE');
      if (action !== 'assign' || state !== 'ready') return;
      if (responsible === undefined) throw new PortalError('NOT_POSSIBLE');
      if (responsible !== null) await assertStaff(current, responsible);
      await db()
        .updateTable('service_request_batches')
        .set({ responsible })
        .where('batch_id', '=', batchId)
        .execute();
    },
  });

/** Stops a batch after the requests at work; what is done stays. */
export const stopBatch = (actor: Actor, batchId: string): Promise<void> =>
  stop(actor, deskBatchKind, batchId);

/** Begins to undo an assignment: what somebody has assigned since stays. STALE, NOT_POSSIBLE. */
export const undoBatch = (actor: Actor, batchId: string): Promise<void> =>
  undo(actor, deskBatchKind, batchId);

/** Removes a batch that was only prepared. STALE once it has begun. */
export const discardBatch = (actor: Actor, batchId: string): Promise<void> =>
  discard(actor, deskBatchKind, batchId);
