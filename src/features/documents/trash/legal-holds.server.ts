import { actorNow, assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

/*
 * A legal hold on a client: its documents can be moved to the trash and restored, but nobody and no sweep removes
 * them permanently, and no retention period moves them.
 */

const MAX_REASON = 300;

interface LegalHold {
  clientId: string;
  client: string;
  reason: string;
  by: string;
  since: number;
}

/** Those of these clients that are under a legal hold. */
export async function heldClients(clientIds: readonly string[]): Promise<Set<string>> {
  const held = new Set<string>();
  for (const some of inBatches([...new Set(clientIds)])) {
    const rows = await db()
      .selectFrom('legal_holds')
      .select('client_id')
      .where('client_id', 'in', some)
      .execute();
    for (const { client_id: id } of rows) held.add(id);
  }
  return held;
}

/** Lists the legal holds of the actor's clients; FORBIDDEN without the right to manage the firm. */
export async function listHolds(actor: Actor): Promise<LegalHold[]> {
  assertManages(actor);
  const rows = await db()
    .selectFrom('legal_holds')
    .innerJoin('clients', 'clients.client_id', 'legal_holds.client_id')
    .leftJoin('contacts', 'contacts.contact_id', 'legal_holds.held_by')
    .select(['legal_holds.client_id', 'reason', 'held_at', 'clients.name', 'contacts.full_name'])
    .where('legal_holds.client_id', 'in', clientIdsOf(actor))
    .orderBy('clients.name_key')
    .execute();
  return rows.map((row) => ({
    clientId: row.client_id,
    client: row.name,
    reason: decryptFrom('legal_holds.reason', row.client_id, row.reason),
    by: row.full_name ?? '',
    since: row.held_at,
  }));
}

/** Puts a client under a legal hold, or changes the reason; FORBIDDEN, NOT_FOUND, INVALID without a reason. */
export async function holdClient(actor: Actor, clientId: string, reason: string): Promise<void> {
  const text = reason.trim().slice(0, MAX_REASON);
  await changing(actor, clientId, 'client.hold', async ({ companyId, contactId }) => {
    if (text === '') throw new PortalError('INVALID', { field: 'reason' });
    const values = {
      reason: encryptFor('legal_holds.reason', clientId, text),
      held_by: contactId,
      held_at: now(),
    };
    await db()
      .insertInto('legal_holds')
      .values({ client_id: clientId, company_id: companyId, ...values })
      .onConflict((conflict) => conflict.column('client_id').doUpdateSet(values))
      .execute();
  });
}

/** Ends a legal hold; FORBIDDEN, NOT_FOUND. */
export const releaseClient = (actor: Actor, clientId: string): Promise<void> =>
  changing(actor, clientId, 'client.release', async () => {
    await db().deleteFrom('legal_holds').where('client_id', '=', clientId).execute();
  });

function changing(
  actor: Actor,
  clientId: string,
  action: 'client.hold' | 'client.release',
  change: (current: Actor) => Promise<void>,
): Promise<void> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    assertManages(current);
    await assertActsFor(current, clientId);
    await change(current);
    const { companyId, contactId } = current;
    await audit({ companyId, actor: contactId, action, target: clientId, clientId });
  });
}

function assertManages(actor: Actor): void {
  if (!actor.staff || actor.viewedBy !== undefined || !actor.access.permissions.has('ManageFirm'))
    throw new PortalError('FORBIDDEN');
}

/** A hold on a client that is merged into another one goes on for that one. */
export async function followMergedClient({ from, into }: { from: string; into: string }): Promise<void> {
  const row = await db()
    .selectFrom('legal_holds')
    .selectAll()
    .where('client_id', '=', from)
    .executeTakeFirst();
  if (!row) return;
  const reason = encryptFor('legal_holds.reason', into, decryptFrom('legal_holds.reason', from, row.reason));
  await db()
    .insertInto('legal_holds')
    .values({ ...row, client_id: into, reason })
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .execute();
}
