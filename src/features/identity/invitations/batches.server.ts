import { z } from 'zod';
import { isAtWork } from '#features/base/batches/batches.ts';
import { batchIn, beginBatch, createBatch } from '#features/base/batches/batches.server.ts';
import type { BatchKind } from '#features/base/batches/define.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';
import {
  batchProblem,
  MAX_IN_BATCH,
  type Batch,
  type BatchProblem,
  type Invitation,
  type InvitationRequest,
} from './invitations.ts';
import {
  assertManagesContacts,
  contactKeys,
  insertInvitations,
  listPending,
  present,
  sendInvitation,
} from './invitations.server.ts';

/*
 * Invitations of many contacts: all are stored at once, and a job sends them, some in each transaction. After a
 * crash the job goes on with those that are not sent yet.
 */

const BATCHES_PER_DAY = 20;
const PER_TURN = 25;

/** Somebody to invite, and the line of the list that names them. */
export type Listed = Pick<
  InvitationRequest,
  'emailAddress' | 'firstName' | 'lastName' | 'language' | 'clientIds'
> & { line: number };

/**
 * Invites many contacts: stores the invitations, and queues them. People of the firm and repeated addresses become
 * problems of their lines. `clientIds` are clients of the actor. Returns the id of the batch. TOO_LARGE above the
 * limit, EMPTY without anybody to invite or report.
 */
export async function inviteMany(
  actor: Actor,
  people: readonly Listed[],
  problems: readonly BatchProblem[] = [],
): Promise<string> {
  await assertMayStart(actor, people.length);
  if (people.length + problems.length === 0) throw new PortalError('EMPTY');
  const keyed: (Listed & { emailKey: string })[] = [];
  for (const person of people) {
    const emailKey = await blindIndex(fold(person.emailAddress));
    keyed.push({ ...person, emailKey });
  }
  const batchId = newId('batch');
  await inTransaction(async () => {
    assertManagesContacts(await actorNow(actor));
    const found: BatchProblem[] = [...problems];
    const seen = new Set<string>();
    const taken = await contactKeys(
      actor.companyId,
      keyed.map(({ emailKey }) => emailKey),
    );
    const prepared = [];
    for (const { line, emailKey, ...person } of keyed) {
      const code = seen.has(emailKey) ? 'twice' : taken.has(emailKey) ? 'taken' : undefined;
      seen.add(emailKey);
      if (code !== undefined) {
        found.push({ line, text: person.emailAddress, code });
        continue;
      }
      prepared.push({ request: person, emailKey, clientIds: person.clientIds, batchId });
    }
    await insertInvitations(actor, prepared);
    const total = prepared.length;
    await insertBatch(actor, { batchId, total, problems: found.toSorted((a, b) => a.line - b.line) });
  });
  return batchId;
}

/** Invites everyone whose invitation was not sent yet, or has expired. Returns the id of the batch. EMPTY, TOO_LARGE. */
export const invitePending = async (actor: Actor): Promise<string> =>
  sendInBatch(actor, (await listPending(actor)).filter(isWithoutAccess));

/**
 * Sends those of these invitations that are not accepted yet, again where they were sent before. Returns the id of the
 * batch. EMPTY, TOO_LARGE.
 */
export async function sendChosen(actor: Actor, invitationIds: readonly string[]): Promise<string> {
  const chosen: Invitation[] = [];
  for (const some of inBatches(invitationIds)) chosen.push(...(await listPending(actor, some)));
  return sendInBatch(actor, chosen);
}

async function sendInBatch(actor: Actor, pending: readonly Invitation[]): Promise<string> {
  await assertMayStart(actor, pending.length);
  if (pending.length === 0) throw new PortalError('EMPTY');
  const batchId = newId('batch');
  await inTransaction(async () => {
    assertManagesContacts(await actorNow(actor));
    await insertBatch(actor, { batchId, total: pending.length, problems: [] });
    await assignBatch(
      batchId,
      pending.map(({ invitationId }) => invitationId),
    );
  });
  return batchId;
}

/**
 * Queues those of these invitations that were not sent yet or have expired, as many batches as they need, in the
 * open transaction. Returns how many.
 */
export async function queueInvitations(actor: Actor, invitationIds: readonly string[]): Promise<number> {
  assertManagesContacts(actor);
  const found: string[] = [];
  for (const some of inBatches([...new Set(invitationIds)]))
    for (const { invitation_id: id } of await db()
      .selectFrom('invitations')
      .select('invitation_id')
      .where('company_id', '=', actor.companyId)
      .where('invitation_id', 'in', some)
      .where('role', '=', '')
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '<=', now())
      .execute())
      found.push(id);
  for (let start = 0; start < found.length; start += MAX_IN_BATCH) {
    const batchId = newId('batch');
    const ids = found.slice(start, start + MAX_IN_BATCH);
    await insertBatch(actor, { batchId, total: ids.length, problems: [] });
    await assignBatch(batchId, ids);
  }
  return found.length;
}

async function assignBatch(batchId: string, invitationIds: readonly string[]): Promise<void> {
  for (const some of inBatches(invitationIds))
    await db()
      .updateTable('invitations')
      .set({ batch_id: batchId })
      .where('invitation_id', 'in', some)
      .execute();
}

/** Contacts without access: their invitation was not sent yet, or has expired. */
export const isWithoutAccess = ({ state, role }: Invitation): boolean =>
  role === undefined && (state === 'prepared' || state === 'expired');

async function assertMayStart(actor: Actor, count: number): Promise<void> {
  if (count > MAX_IN_BATCH) throw new PortalError('TOO_LARGE', { limit: MAX_IN_BATCH });
  await consumeBatch(actor);
}

/** Counts invitations of many people against the limit of a day. FORBIDDEN, TOO_MANY. */
export async function consumeBatch(actor: Actor): Promise<void> {
  assertManagesContacts(actor);
  await consume(`invite-batch:${actor.contactId}`, BATCHES_PER_DAY, DAY);
}

async function insertBatch(
  actor: Actor,
  { batchId, total, problems }: { batchId: string; total: number; problems: readonly BatchProblem[] },
): Promise<void> {
  await createBatch(actor, invitationBatchKind, { batchId, total, state: 'ready' });
  await db()
    .insertInto('invitation_batches')
    .values({
      batch_id: batchId,
      problems: encryptFor('invitation_batches.problems', batchId, JSON.stringify(problems)),
    })
    .execute();
  await beginBatch(actor, invitationBatchKind, batchId);
}

/** Invitations that are sent: those of a batch that are not sent yet, since their number may shrink meanwhile. */
export const invitationBatchKind: BatchKind<BatchProblem[], UnsentRow> = {
  name: 'invitations',
  atOnce: { running: PER_TURN },
  async inputOf(batchId) {
    const row = await db()
      .selectFrom('invitation_batches')
      .select('problems')
      .where('batch_id', '=', batchId)
      .executeTakeFirst();
    if (!row) throw notFound();
    const problems = decryptFrom('invitation_batches.problems', batchId, row.problems);
    return z.array(batchProblem).parse(JSON.parse(problems));
  },
  assertMay(actor, { createdBy }) {
    assertManagesContacts(actor);
    if (!actor.hasAllClients && createdBy !== actor.contactId) throw notFound();
  },
  rows: ({ id, createdAt }, { first, last }) =>
    unsent(id, createdAt)
      .limit(last - first + 1)
      .execute(),
  async run(actor, { companyId }, rows) {
    const firm = await firmOf(companyId);
    for (const row of rows) await sendInvitation(actor, firm, row);
  },
};

type UnsentRow = Awaited<ReturnType<ReturnType<typeof unsent>['execute']>>[number];

const unsent = (batchId: string, createdAt: number) =>
  db()
    .selectFrom('invitations')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('sent_at', '<', createdAt)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .orderBy('sent_at')
    .orderBy('invitation_id');

/** Returns a batch of the actor's firm with its progress and its invitations; NOT_FOUND if it is not their own. */
export async function batchOf(actor: Actor, batchId: string): Promise<Batch & { invitations: Invitation[] }> {
  const batch = await batchIn(actor, invitationBatchKind, batchId);
  const rows = await db().selectFrom('invitations').selectAll().where('batch_id', '=', batchId).execute();
  const waiting = rows.filter(
    ({ sent_at: sentAt, revoked_at: revokedAt }) => sentAt < batch.createdAt && revokedAt === null,
  );
  return {
    batchId,
    total: batch.total,
    sent: batch.total - waiting.length,
    problems: batch.input,
    isFinished: !isAtWork(batch.state),
    stoppedBy: batch.stoppedBy,
    invitations: await present(rows),
  };
}
