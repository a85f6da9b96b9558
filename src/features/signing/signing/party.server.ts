import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { factsOfSystem, lockTaskOfSystem, taskRow } from '#features/tasks/tasks/scope.server.ts';
import { isPending } from '#features/tasks/tasks/rules.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Origin } from './evidence.server.ts';
import {
  signersOf,
  signingOfTask,
  signingRow,
  type Signer,
  type SigningRow,
} from './internal/rows.server.ts';
import { isTurnOf } from './rules.ts';

/** Somebody who takes part in a request, with their account or by a link that they have opened. */
export type Party = { signerId: string; taskId: string; origin: Origin } & (
  { via: 'account'; actor: Actor } | { via: 'link'; visit: string }
);

/** A request as one of its signers finds it. */
export interface Seat {
  signing: SigningRow;
  signer: Signer;
  signers: Signer[];
}

/** The signer of a task that a contact is; undefined for a task without signatures, or of others. NOT_FOUND. */
export async function seatOfContact(actor: Actor, taskId: string): Promise<Seat | undefined> {
  await taskRow(actor, taskId);
  const signing = await signingOfTask(taskId);
  if (!signing) return undefined;
  const signers = await signersOf(signing.signing_id);
  const signer = signers.find(({ contactId }) => contactId === actor.contactId);
  return signer && { signing, signer, signers };
}

/**
 * Runs what a signer does, in one transaction with all that follows from it. The right to do it is checked again:
 * NOT_FOUND, EMULATION_READ_ONLY, GONE for a link that has ended, CLOSED or EXPIRED for a request that is over.
 */
export async function inTurn<Result>(
  party: Party,
  work: (seat: Seat) => Promise<Result>,
  { evenIfOver = false }: { evenIfOver?: boolean } = {},
): Promise<Result> {
  return inTransaction(async () => {
    if (party.via === 'account') {
      if (party.actor.viewedBy !== undefined) throw new PortalError('EMULATION_READ_ONLY');
      await taskRow(await actorNow(party.actor), party.taskId);
    }
    await lockTaskOfSystem(party.taskId);
    if (party.via === 'link' && !(await isOpenIn(party.signerId, party.visit))) throw new PortalError('GONE');
    const signing = await signingOfTask(party.taskId);
    const signers = signing ? await signersOf(signing.signing_id) : [];
    const signer = signers.find(({ signerId }) => signerId === party.signerId);
    if (!signing || !signer) throw notFound();
    if (party.via === 'account' && signer.contactId !== party.actor.contactId) throw notFound();
    if (!evenIfOver) await assertOpen(signing);
    return work({ signing, signer, signers });
  });
}

/** Throws TURN unless it is this signer's turn; CLOSED if they have decided. */
export function assertTurn({ signer, signers }: Seat): void {
  if (signer.state !== 'waiting') throw new PortalError('CLOSED');
  if (!isTurnOf(signer, signers)) throw new PortalError('TURN');
}

/** Throws CLOSED or EXPIRED if nobody can sign any more. */
async function assertOpen(signing: SigningRow): Promise<void> {
  const over = await reasonOver(signing);
  if (over !== undefined) throw new PortalError(over);
}

/** Why nobody can sign any more: it is complete, declined or cancelled, or its date is past. */
export async function reasonOver(signing: SigningRow): Promise<'CLOSED' | 'EXPIRED' | undefined> {
  const facts = signing.task_id === null ? undefined : await factsOfSystem(signing.task_id);
  if (!facts || facts.isDeleted || signing.state !== 'sent' || !isPending(facts.status)) return 'CLOSED';
  return facts.isExpired ? 'EXPIRED' : undefined;
}

/** Whether a link of a signer is open in a browser with this visit. */
export async function isOpenIn(signerId: string, visit: string): Promise<boolean> {
  const row = await db()
    .selectFrom('sign_visits')
    .select('visit_hash')
    .where(
      'visit_hash',
      'in',
      visit.split('.').map((each) => sha256(each)),
    )
    .where('signer_id', '=', signerId)
    .where('expires_at', '>', now())
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The request of a signer whose link was found. */
export async function seatOfSigner(signingId: string, signerId: string): Promise<Seat> {
  const signing = await signingRow(signingId);
  const signers = await signersOf(signingId);
  const signer = signers.find((each) => each.signerId === signerId);
  if (!signer) throw notFound();
  return { signing, signer, signers };
}
